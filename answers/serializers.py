"""Questions and their answers as programs get them."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

from answers.models import Answer, Citation


class NewQuestionSerializer(serializers.Serializer[Any]):
    """Without `collections` everything that the key sees is searched. What is no question is refused in words."""

    question = serializers.CharField(allow_blank=True, trim_whitespace=False, max_length=100_000)
    collections = serializers.ListField(child=serializers.CharField(max_length=24), required=False, max_length=200)
    previous = serializers.CharField(
        max_length=24,
        required=False,
        allow_blank=True,
        help_text="The ref of the question before, or of its answer: a follow-up is completed from that conversation.",
    )
    as_written = serializers.BooleanField(
        required=False, default=False, help_text="Ask the text as it stands, within the conversation."
    )


class QuoteSerializer(serializers.Serializer[Any]):
    text = serializers.CharField(allow_blank=True)
    citation = serializers.IntegerField(help_text="The number of the citation that it is quoted from.")
    support = serializers.CharField(
        allow_blank=True, help_text="As of a model's sentence; empty for answers kept before this was stored."
    )
    faults = serializers.ListField(child=serializers.CharField())


class CitationSerializer(serializers.Serializer[Any]):
    """A passage under the answer. A removed source keeps its number and nothing else."""

    number = serializers.IntegerField()
    role = serializers.ChoiceField(Citation.Role.choices)
    is_removed = serializers.BooleanField()
    document = serializers.CharField(allow_null=True, help_text="The document's ref.")
    url = serializers.CharField(allow_null=True, help_text="The passage on this Footnote's pages.")
    version = serializers.IntegerField(allow_null=True, help_text="The number of the version that was quoted.")
    is_live = serializers.BooleanField(help_text="False when a newer version has replaced the quoted one.")
    chunk = serializers.IntegerField()
    title = serializers.CharField(allow_blank=True)
    source_url = serializers.CharField(allow_blank=True)
    page = serializers.IntegerField(allow_null=True)
    heading_path = serializers.ListField(child=serializers.CharField())
    snippet = serializers.CharField(allow_blank=True)
    start = serializers.IntegerField(help_text="Character offset of the snippet in the version's text.")
    end = serializers.IntegerField()
    similarity = serializers.FloatField(allow_null=True)
    bm25 = serializers.FloatField(allow_null=True)
    fused = serializers.FloatField()


class SourcesSinceSerializer(serializers.Serializer[Any]):
    """What became of the cited passages since; all but `cited` are 0 while nothing changed."""

    cited = serializers.IntegerField()
    changed = serializers.IntegerField(help_text="A newer version replaced the quoted one.")
    disabled = serializers.IntegerField()
    removed = serializers.IntegerField(help_text="Deleted, or out of the key's sight.")


class SentenceSerializer(serializers.Serializer[Any]):
    """`text[start:end]` of a model's answer, and what the audit found of it."""

    start = serializers.IntegerField()
    end = serializers.IntegerField()
    support = serializers.ChoiceField(["supported", "partly", "not_supported"])
    faults = serializers.ListField(child=serializers.CharField())
    citations = serializers.ListField(child=serializers.IntegerField())


class AnswerSerializer(serializers.Serializer[Any]):
    """`text` is the whole answer with its [n] markers.

    Quotes stand in `quotes`, each with its citation; what a model wrote is audited sentence by sentence in `sentences`.
    """

    ref = serializers.CharField()
    outcome = serializers.ChoiceField(Answer.Outcome.choices)
    verdict = serializers.ChoiceField(Answer.Verdict.choices, allow_blank=True)
    reason = serializers.CharField(allow_blank=True, help_text="Why it was declined: a stable code.")
    text = serializers.CharField(allow_blank=True)
    quotes = QuoteSerializer(many=True)
    citations = CitationSerializer(many=True)
    sources_since = SourcesSinceSerializer()
    sentences = SentenceSerializer(many=True)
    mode = serializers.CharField(help_text="extractive or model")
    model = serializers.CharField(allow_blank=True)
    provider = serializers.CharField(allow_blank=True)
    prompt_version = serializers.CharField(allow_blank=True)
    tokens_in = serializers.IntegerField()
    tokens_out = serializers.IntegerField()
    cost_usd = serializers.FloatField(help_text="Estimated, from the price table.")
    first_token_ms = serializers.IntegerField(allow_null=True)
    removed_markers = serializers.IntegerField(help_text="Citations of passages that were never given.")
    searched_chunks = serializers.IntegerField()
    notes = serializers.ListField(child=serializers.CharField())
    unread_pages = serializers.IntegerField(
        help_text="Pages without text in the collections that it was drawn from: what it cannot know."
    )
    unread_documents = serializers.IntegerField(help_text="Documents there of which nothing could be read.")
    total_ms = serializers.IntegerField()
    created_at = serializers.DateTimeField()


