"""Golden sets, runs over them, what each question came to, and what members think of answers (docs/evaluation.md)."""

from __future__ import annotations

from typing import Any, ClassVar

from django.contrib.postgres.fields import ArrayField
from django.db import models

from portal.models import User, Workspace, new_ref
from portal.scope import Scope
from portal.tenant import TenantModel, Visibility


class Shaded(TenantModel):
    """A row that shows only to those who see every one of its `collection_ids`."""

    class Meta:
        abstract = True

    @classmethod
    def seen_by(cls, scope: Scope) -> dict[str, Any]:
        return {"workspace_id": scope.workspace_id, "collection_ids__contained_by": list(scope.collection_ids)}


class GoldenSet(TenantModel):
    """A named set of questions; `version` is the newest, 0 while it holds drafts alone."""

    workspace = models.ForeignKey(Workspace, models.DO_NOTHING)
    ref = models.CharField(max_length=24, unique=True, default=new_ref, editable=False)
    name = models.CharField(max_length=120)
    description = models.CharField(max_length=500, blank=True)
    version = models.PositiveIntegerField(default=0)
    created_by = models.ForeignKey(User, models.SET_NULL, null=True)
    created_at = models.DateTimeField(auto_now_add=True)
    updated_at = models.DateTimeField(auto_now=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["workspace", "name"], name="golden_set_name_once"),
            models.UniqueConstraint(fields=["workspace", "id"], name="golden_set_in_workspace"),
        ]

    def __str__(self) -> str:
        return self.name


class GoldenQuestion(Shaded):
    """A question in the versions since_version ≤ v < until_version of its set; a draft has no since_version.

    `gold` is a list of {"document": name, "quote": str, "start": int, "end": int, "gain": float}, all but the first optional.
    """

    class Expects(models.TextChoices):
        ANSWER = "answer", "An answer"
        DECLINE = "decline", "Declining"
        OPEN = "open", "Nothing in particular"

    class Origin(models.TextChoices):
        IMPORT = "import", "Imported"
        HAND = "hand", "Written here"
        DRAFT = "draft", "Drafted from a document"
        FEEDBACK = "feedback", "From feedback"
        OFFER = "offer", "Offered by its asker"

    workspace = models.ForeignKey(Workspace, models.DO_NOTHING)
    golden_set = models.ForeignKey(GoldenSet, models.DO_NOTHING, db_constraint=False, related_name="questions")
    ref = models.CharField(max_length=24, unique=True, default=new_ref, editable=False)
    key = models.CharField(max_length=80)
    text = models.TextField()
    expects = models.CharField(max_length=8, choices=Expects.choices, default=Expects.ANSWER)
    answers = ArrayField(models.TextField(), default=list, blank=True)
    key_facts = ArrayField(models.TextField(), default=list, blank=True)
    gold = models.JSONField(default=list, blank=True)
    tags = ArrayField(models.CharField(max_length=40), default=list, blank=True)
    language = models.CharField(max_length=8, blank=True)
    weight = models.FloatField(default=1.0)
    origin = models.CharField(max_length=8, choices=Origin.choices, default=Origin.HAND)
    collection_ids = ArrayField(models.BigIntegerField(), default=list, blank=True)
    since_version = models.PositiveIntegerField(null=True)
    until_version = models.PositiveIntegerField(null=True)
    created_by = models.ForeignKey(User, models.SET_NULL, null=True)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["golden_set", "key"], condition=models.Q(until_version__isnull=True), name="golden_key_once"
            ),
            models.UniqueConstraint(fields=["workspace", "id"], name="golden_question_in_workspace"),
            models.CheckConstraint(condition=models.Q(weight__gt=0), name="golden_weight_positive"),
        ]

    def __str__(self) -> str:
        return f"golden question {self.key}"

    @property
    def is_draft(self) -> bool:
        return self.since_version is None


class Run(TenantModel):
    """One configuration over one version of a set, in its evaluator's scope. `(attempt, lease)` is the fence, as in IngestJob."""

    class State(models.TextChoices):
        QUEUED = "queued", "Waiting"
        RUNNING = "running", "Running"
        DONE = "done", "Done"
        FAILED = "failed", "Failed"
        CANCELLED = "cancelled", "Stopped"

    workspace = models.ForeignKey(Workspace, models.DO_NOTHING)
    user = models.ForeignKey(User, models.DO_NOTHING)
    golden_set = models.ForeignKey(GoldenSet, models.DO_NOTHING, db_constraint=False, related_name="runs")
    ref = models.CharField(max_length=24, unique=True, default=new_ref, editable=False)
    name = models.CharField(max_length=120, blank=True)
    set_version = models.PositiveIntegerField()
    configuration = models.JSONField(default=dict)
    config_hash = models.CharField(max_length=16)
    code_version = models.CharField(max_length=40)
    embedding_model = models.CharField(max_length=120, blank=True)
    collection_ids = ArrayField(models.BigIntegerField(), default=list)
    epochs = models.JSONField(default=dict)
    seed = models.PositiveIntegerField(default=1)
    state = models.CharField(max_length=10, choices=State.choices, default=State.QUEUED)
    total = models.PositiveIntegerField(default=0)
    done = models.PositiveIntegerField(default=0)
    attempt = models.PositiveIntegerField(default=0)
    crashes = models.PositiveSmallIntegerField(default=0)
    lease_until = models.DateTimeField(null=True)
    claimed_by = models.CharField(max_length=80, blank=True)
    problem = models.CharField(max_length=60, blank=True)
    summary = models.JSONField(default=dict)
    created_at = models.DateTimeField(auto_now_add=True)
    started_at = models.DateTimeField(null=True)
    finished_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["workspace", "user", "id"], name="run_of_evaluator")]
        indexes = [
            models.Index(fields=["id"], condition=models.Q(state__in=["queued", "running"]), name="run_queue"),
            models.Index(fields=["golden_set", "-id"], name="run_of_set"),
        ]

    def __str__(self) -> str:
        return f"run {self.ref}"

    @property
    def is_over(self) -> bool:
        return self.state in (self.State.DONE, self.State.FAILED, self.State.CANCELLED)


