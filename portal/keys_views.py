"""The Keys page: a person's keys of this workspace, made, replaced, ended. A secret is shown once."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta
from typing import Any

from django.contrib import messages
from django.http import HttpResponse, HttpResponseBase, QueryDict
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.debug import sensitive_variables
from django.views.decorators.http import require_http_methods, require_POST

from portal.keys import SCOPES, find_key, keys_of, make_key
from portal.keys import revoke as end
from portal.keys import rotate as replace
from portal.pages import MemberRequest, chosen_ids, collections_of, member_page
from portal.problems import UserProblem, words_for
from portal.scope import Scope, principal

MEANS: Mapping[str, str] = {
    "read": "look at documents, search",
    "ask": "ask questions",
    "ingest": "add, change and delete documents",
    "admin": "golden sets, runs, webhooks, audit, usage",
}
DAYS = (("30", "30 days"), ("90", "90 days"), ("365", "a year"), ("", "no end"))
OVERLAPS = (
    ("0", "ends at once"),
    ("60", "works an hour more"),
    ("1440", "works a day more"),
    ("10080", "works a week more"),
)


@require_http_methods(["GET", "HEAD", "POST"])
@member_page
@sensitive_variables("made")
def keys(request: MemberRequest) -> HttpResponseBase:
    if request.method != "POST":
        return _page(request)
    try:
        _, made = make_key(request.scope, **_wanted(request))
    except UserProblem as problem:
        return _page(request, error=words_for(problem.code).title, status=422)
    return _page(request, made=made)


def _wanted(request: MemberRequest) -> dict[str, Any]:
    """The form as make_key takes it. Raises UserProblem for what no key could be made of."""
    sent = request.POST
    name, days, refs = " ".join(sent.get("name", "").split()), sent.get("days", ""), sent.getlist("collection")
    if not name:
        raise UserProblem("portal.key_name")
    if days not in dict(DAYS):
        raise UserProblem("portal.invalid")
    chosen = chosen_ids(request.scope, refs) if refs else None
    if refs and not chosen:
        raise UserProblem("portal.key_collections")
    ends_at = timezone.now() + timedelta(days=int(days)) if days else None
    return {"name": name, "scopes": sent.getlist("scope"), "expires_at": ends_at, "collection_ids": chosen}


@require_POST
@member_page
@sensitive_variables("made")
def rotate(request: MemberRequest, ref: str) -> HttpResponseBase:
    overlap = request.POST.get("overlap", "")
    if overlap not in dict(OVERLAPS):
        raise UserProblem("portal.invalid")
    made = replace(request.scope, ref, overlap_minutes=int(overlap))
    return _page(request, made=made)


@require_http_methods(["GET", "HEAD", "POST"])
@member_page
def revoke(request: MemberRequest, ref: str) -> HttpResponseBase:
    held = find_key(request.scope, ref)
    if held is None:
        raise UserProblem("portal.not_found")
    if request.method == "POST":
        end(request.scope, ref)
        messages.success(request, f"{held.name} opens nothing from now on.")
        return redirect("keys")
    confirmation = {
        "title": f"Revoke {held.name}?",
        "what_happens": "Every program that uses this key is refused from its next request on. This cannot be undone.",
        "what_stays": "What was uploaded or asked with it stays.",
        "submit_label": "Revoke the key",
        "cancel_url": "/keys/",
        "nav": "keys",
    }
    return render(request, "confirm.html", {"confirmation": confirmation})


def _page(request: MemberRequest, *, made: str = "", error: str = "", status: int = 200) -> HttpResponse:
    scope: Scope = request.scope
    every = keys_of(scope)
    with principal(scope):
        choices = [(row.ref, row.name) for row in collections_of(scope)]
    sent = request.POST if error else QueryDict("scope=read&scope=ask")
    chosen = sent.getlist("scope")
    context = {
        "made": made,
        "error": error,
        "keys": [key for key in every if not key.is_over],
        "ended": [key for key in every if key.is_over][:20],
        "scopes": [(name, MEANS[name], name in chosen) for name in SCOPES],
        "collections": choices,
        "days": DAYS,
        "overlaps": OVERLAPS,
        "name": sent.get("name", ""),
        "now": timezone.now(),
    }
    return render(request, "keys.html", context, status=status)
