"""Golden sets, runs, comparisons and feedback as programs get them, and what they may send."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

from evaluation.golden.item import EXPECTS, MAX_KEY, MAX_TEXT
from evaluation.models import Feedback, Run

MAX_ITEMS = 5_000


class GoldenSetSerializer(serializers.Serializer[Any]):
    """`version` is 0 while the set holds drafts alone."""

    ref = serializers.CharField()
    name = serializers.CharField()
    description = serializers.CharField(allow_blank=True)
    version = serializers.IntegerField()
    created_at = serializers.DateTimeField()
    updated_at = serializers.DateTimeField()


class NewGoldenSetSerializer(serializers.Serializer[Any]):
    name = serializers.CharField(max_length=120)
    description = serializers.CharField(required=False, allow_blank=True, max_length=500)


class GoldPassageSerializer(serializers.Serializer[Any]):
    """Where the answer stands: a document by name, in it a quote or offsets in its text, or nothing for the whole of it."""

    document = serializers.CharField(max_length=255)
    quote = serializers.CharField(required=False, allow_blank=True, max_length=MAX_TEXT)
    start = serializers.IntegerField(required=False, min_value=0, max_value=2**31 - 1)
    end = serializers.IntegerField(required=False, min_value=1, max_value=2**31 - 1)
    gain = serializers.FloatField(required=False, min_value=0, max_value=1e6)

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        if ("start" in attrs) != ("end" in attrs) or ("start" in attrs and attrs["start"] >= attrs["end"]):
            raise serializers.ValidationError("`start` and `end` come together, and `start` is the smaller.")
        return attrs


class GoldenQuestionSerializer(serializers.Serializer[Any]):
    """As JSONL has it: what is empty may be left out."""

    id = serializers.CharField(required=False, max_length=MAX_KEY)
    question = serializers.CharField(max_length=MAX_TEXT)
    expects = serializers.ChoiceField(EXPECTS, default="answer")
    answers = serializers.ListField(child=serializers.CharField(max_length=MAX_TEXT), required=False, max_length=100)
    key_facts = serializers.ListField(child=serializers.CharField(max_length=MAX_TEXT), required=False, max_length=100)
    gold = GoldPassageSerializer(many=True, required=False)
    tags = serializers.ListField(child=serializers.CharField(max_length=40), required=False, max_length=30)
    language = serializers.CharField(required=False, allow_blank=True, max_length=8)
    weight = serializers.FloatField(required=False, min_value=1e-6, max_value=1e5)


class ManyQuestionsSerializer(serializers.Serializer[Any]):
    """With `replace`, questions that are not among these end with the new version."""

    questions = GoldenQuestionSerializer(many=True)
    replace = serializers.BooleanField(default=False)

    def validate_questions(self, rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
        if not 0 < len(rows) <= MAX_ITEMS:
            raise serializers.ValidationError(f"1 to {MAX_ITEMS:,} of them.")
        return rows


class SavedSerializer(serializers.Serializer[Any]):
    """`version` is the set's newest; it rises only when something differs."""

    version = serializers.IntegerField()
    added = serializers.IntegerField()
    changed = serializers.IntegerField()
    removed = serializers.IntegerField()


class RunSerializer(serializers.Serializer[Any]):
    """`done` of `total` questions are asked; `summary` is empty until the state is done."""

    ref = serializers.CharField()
    name = serializers.CharField(allow_blank=True)
    golden_set = serializers.CharField(source="golden_set.ref")
    set_version = serializers.IntegerField()
    configuration = serializers.JSONField()
    config_hash = serializers.CharField()
    state = serializers.ChoiceField(Run.State.choices)
    problem = serializers.CharField(allow_blank=True, help_text="A stable code, blank while nothing is wrong.")
    done = serializers.IntegerField()
    total = serializers.IntegerField()
    seed = serializers.IntegerField()
    summary = serializers.JSONField()
    created_at = serializers.DateTimeField()
    started_at = serializers.DateTimeField(allow_null=True)
    finished_at = serializers.DateTimeField(allow_null=True)


class RunsQuerySerializer(serializers.Serializer[Any]):
    golden_set = serializers.CharField(required=False, max_length=24)
    state = serializers.ChoiceField(Run.State.choices, required=False)


