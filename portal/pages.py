"""What every page for members needs: the decorator that finds the scope, the frame around the page, collection choices."""

from __future__ import annotations

import functools
from collections.abc import Callable
from collections.abc import Collection as Group
from dataclasses import dataclass
from typing import Any, Concatenate, ParamSpec, cast

from django.contrib.auth.views import redirect_to_login
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.urls import reverse

from portal.access import seats_of
from portal.models import Collection, User
from portal.problems import UserProblem
from portal.scope import Scope, principal

P = ParamSpec("P")


class MemberRequest(HttpRequest):
    """A request whose signed-in person has a scope."""

    user: User
    scope: Scope


@dataclass(frozen=True, slots=True)
class Choice:
    """One of several to pick from."""

    ref: str
    name: str
    is_current: bool = False
    is_chosen: bool = True
    documents_label: str = ""


@dataclass(frozen=True, slots=True)
class Shell:
    """The signed-in frame."""

    workspace_name: str
    user_email: str
    choices: tuple[Choice, ...] = ()


def member_page(
    view: Callable[Concatenate[MemberRequest, P], HttpResponseBase],
) -> Callable[Concatenate[HttpRequest, P], HttpResponseBase]:
    """The view runs for a member with request.scope; others are sent to sign in, and htmx to a whole page of it."""

    @functools.wraps(view)
    def for_members(request: HttpRequest, *args: P.args, **kwargs: P.kwargs) -> HttpResponseBase:
        if not request.user.is_authenticated:
            return _to_sign_in(request)
        if not request.scope:  # type: ignore[attr-defined]
            raise UserProblem("portal.no_membership")
        return view(cast("MemberRequest", request), *args, **kwargs)

    return cast("Callable[Concatenate[HttpRequest, P], HttpResponseBase]", for_members)


def _to_sign_in(request: HttpRequest) -> HttpResponse:
    if request.headers.get("HX-Request"):
        return HttpResponse(status=204, headers={"HX-Redirect": f"{reverse('sign_in')}?next={reverse('ask')}"})
    # A POST cannot be repeated after signing in: the page that holds the form is where the draft is kept.
    target = request.get_full_path() if request.method in ("GET", "HEAD") else reverse("ask")
    return redirect_to_login(target, login_url=reverse("sign_in"))


def shell(request: HttpRequest) -> dict[str, Any]:
    """Context processor: the frame, for a signed-in member; nothing on signed-out pages or when the database is down."""
    user = getattr(request, "user", None)
    if user is None or getattr(request, "without_shell", False) or not user.is_authenticated:
        return {}
    scope: Scope | None = getattr(request, "scope", None)
    if not scope:
        return {}
    seats = seats_of(user.pk)
    current = next((seat for seat in seats if seat.workspace_id == scope.workspace_id), None)
    choices = tuple(
        Choice(seat.workspace_ref, seat.workspace_name, is_current=seat.workspace_id == scope.workspace_id)
        for seat in seats
    )
    return {"shell": Shell(current.workspace_name if current else "", user.email, choices if len(choices) > 1 else ())}


def wants_partial(request: HttpRequest) -> bool:
    """True for an htmx request that swaps a part of the page."""
    return bool(request.headers.get("HX-Request")) and not request.headers.get("HX-Boosted")


def collections_of(scope: Scope, *, writable: bool = False) -> list[Collection]:
    """The collections a scope sees (or may add to), shared first, then own, then granted. Needs an open principal."""
    order = {Collection.Kind.SHARED: 0, Collection.Kind.PRIVATE: 1, Collection.Kind.GRANTED: 2}
    rows = Collection.objects.visible_to(scope).order_by("id")
    kept = [row for row in rows if not writable or row.pk in scope.writable_ids]
    return sorted(kept, key=lambda row: (order[Collection.Kind(row.kind)], row.pk))


def chosen_ids(scope: Scope, refs: Group[str]) -> tuple[int, ...]:
    """The ids of those refs that the scope sees; refs of anything else are as if they had not been sent."""
    with principal(scope):
        return tuple(
            Collection.objects.visible_to(scope).filter(ref__in=list(refs)).order_by("id").values_list("pk", flat=True)
        )
