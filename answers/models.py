"""A member's questions, the answers they got, what those cited, and how the search placed each passage."""

from __future__ import annotations

from typing import ClassVar

from django.contrib.postgres.fields import ArrayField
from django.db import models

from answers.cached_models import AnswerOptions, CachedAnswer
from answers.live_models import LiveAnswer, WrittenText
from answers.router.models import Breaker, Budget, ModelProvider, Spend
from portal.models import User, Workspace, new_ref
from portal.tenant import TenantModel, Visibility

__all__ = [
    "Answer",
    "AnswerOptions",
    "Breaker",
    "Budget",
    "CachedAnswer",
    "Citation",
    "LiveAnswer",
    "ModelProvider",
    "Question",
    "Spend",
    "Trace",
    "WrittenText",
]


class Question(TenantModel):
    """The asker's own history. `text` stays here and goes nowhere else; everything else carries q_hash and q_len.

    A follow-up's `text` stands alone; `typed` is what was typed, "" where that is the same. `conversation` is the ref of the
    first question of its turns, "" in that one itself.
    """

    visibility: ClassVar[Visibility] = "user"
    workspace = models.ForeignKey(Workspace, models.DO_NOTHING)
    user = models.ForeignKey(User, models.DO_NOTHING)
    ref = models.CharField(max_length=24, unique=True, default=new_ref, editable=False)
    q_hash = models.CharField(max_length=64)
    q_len = models.PositiveIntegerField()
    text = models.TextField()
    language = models.CharField(max_length=8, blank=True)
    collection_ids = ArrayField(models.BigIntegerField(), default=list)
    conversation = models.CharField(max_length=24, blank=True)
    typed = models.TextField(blank=True)
    completed_by = models.CharField(max_length=8, blank=True)
    asked_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["workspace", "user", "id"], name="question_of_user"),
        ]
        indexes = [
            models.Index(fields=["user", "-id"], name="question_history"),
            models.Index(
                fields=["workspace", "user", "conversation"],
                condition=~models.Q(conversation=""),
                name="question_turns",
            ),
        ]

    def __str__(self) -> str:
        return f"question {self.ref}"


class Answer(TenantModel):
    """What was answered, or why it was declined, with the figures of the walk.

    An extractive answer keeps no text of its own: `quotes` are [citation number, start, end] in reading order, spans of
    that citation's `passage`, so that redacting a removed source redacts every answer that quoted it. `checks` are the audit's
    [support, [faults]] of each quote; those of a model's sentences are kept with its text.
    """

    class Outcome(models.TextChoices):
        ANSWERED = "answered"
        DECLINED = "declined"
        BLOCKED = "blocked"
        SMALL_TALK = "small_talk"
        STOPPED = "stopped"

    class Verdict(models.TextChoices):
        SUPPORTED = "supported", "Supported"
        PARTLY = "partly", "Partly supported"
        NOT_SUPPORTED = "not_supported", "Not supported"
        NOT_FOUND = "not_found", "Not found in your documents"

    visibility: ClassVar[Visibility] = "user"
    workspace = models.ForeignKey(Workspace, models.DO_NOTHING)
    user = models.ForeignKey(User, models.DO_NOTHING)
    question = models.ForeignKey(Question, models.DO_NOTHING, db_constraint=False, related_name="answers")
    ref = models.CharField(max_length=24, unique=True, default=new_ref, editable=False)
    outcome = models.CharField(max_length=10, choices=Outcome.choices)
    reason = models.CharField(max_length=60, blank=True)
    verdict = models.CharField(max_length=16, choices=Verdict.choices, blank=True)
    mode = models.CharField(max_length=16, default="extractive")
    text = models.TextField(blank=True)
    quotes = models.JSONField(default=list)
    checks = models.JSONField(default=list)
    model = models.CharField(max_length=120, blank=True)
    provider = models.CharField(max_length=60, blank=True)
    prompt_version = models.CharField(max_length=20, blank=True)
    tokens_in = models.PositiveIntegerField(default=0)
    tokens_out = models.PositiveIntegerField(default=0)
    cost_usd = models.FloatField(default=0)
    first_token_ms = models.PositiveIntegerField(null=True)
    config_hash = models.CharField(max_length=16, blank=True)
    removed_markers = models.PositiveSmallIntegerField(default=0)
    searched_chunks = models.PositiveIntegerField(default=0)
    notes = models.JSONField(default=list)
    total_ms = models.PositiveIntegerField(default=0)
    earlier_at = models.DateTimeField(null=True)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["workspace", "user", "id"], name="answer_of_user"),
        ]

    def __str__(self) -> str:
        return f"answer {self.ref}"


class Citation(TenantModel):
    """A passage under an answer: cited by it, or nearest to a declined question."""

    class Role(models.TextChoices):
        CITED = "cited"
        NEAREST = "nearest"

    visibility: ClassVar[Visibility] = "user"
    workspace = models.ForeignKey(Workspace, models.DO_NOTHING)
    user = models.ForeignKey(User, models.DO_NOTHING)
    answer = models.ForeignKey(Answer, models.DO_NOTHING, db_constraint=False, related_name="citations")
    role = models.CharField(max_length=8, choices=Role.choices, default=Role.CITED)
    number = models.PositiveSmallIntegerField()
    collection_id = models.BigIntegerField()
    document_id = models.BigIntegerField(db_index=True)
    version_id = models.BigIntegerField()
    chunk_id = models.BigIntegerField()
    title = models.CharField(max_length=500)
    source_url = models.CharField(max_length=2000, blank=True)
    page = models.PositiveIntegerField(null=True)
    heading_path = ArrayField(models.TextField(), default=list)
    passage = models.TextField()
    prefix = models.TextField(blank=True)
    kind = models.CharField(max_length=10, default="prose")
    start = models.PositiveIntegerField(db_column="start_at")
    end = models.PositiveIntegerField(db_column="end_at")
    similarity = models.FloatField(null=True)
    bm25 = models.FloatField(null=True)
    fused = models.FloatField(default=0)
    dense_rank = models.PositiveIntegerField(null=True)
    lexical_rank = models.PositiveIntegerField(null=True)
    redacted = models.BooleanField(default=False)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["answer", "role", "number"], name="citation_once")]

    def __str__(self) -> str:
        return f"citation {self.number} of answer {self.answer_id}"


class Trace(TenantModel):
    """Per stage the candidate ids with rank and score, and the time in ms. Holds no text."""

    visibility: ClassVar[Visibility] = "user"
    workspace = models.ForeignKey(Workspace, models.DO_NOTHING)
    user = models.ForeignKey(User, models.DO_NOTHING)
    answer = models.OneToOneField(Answer, models.DO_NOTHING, db_constraint=False, related_name="trace")
    stages = models.JSONField(default=list)
    created_at = models.DateTimeField(auto_now_add=True)

    def __str__(self) -> str:
        return f"trace of answer {self.answer_id}"
