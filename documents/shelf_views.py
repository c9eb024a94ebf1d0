"""Collections on pages: made, renamed, removed, opened to named members and closed to them again."""

from __future__ import annotations

from django.contrib import messages
from django.http import Http404, HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_POST

from documents.lifecycle_views import Confirmation
from portal import shelves
from portal.models import Collection
from portal.pages import MemberRequest, member_page
from portal.problems import UserProblem
from portal.scope import Scope, principal


@require_POST
@member_page
def make(request: MemberRequest) -> HttpResponseBase:
    kind = request.POST.get("kind", "")
    if kind not in (Collection.Kind.SHARED, Collection.Kind.GRANTED):
        raise UserProblem("portal.invalid")
    ref = shelves.make(request.scope, _name(request), kind=kind)
    messages.success(request, "The collection was made. Add documents to it in the Library.")
    return redirect("collection", ref)


@require_POST
@member_page
def rename(request: MemberRequest, ref: str) -> HttpResponseBase:
    name = _name(request)
    with principal(request.scope):
        shelves.rename(request.scope, _found(request.scope, ref), name)
    messages.success(request, "The name was saved.")
    return redirect("collection", ref)


@require_http_methods(["GET", "HEAD", "POST"])
@member_page
def remove(request: MemberRequest, ref: str) -> HttpResponseBase:
    scope = request.scope
    with principal(scope):
        place = _found(scope, ref)
        if not shelves.may_remove(scope, place):
            raise UserProblem("portal.owner_only")
        if request.method == "POST":
            shelves.remove(scope, place)
            messages.success(request, f"{place.name} was removed.")
            return redirect("library")
    confirmation = Confirmation(
        title=f"Remove {place.name}?",
        what_happens="The collection is gone at once. Only an empty one can be removed: move or delete its documents first.",
        what_stays="",
        submit_label="Remove the collection",
        cancel_url=reverse("collection", args=[ref]),
    )
    return render(request, "confirm.html", {"confirmation": confirmation})


@require_POST
@member_page
def let_in(request: MemberRequest, ref: str) -> HttpResponseBase:
    member = request.POST.get("member", "")
    if not (member.isascii() and member.isdigit() and len(member) < 19):
        raise UserProblem("portal.invalid")
    with principal(request.scope):
        place = _found(request.scope, ref)
        shelves.open_to(request.scope, place, int(member), may_edit=request.POST.get("may_edit") == "yes")
    messages.success(request, "The collection is open to them from now on.")
    return redirect("collection", ref)


@require_POST
@member_page
def let_out(request: MemberRequest, ref: str, grant_id: int) -> HttpResponseBase:
    with principal(request.scope):
        shelves.close_to(request.scope, _found(request.scope, ref), grant_id)
    messages.success(request, "The collection is closed to them from now on, and so is every answer from it.")
    return redirect("collection", ref)


def _name(request: MemberRequest) -> str:
    name = " ".join(request.POST.get("name", "").split())
    if not name or "\x00" in name:
        raise UserProblem("portal.collection_name")
    return name


def _found(scope: Scope, ref: str) -> Collection:
    place: Collection | None = Collection.objects.visible_to(scope).filter(ref=ref).first()
    if place is None:
        raise Http404
    return place
