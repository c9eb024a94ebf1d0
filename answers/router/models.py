"""Model providers that a workspace added, what was spent on them, its budget, and the breakers that all processes share."""

from __future__ import annotations

from typing import ClassVar

from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models

from portal.models import User, Workspace, new_ref
from portal.tenant import TenantModel, Visibility

SECONDS = [MinValueValidator(1), MaxValueValidator(600)]
NOT_NEGATIVE = [MinValueValidator(0)]


class ModelProvider(TenantModel):
    """An OpenAI-compatible endpoint, asked in order of `priority`. The key is kept sealed (answers.router.sealing)."""

    workspace = models.ForeignKey(Workspace, models.CASCADE)
    ref = models.CharField(max_length=24, unique=True, default=new_ref, editable=False)
    name = models.CharField(max_length=60)
    base_url = models.CharField("base URL", max_length=500, help_text="https://… up to and with /v1")
    model = models.CharField(max_length=120)
    sealed_key = models.BinaryField(default=b"", editable=False)
    priority = models.PositiveSmallIntegerField(default=1, help_text="1 is asked first")
    is_enabled = models.BooleanField("enabled", default=True)
    price_in_usd = models.FloatField(default=0, validators=NOT_NEGATIVE, help_text="per million tokens read")
    price_out_usd = models.FloatField(default=0, validators=NOT_NEGATIVE, help_text="per million tokens written")
    context_tokens = models.PositiveIntegerField(default=8192, validators=[MinValueValidator(1024)])
    max_output_tokens = models.PositiveIntegerField(
        default=600, validators=[MinValueValidator(16), MaxValueValidator(8192)]
    )
    connect_s = models.PositiveSmallIntegerField("seconds to connect", default=5, validators=SECONDS)
    first_s = models.PositiveSmallIntegerField("seconds to the first word", default=20, validators=SECONDS)
    idle_s = models.PositiveSmallIntegerField("seconds between words", default=15, validators=SECONDS)
    total_s = models.PositiveSmallIntegerField("seconds in all", default=90, validators=SECONDS)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        verbose_name = "model provider"
        constraints = [models.UniqueConstraint(fields=["workspace", "name"], name="provider_name_once")]

    def __str__(self) -> str:
        return self.name


class Budget(TenantModel):
    """What a workspace may spend on models in a calendar month (UTC), in US dollars; empty means no limit."""

    workspace = models.OneToOneField(Workspace, models.CASCADE)
    workspace_usd = models.FloatField("whole workspace", null=True, blank=True, validators=NOT_NEGATIVE)
    member_usd = models.FloatField("each member", null=True, blank=True, validators=NOT_NEGATIVE)

    class Meta:
        verbose_name = "model budget"

    def __str__(self) -> str:
        return "budget of the month"


class Spend(TenantModel):
    """One call of a model and its estimated cost. Kept when the question is deleted: it holds nothing of it."""

    visibility: ClassVar[Visibility] = "user"
    workspace = models.ForeignKey(Workspace, models.CASCADE)
    user = models.ForeignKey(User, models.CASCADE)
    provider = models.CharField(max_length=60)
    model = models.CharField(max_length=120)
    tokens_in = models.PositiveIntegerField(default=0)
    tokens_out = models.PositiveIntegerField(default=0)
    cost_usd = models.FloatField(default=0)
    at = models.DateTimeField(auto_now_add=True)

    def __str__(self) -> str:
        return f"spend {self.pk}"


class Breaker(models.Model):
    """The circuit breaker of one endpoint. Shared by every process; a row without a workspace is the operator's."""

    name = models.CharField(max_length=64, primary_key=True)
    workspace = models.ForeignKey(Workspace, models.CASCADE, null=True)
    failures = models.PositiveSmallIntegerField(default=0)
    trips = models.PositiveSmallIntegerField(default=0)
    open_until = models.DateTimeField(null=True)
    probing_until = models.DateTimeField(null=True)

    def __str__(self) -> str:
        return self.name
