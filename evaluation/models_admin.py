"""The page of the embedding models in the admin: how far each is, both compared, the switch and the way back, each one button."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from django.conf import settings
from django.contrib import messages
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.template.response import TemplateResponse
from django.urls import reverse
from django.utils.html import format_html
from django.utils.http import urlencode

from documents import model_page
from documents.model_switch import CannotSwitch, Progress
from documents.models import EmbeddingModel
from documents.wake import wake
from evaluation import shadow
from evaluation.configuration import Configuration
from evaluation.models import GoldenSet, Run
from portal.admin_site import ScopedAdmin, scope_of
from portal.problems import UserProblem, words_for
from portal.scope import Scope

OFFERED = "offered"
"""In place of a golden set's ref: the questions that their askers offered."""
COMPARISONS = 10


@dataclass(frozen=True, slots=True)
class Compared:
    """Two runs of one set, the live model's and the other's; `url` is empty until both are done."""

    name: str
    golden_set: str
    models: tuple[str, str]
    done: int
    total: int
    url: str


class EmbeddingModelAdmin(ScopedAdmin):
    """Of the installation, not of a workspace. `manage.py embedding_models` does the same, and removes what is retired."""

    list_display = ("name", "dims", "state", "live_until", "created_at")

    def get_queryset(self, request: HttpRequest) -> QuerySet[EmbeddingModel]:
        return EmbeddingModel.objects.order_by("id")

    def changelist_view(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:
        scope = scope_of(request)
        if request.method == "POST":
            self._act(request, scope)
            return redirect("admin:documents_embeddingmodel_changelist")
        return TemplateResponse(
            request, "admin/embedding_models.html", {**self.admin_site.each_context(request), **page_of(scope)}
        )

    def _act(self, request: HttpRequest, scope: Scope) -> None:
        """One of four buttons; what came of it is said above the table."""
        action, name = request.POST.get("action", ""), request.POST.get("model", "")[:120]
        try:
            if action == "start":
                queued = model_page.start(scope, name)
                self._say(request, f"Being filled beside the live model: {name}. Queued: {queued:,} documents.")
                wake()
            elif action in ("switch", "rollback"):
                chosen = name if action == "switch" else model_page.before()
                model_page.switch(scope, chosen, force=request.POST.get("force") == "1")
                self._say(request, f"Live now: {chosen}. The model before it stays filled: Roll back returns to it.")
                wake()
            elif action == "compare":
                self._compare(request, scope, name)
        except CannotSwitch as why:
            self.message_user(request, str(why), messages.WARNING)
        except UserProblem as trouble:
            words = words_for(trouble.code)
            self.message_user(request, f"{words.title} {trouble.detail or words.advice}", messages.WARNING)

    def _compare(self, request: HttpRequest, scope: Scope, name: str) -> None:
        chosen = request.POST.get("set", "")
        golden_set = (
            shadow.offered_set(scope)
            if chosen == OFFERED
            else GoldenSet.objects.visible_to(scope).filter(ref=chosen).first()
        )
        if golden_set is None:
            self.message_user(request, "Nobody has offered a question yet: choose a golden set.", messages.WARNING)
            return
        started = shadow.start(scope, golden_set, Configuration(embedding_model=name))
        said = format_html("Both models answer the {} questions of {} now.", started.live.total, golden_set.name)
        self._say(request, said)

    def _say(self, request: HttpRequest, words: str) -> None:
        self.message_user(request, words, messages.SUCCESS)


def page_of(scope: Scope) -> dict[str, Any]:
    """What the page shows, in the scope's open transaction."""
    models = model_page.progress(scope)
    return {
        "title": "Embedding models",
        "models": models,
        "startable": startable(models),
        "before": model_page.before(),
        "sets": GoldenSet.objects.visible_to(scope).filter(version__gt=0).order_by("name", "pk"),
        "offered": OFFERED,
        "comparisons": comparisons(scope),
    }


def startable(models: list[Progress]) -> str:
    """The model that the environment names to be filled next, "" when it is filled already or none is named."""
    following = str(settings.EMBEDDER_NEXT_MODEL)
    known = {model.name for model in models if model.state != EmbeddingModel.State.RETIRED}
    return "" if following in known else following


def comparisons(scope: Scope) -> list[Compared]:
    """The newest runs of a candidate model, each beside the live model's run of the same set that was started with it."""
    rows = Run.objects.visible_to(scope).filter(user_id=scope.user_id or 0, name__startswith=shadow.PREFIX)
    runs = list(rows.select_related("golden_set").order_by("-pk")[: 2 * COMPARISONS])
    found = []
    for candidate, live in pairwise(runs):
        if candidate.configuration.get("embedding_model") and live.configuration == {}:
            found.append(_compared(live, candidate))
    return found[:COMPARISONS]


def _compared(live: Run, candidate: Run) -> Compared:
    query = urlencode({"baseline": live.ref, "candidate": candidate.ref})
    is_over = live.state == candidate.state == Run.State.DONE
    return Compared(
        candidate.ref,
        candidate.golden_set.name,
        (live.embedding_model, candidate.embedding_model),
        live.done + candidate.done,
        live.total + candidate.total,
        f"{reverse('evaluation_compare')}?{query}" if is_over else "",
    )
