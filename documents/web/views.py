"""Adding from a web address on the Library page: the form, and what became of the last ones."""

from __future__ import annotations

from dataclasses import dataclass

from django.contrib import messages
from django.http import HttpResponseBase
from django.shortcuts import redirect
from django.urls import reverse
from django.views.decorators.http import require_POST

from documents.models import Document, WebImport
from documents.web.line import ask_for, find_import, recent, try_again
from portal.pages import MemberRequest, member_page
from portal.problems import UserProblem, words_for
from portal.scope import Scope, principal
from portal.words import Words

DONE = {
    "accepted": "Taken",
    "duplicate": "Already here",
    "unchanged": "Not changed since",
    "archive": "Unpacked",
}


@dataclass(frozen=True, slots=True)
class FromTheWeb:
    """What _import_form.html shows beside the choice of collections."""

    rows: tuple[tuple[WebImport, Words | None, str, str], ...] = ()
    url: str = ""
    error: Words | None = None
    detail: str = ""


def from_the_web(scope: Scope, *, url: str = "", error: str = "", detail: str = "") -> FromTheWeb:
    """Needs an open principal; two queries."""
    rows = recent(scope)
    refs = [row.document_ref for row in rows if row.document_ref]
    there = set(
        Document.objects.visible_to(scope).filter(ref__in=refs, deleted_at__isnull=True).values_list("ref", flat=True)
    )
    return FromTheWeb(
        tuple(
            (
                row,
                words_for(row.problem) if row.problem else None,
                reverse("document", args=[row.document_ref]) if row.document_ref in there else "",
                _label(row),
            )
            for row in rows
        ),
        url,
        words_for(error) if error else None,
        detail,
    )


def _label(row: WebImport) -> str:
    if row.state != WebImport.State.DONE:
        return WebImport.State(row.state).label
    if row.outcome != WebImport.Outcome.ARCHIVE:
        return DONE[row.outcome]
    named = {"accepted": "taken", "duplicate": "already here", "refused": "not taken", "left_out": "left out"}
    return ", ".join(f"{row.counts[key]} {word}" for key, word in named.items() if row.counts.get(key)) or "Unpacked"


@require_POST
@member_page
def fetch(request: MemberRequest) -> HttpResponseBase:
    from documents.views import chosen_collection, library_again

    collection = chosen_collection(request.scope, request.POST.get("collection", ""))
    url = request.POST.get("url", "")
    try:
        ask_for(request.scope, collection, url)
    except UserProblem as problem:
        if not problem.code.startswith(("portal.url_", "documents.imports_")):
            raise
        with principal(request.scope):
            web = from_the_web(request.scope, url=url, error=problem.code, detail=problem.detail)
        return library_again(request, collection, status=words_for(problem.code).status, web=web)
    messages.success(request, "It is fetched in a moment; what became of it stands below.")
    return redirect(f"{reverse('library')}#from-the-web")


@require_POST
@member_page
def retry(request: MemberRequest, ref: str) -> HttpResponseBase:
    with principal(request.scope):
        found = find_import(request.scope, ref)
    try_again(request.scope, found)
    return redirect(f"{reverse('library')}#from-the-web")