class Result(Shaded):
    """One question in one run: ids, offsets and figures, no text of any document."""

    workspace = models.ForeignKey(Workspace, models.DO_NOTHING)
    user = models.ForeignKey(User, models.DO_NOTHING)
    run = models.ForeignKey(Run, models.DO_NOTHING, db_constraint=False, related_name="results")
    question = models.ForeignKey(GoldenQuestion, models.DO_NOTHING, db_constraint=False, related_name="results")
    collection_ids = ArrayField(models.BigIntegerField(), default=list)
    outcome = models.CharField(max_length=10)
    reason = models.CharField(max_length=60, blank=True)
    verdict = models.CharField(max_length=16, blank=True)
    lost_at = models.CharField(max_length=40, blank=True)
    figures = models.JSONField(default=dict)
    trace = models.JSONField(default=dict)
    total_ms = models.FloatField(default=0)
    cost_usd = models.FloatField(default=0)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["run", "question"], name="result_once")]

    def __str__(self) -> str:
        return f"result {self.pk}"


class Feedback(Shaded):
    """What a member says about an answer, or a question they offer. Sending it shares the question with the editors."""

    class Kind(models.TextChoices):
        UP = "up", "Good answer"
        DOWN = "down", "Not right"
        OFFER = "offer", "Offered for golden sets"

    class Reason(models.TextChoices):
        NONE = "", "No reason given"
        WRONG = "wrong", "It says something else than the documents"
        INCOMPLETE = "incomplete", "Something is missing"
        MISSED = "missed", "The answer is in the documents, but was not found"
        OUTDATED = "outdated", "It quotes an old text"
        UNASKED = "unasked", "It should have said “not found”"

    class State(models.TextChoices):
        NEW = "new", "To be looked at"
        TAKEN = "taken", "Became a golden question"
        DISMISSED = "dismissed", "Put aside"

    workspace = models.ForeignKey(Workspace, models.DO_NOTHING)
    user = models.ForeignKey(User, models.DO_NOTHING)
    ref = models.CharField(max_length=24, unique=True, default=new_ref, editable=False)
    answer_ref = models.CharField(max_length=24)
    question_text = models.TextField()
    language = models.CharField(max_length=8, blank=True)
    outcome = models.CharField(max_length=10, blank=True)
    kind = models.CharField(max_length=5, choices=Kind.choices)
    reason = models.CharField(max_length=10, choices=Reason.choices, blank=True)
    comment = models.CharField(max_length=1000, blank=True)
    passages = models.JSONField(default=list)
    collection_ids = ArrayField(models.BigIntegerField(), default=list)
    state = models.CharField(max_length=9, choices=State.choices, default=State.NEW)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["user", "answer_ref"], name="feedback_once")]
        indexes = [models.Index(fields=["workspace", "state", "-id"], name="feedback_queue")]

    def __str__(self) -> str:
        return f"feedback {self.ref}"

    @classmethod
    def seen_by(cls, scope: Scope) -> dict[str, Any]:
        """Editors see every member's; a reader the own. The policy says the same."""
        seen = super().seen_by(scope)
        return seen if scope.role in ("owner", "editor") else {**seen, "user_id": scope.user_id}


class Consent(TenantModel):
    """While this row is there, each question of the member is offered for golden sets and shadow runs (sql/0004_consent.sql)."""

    visibility: ClassVar[Visibility] = "user"
    workspace = models.ForeignKey(Workspace, models.DO_NOTHING)
    user = models.ForeignKey(User, models.DO_NOTHING)
    given_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["workspace", "user"], name="consent_once")]

    def __str__(self) -> str:
        return f"consent {self.pk}"


class Judgement(TenantModel):
    """What a model as judge said of one answer, so that it is asked once. `key` is an HMAC of all that it read; no text is kept."""

    workspace = models.ForeignKey(Workspace, models.DO_NOTHING)
    key = models.BinaryField(max_length=32)
    verdict = models.CharField(max_length=8)
    model = models.CharField(max_length=120)
    prompt_version = models.CharField(max_length=16)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["workspace", "key"], name="judged_once")]

    def __str__(self) -> str:
        return f"judgement {self.pk}"
