"""The answers that may be given again: the rows."""

from __future__ import annotations

from typing import ClassVar

from django.contrib.postgres.fields import ArrayField
from django.db import models
from pgvector.django import HalfVectorField

from portal.models import Workspace
from portal.tenant import TenantModel, Visibility


class CachedAnswer(TenantModel):
    """What was quoted for a question, by places alone, until `expires_at` or a change in what was searched.

    The one place that keeps a question's vector. No words: `exact` and `terms` are keyed hashes (answers/rules/same.py),
    `evidence` are chunk ids with their scores, `quotes` are [passage number, start, end, kind]. Seen by every member who
    sees all of `collection_ids`, which are the searched ones that held something, with the `epochs` they had.
    """

    visibility: ClassVar[Visibility] = "workspace"
    workspace = models.ForeignKey(Workspace, models.CASCADE)
    space = models.CharField(max_length=64)
    exact = models.CharField(max_length=64)
    terms = ArrayField(models.BigIntegerField())
    vector = HalfVectorField()
    collection_ids = ArrayField(models.BigIntegerField())
    epochs = ArrayField(models.BigIntegerField())
    evidence = models.JSONField()
    quotes = models.JSONField()
    disagreeing = models.JSONField(default=list)
    confidence = models.FloatField(default=0)
    searched_chunks = models.PositiveIntegerField(default=0)
    created_at = models.DateTimeField()
    expires_at = models.DateTimeField()

    class Meta:
        indexes = [models.Index(fields=["workspace", "exact", "-created_at"], name="cached_answer_look")]

    def __str__(self) -> str:
        return f"cached answer {self.pk}"


class AnswerOptions(TenantModel):
    """How a workspace answers; one without a row has the defaults. `gives_again` switches the cache."""

    visibility: ClassVar[Visibility] = "workspace"
    workspace = models.OneToOneField(Workspace, models.CASCADE)
    gives_again = models.BooleanField(default=True, verbose_name="give an earlier answer again")

    class Meta:
        verbose_name = "answer options"
        verbose_name_plural = "answer options"

    def __str__(self) -> str:
        return f"answer options of workspace {self.workspace_id}"
