"""What stands before the typed API: the key, the method, its scope and the size, in this order; then ninja, loaded once.

A request without a good key loads nothing and learns nothing, not even which methods an address takes.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import Any, cast

from django.core.exceptions import RequestDataTooBig
from django.http import Http404, HttpRequest, HttpResponseBase
from django.http.request import UnreadablePostError
from django.views.decorators.csrf import csrf_exempt
from rest_framework.exceptions import AuthenticationFailed

from answers.streaming import in_thread
from answers.typed.refusals import refused
from portal.access import KeyAuthentication
from portal.problems import UserProblem
from portal.scope import Scope

View = Callable[..., Awaitable[HttpResponseBase]]


class ProgramRequest(HttpRequest):
    """A request that came through the door."""

    program: Scope


def door(name: str, needs: Mapping[str, str]) -> Any:
    """The view of the address that ninja knows by `name`; `needs` names the scope of each of its methods."""

    async def view(request: HttpRequest, **parts: Any) -> HttpResponseBase:
        try:
            allowed = admitted(request, await in_thread(scope_of, request), needs)
            read(request, parts)
            inner = await in_thread(loaded, name)
            return await inner(allowed, **parts)
        except Exception as error:  # noqa: BLE001 (the boundary: whatever it is, the client hears of it in its own form)
            response = refused(request, error)
            if isinstance(error, UserProblem) and error.code == "portal.method":
                response.headers["Allow"] = ", ".join(sorted(needs))
            return response

    return csrf_exempt(view)


def scope_of(request: HttpRequest) -> Scope:
    """Raises UserProblem portal.no_key. A session is never looked at."""
    try:
        found = KeyAuthentication().authenticate(request)
    except AuthenticationFailed as failed:
        raise UserProblem("portal.no_key", str(failed.detail)) from failed
    if found is None:
        raise UserProblem("portal.no_key")
    return found[0].scope


def admitted(request: HttpRequest, scope: Scope, needs: Mapping[str, str]) -> ProgramRequest:
    """Raises UserProblem portal.method or portal.key_scope. HEAD is answered as GET; the server leaves the body out."""
    if request.method == "HEAD" and "GET" in needs:
        request.method = "GET"
    needed = needs.get(request.method or "")
    if needed is None:
        raise UserProblem("portal.method")
    if needed not in scope.key_scopes:
        raise UserProblem("portal.key_scope", f"It needs the scope “{needed}”.")
    allowed = cast("ProgramRequest", request)
    allowed.program = scope
    return allowed


def read(request: HttpRequest, parts: Mapping[str, Any]) -> None:
    """Have the body in memory. Raises UserProblem portal.too_large, or portal.malformed for one that broke off.

    A NUL in the path is no name of anything: Http404.
    """
    if any("\x00" in str(part) for part in parts.values()):
        raise Http404
    try:
        _ = request.body
    except RequestDataTooBig as error:
        raise UserProblem("portal.too_large") from error
    except UnreadablePostError as error:
        raise UserProblem("portal.malformed") from error


def loaded(name: str) -> View:
    """Ninja's view of that name; the first call imports ninja and pydantic."""
    from answers.typed.routes import views

    return views()[name]
