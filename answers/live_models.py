"""Answers on their way, and texts that a model wrote: the rows."""

from __future__ import annotations

from typing import ClassVar

from django.contrib.postgres.fields import ArrayField
from django.db import models

from portal.models import User, Workspace, new_ref
from portal.tenant import TenantModel, Visibility


class LiveAnswer(TenantModel):
    """A question that is being answered, under the ref that its answer will have; gone once the answer is kept.

    `partial` is what was written so far, saved at least every 500 ms, so that any process can replay it and nothing is
    lost when one dies; blank as soon as one of `document_ids`, which the writer reads, is deleted. `watched_at` is when
    somebody last followed it; `saved_at` when its runner last said it lives.
    """

    class State(models.TextChoices):
        WAITING = "waiting"
        RUNNING = "running"
        FAILED = "failed"

    visibility: ClassVar[Visibility] = "user"
    workspace = models.ForeignKey(Workspace, models.DO_NOTHING)
    user = models.ForeignKey(User, models.DO_NOTHING)
    ref = models.CharField(max_length=24, unique=True, default=new_ref, editable=False)
    text = models.TextField()
    collection_ids = ArrayField(models.BigIntegerField(), default=list)
    is_chosen = models.BooleanField(default=False)
    previous = models.CharField(max_length=24, blank=True)
    as_written = models.BooleanField(default=False)
    document_ids = ArrayField(models.BigIntegerField(), default=list)
    state = models.CharField(max_length=8, choices=State.choices, default=State.WAITING)
    stage = models.CharField(max_length=20, blank=True)
    partial = models.TextField(blank=True)
    problem = models.CharField(max_length=60, blank=True)
    is_stopping = models.BooleanField(default=False)
    leaving_at = models.DateTimeField(null=True)
    watched_at = models.DateTimeField(auto_now_add=True)
    saved_at = models.DateTimeField(auto_now_add=True)
    created_at = models.DateTimeField(auto_now_add=True)

    def __str__(self) -> str:
        return f"live answer {self.ref}"


class WrittenText(TenantModel):
    """What a model wrote for an answer, after the audit, and the verdict on each sentence.

    Apart from the answer because it is only visible while its asker sees every collection that the model read from, and
    blanked when one of the documents is deleted. `sentences` are [start, end, support, [faults], [citation numbers]].
    """

    visibility: ClassVar[Visibility] = "user"
    workspace = models.ForeignKey(Workspace, models.DO_NOTHING)
    user = models.ForeignKey(User, models.DO_NOTHING)
    answer = models.OneToOneField("answers.Answer", models.DO_NOTHING, db_constraint=False, related_name="written")
    text = models.TextField()
    sentences = models.JSONField(default=list)
    collection_ids = ArrayField(models.BigIntegerField(), default=list)
    document_ids = ArrayField(models.BigIntegerField(), default=list)
    redacted = models.BooleanField(default=False)

    def __str__(self) -> str:
        return f"text of answer {self.answer_id}"
