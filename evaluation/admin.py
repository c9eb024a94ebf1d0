"""Golden sets and runs in the admin: look, and start a run over chosen sets. Questions are reviewed on their own pages."""

from __future__ import annotations

from django.contrib import admin, messages
from django.db.models import QuerySet
from django.http import HttpRequest
from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString

from documents.models import EmbeddingModel
from evaluation import queue
from evaluation.configuration import Configuration
from evaluation.models import GoldenSet, Run
from evaluation.models_admin import EmbeddingModelAdmin
from portal.admin_site import ScopedAdmin, scope_of
from portal.problems import UserProblem, words_for

admin.site.register(EmbeddingModel, EmbeddingModelAdmin)


@admin.register(GoldenSet)
class GoldenSetAdmin(ScopedAdmin):
    list_display = ("name", "version", "page", "updated_at")
    search_fields = ("name",)
    fields = ("name", "description", "version", "ref", "page", "created_at", "updated_at")
    readonly_fields = fields
    actions = ("run_as_it_is_live",)

    @admin.display(description="Page")
    def page(self, golden_set: GoldenSet) -> SafeString:
        return format_html('<a href="{}">Open the set</a>', reverse("golden_set", args=[golden_set.ref]))

    @admin.action(description="Run with the live configuration", permissions=["view"])
    def run_as_it_is_live(self, request: HttpRequest, golden_sets: QuerySet[GoldenSet]) -> None:
        """In the name and the scope of whoever clicks it."""
        for golden_set in golden_sets:
            try:
                run = queue.start(scope_of(request), golden_set, Configuration(), name="from the admin")
            except UserProblem as trouble:
                words = words_for(trouble.code)
                self.message_user(request, f"{golden_set.name}: {words.title} {words.advice}", messages.WARNING)
                continue
            url = reverse("evaluation_run", args=[run.ref])
            said = format_html('{}: run started, <a href="{}">{} questions</a>.', golden_set.name, url, run.total)
            self.message_user(request, said, messages.SUCCESS)


@admin.register(Run)
class RunAdmin(ScopedAdmin):
    list_display = ("ref", "golden_set", "user", "state", "done", "total", "right", "page", "created_at")
    list_filter = ("state",)
    related = ("golden_set", "user")
    fields = (
        "ref", "page", "golden_set", "set_version", "user", "state", "problem", "done", "total", "configuration", "config_hash",
        "code_version", "embedding_model", "seed", "attempt", "created_at", "started_at", "finished_at",
    )  # fmt: skip
    readonly_fields = fields
    actions = ("stop",)

    @admin.display(description="Right")
    def right(self, run: Run) -> str:
        right = run.summary.get("means", {}).get("right")
        return "–" if right is None else f"{right:.0%}"

    @admin.display(description="Page")
    def page(self, run: Run) -> SafeString:
        return format_html('<a href="{}">Figures and pictures</a>', reverse("evaluation_run", args=[run.ref]))

    @admin.action(description="Stop", permissions=["view"])
    def stop(self, request: HttpRequest, runs: QuerySet[Run]) -> None:
        try:
            stopped = sum(queue.cancel(scope_of(request), run) for run in runs)
        except UserProblem as trouble:
            self.message_user(request, words_for(trouble.code).title, messages.WARNING)
            return
        self.message_user(request, f"{stopped} stopped; what was measured is kept.", messages.SUCCESS)