class PastQuestionSerializer(serializers.Serializer[Any]):
    """A line of the history, with what it came to."""

    ref = serializers.CharField()
    question = serializers.CharField(source="text")
    conversation = serializers.SerializerMethodField(help_text="The ref of the first question of its turns.")
    language = serializers.CharField(allow_blank=True)
    asked_at = serializers.DateTimeField()
    outcome = serializers.SerializerMethodField()
    verdict = serializers.SerializerMethodField()
    is_stale = serializers.SerializerMethodField(help_text="A cited source was changed, disabled or removed since.")

    def get_conversation(self, question: Any) -> str:
        return str(question.conversation or question.ref)

    def get_is_stale(self, question: Any) -> bool:
        return bool(self.context.get("stale", {}).get(question.pk))

    def get_outcome(self, question: Any) -> str:
        return next((answer.outcome for answer in question.answers.all()), "")

    def get_verdict(self, question: Any) -> str:
        return next((answer.verdict for answer in question.answers.all()), "")


class QuestionSerializer(serializers.Serializer[Any]):
    """`question` stands alone; a follow-up that was completed has in `typed` what was sent."""

    ref = serializers.CharField()
    question = serializers.CharField()
    typed = serializers.CharField(allow_blank=True)
    completed_by = serializers.CharField(
        allow_blank=True, help_text="rules or model, where the question was completed."
    )
    conversation = serializers.CharField(help_text="The ref of the first question of its turns.")
    language = serializers.CharField(allow_blank=True)
    asked_at = serializers.DateTimeField()
    answer = AnswerSerializer()


class RankedSerializer(serializers.Serializer[Any]):
    chunk = serializers.IntegerField()
    rank = serializers.IntegerField()
    score = serializers.FloatField(allow_null=True)


class TracedStageSerializer(serializers.Serializer[Any]):
    """One step of the walk: how long it took, and where it placed each candidate."""

    name = serializers.CharField()
    ms = serializers.FloatField()
    note = serializers.CharField(allow_blank=True)
    candidates = RankedSerializer(many=True)


class TraceSerializer(serializers.Serializer[Any]):
    """Ids, ranks, scores and times; no text."""

    answer = serializers.CharField(help_text="The answer's ref.")
    stages = TracedStageSerializer(many=True)
    kept = serializers.ListField(child=serializers.IntegerField(), help_text="Chunks that the search kept, best first.")
    given = serializers.ListField(child=serializers.IntegerField(), help_text="Of these, what the writer got.")
    confidence = serializers.FloatField(allow_null=True, help_text="The gates', in [0, 1].")
    created_at = serializers.DateTimeField()


class UsageQuerySerializer(serializers.Serializer[Any]):
    days = serializers.IntegerField(default=30, min_value=1, max_value=366)


class UsageDaySerializer(serializers.Serializer[Any]):
    date = serializers.DateField()
    questions = serializers.IntegerField()
    answered = serializers.IntegerField()
    declined = serializers.IntegerField()


class UsageSerializer(serializers.Serializer[Any]):
    """Of what the key sees: its owner's own questions, and the documents of visible collections."""

    workspace_name = serializers.CharField()
    documents = serializers.IntegerField()
    passages = serializers.IntegerField()
    stored_bytes = serializers.IntegerField(help_text="Of every version that is kept.")
    questions = serializers.IntegerField(help_text="Asked in the span of `days`.")
    by_day = UsageDaySerializer(many=True)
