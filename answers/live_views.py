"""The page of an answer on its way, its stream, and the ways to end it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import cast

from django.contrib.auth.views import redirect_to_login
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase, JsonResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_GET, require_POST

from answers import live
from answers.live_models import LiveAnswer
from answers.streaming import exists, in_thread, stream_of
from portal.pages import MemberRequest, member_page
from portal.problems import problem_document, words_for
from portal.scope import Scope

STAGES = {
    "validate": "Reading the question",
    "guard": "Reading the question",
    "fingerprint": "Reading the question",
    "rewrite": "Reading it with the questions before",
    "embed": "Searching by meaning",
    "search": "Searching your documents",
    "gates": "Looking at what was found",
    "write": "Writing",
    "audit": "Checking every sentence against its sources",
    "persist": "Keeping the answer",
    "record": "Keeping the answer",
}


@dataclass(frozen=True, slots=True)
class LivePage:
    """An answer that is being written, or that nobody writes any more: then `problem` says why."""

    ref: str
    question: str
    partial: str
    stage_label: str
    problem: str = ""
    previous: str = ""
    as_written: bool = False

    @property
    def is_running(self) -> bool:
        return not self.problem


def live_page(request: HttpRequest, row: LiveAnswer) -> HttpResponse:
    """For a row that is the person's own. Each stage's words go along, so that the script needs none of its own."""
    code = row.problem or ("answers.interrupted" if live.is_lost(row) else "")
    words = words_for(code)
    page = LivePage(
        row.ref,
        row.text,
        row.partial,
        STAGES.get(row.stage, "Reading the question"),
        f"{words.title} {words.advice}" if code else "",
        row.previous,
        row.as_written,
    )
    return render(request, "answer_live.html", {"live": page, "stages": STAGES})


@require_GET
async def stream(request: HttpRequest, ref: str) -> HttpResponseBase:
    """Server-sent events, for the signed-in person. A program has a stream of its own (answers/programs_ask.py)."""
    scope = await in_thread(_scope, request)
    if scope is None:
        return redirect_to_login(reverse("answer", args=[ref]), login_url=reverse("sign_in"))
    try:
        return await stream_of(request, scope, ref)
    except Http404:
        return JsonResponse(problem_document("portal.not_found"), status=404, content_type="application/problem+json")


def _scope(request: HttpRequest) -> Scope | None:
    """Read in one go and in one thread: the session, the person and what they see now."""
    return cast("Scope | None", request.scope or None)  # type: ignore[attr-defined]


@require_POST
@member_page
def stop(request: MemberRequest, ref: str) -> HttpResponseBase:
    """End it now; `leaving` comes as a beacon from a page that closes, and is void when the page comes back."""
    is_leaving = "leaving" in request.POST
    if not live.stop(request.scope, ref, is_leaving=is_leaving) and not exists(request.scope, ref):
        raise Http404
    if is_leaving:
        return HttpResponse(status=204)
    return redirect(reverse("answer", args=[ref]))