class NewRunSerializer(serializers.Serializer[Any]):
    """Without `collections` every collection that the key sees and that is not private is searched."""

    golden_set = serializers.CharField(max_length=24)
    configuration = serializers.DictField(required=False, help_text="What differs from the live one, such as k.")
    collections = serializers.ListField(child=serializers.CharField(max_length=24), required=False, max_length=200)
    name = serializers.CharField(required=False, allow_blank=True, max_length=120)
    seed = serializers.IntegerField(default=1, min_value=0, max_value=2**31 - 1)


class RunResultSerializer(serializers.Serializer[Any]):
    question = serializers.CharField(source="question.key")
    text = serializers.CharField(source="question.text")
    outcome = serializers.CharField()
    verdict = serializers.CharField(allow_blank=True)
    reason = serializers.CharField(allow_blank=True)
    lost_at = serializers.CharField(allow_blank=True, help_text="The stage that lost the gold passage.")
    figures = serializers.DictField(child=serializers.FloatField())
    total_ms = serializers.FloatField()


class ComparisonQuerySerializer(serializers.Serializer[Any]):
    baseline = serializers.CharField(max_length=24, help_text="A run's ref.")
    candidate = serializers.CharField(max_length=24, help_text="A run's ref.")


class DifferenceSerializer(serializers.Serializer[Any]):
    """`change` is candidate minus baseline with its 95 % interval; `p` is adjusted over all metrics."""

    metric = serializers.CharField()
    questions = serializers.IntegerField()
    baseline = serializers.FloatField()
    candidate = serializers.FloatField()
    change = serializers.FloatField()
    low = serializers.FloatField()
    high = serializers.FloatField()
    p = serializers.FloatField()
    call = serializers.ChoiceField(("better", "worse", "no evidence"))


class ComparisonSerializer(serializers.Serializer[Any]):
    baseline = serializers.CharField()
    candidate = serializers.CharField()
    baseline_name = serializers.CharField(allow_blank=True)
    candidate_name = serializers.CharField(allow_blank=True)
    verdict = serializers.ChoiceField(("better", "worse", "mixed", "no evidence"))
    questions = serializers.IntegerField(help_text="How many both runs have, as far as the key sees them.")
    differences = DifferenceSerializer(many=True)
    better = serializers.ListField(child=serializers.CharField(), help_text="Ids of questions that got better.")
    worse = serializers.ListField(child=serializers.CharField())


class FeedbackSerializer(serializers.Serializer[Any]):
    ref = serializers.CharField()
    answer = serializers.CharField(source="answer_ref")
    question = serializers.CharField(source="question_text")
    kind = serializers.ChoiceField(Feedback.Kind.choices)
    reason = serializers.ChoiceField(Feedback.Reason.choices, allow_blank=True)
    comment = serializers.CharField(allow_blank=True)
    state = serializers.ChoiceField(Feedback.State.choices)
    created_at = serializers.DateTimeField()


class NewFeedbackSerializer(serializers.Serializer[Any]):
    """`passage` is a citation's number; `quote` the right words in it, or in the named `document`."""

    kind = serializers.ChoiceField(Feedback.Kind.choices)
    reason = serializers.ChoiceField([one for one in Feedback.Reason.choices if one[0]], required=False)
    comment = serializers.CharField(required=False, allow_blank=True, max_length=1000)
    passage = serializers.IntegerField(required=False, min_value=1, max_value=99_999)
    quote = serializers.CharField(required=False, allow_blank=True, max_length=1000)
    document = serializers.CharField(required=False, allow_blank=True, max_length=255)


class FeedbackQuerySerializer(serializers.Serializer[Any]):
    state = serializers.ChoiceField(Feedback.State.choices, required=False)
    kind = serializers.ChoiceField(Feedback.Kind.choices, required=False)


class SettleSerializer(serializers.Serializer[Any]):
    """`take` makes a draft of it in the named set, or in the set for feedback; `dismiss` puts it aside."""

    do = serializers.ChoiceField(("take", "dismiss"))
    golden_set = serializers.CharField(required=False, max_length=24)
