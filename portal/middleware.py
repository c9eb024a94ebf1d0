"""What every request passes: headers, the account and its scope, and problems turned into pages."""

from __future__ import annotations

from collections.abc import Callable
from typing import cast

from django.contrib.auth.middleware import AuthenticationMiddleware
from django.core.handlers.asgi import ASGIRequest
from django.db import OperationalError
from django.http import HttpRequest, HttpResponse, HttpResponseBase, HttpResponsePermanentRedirect
from django.middleware.common import CommonMiddleware
from django.utils.functional import SimpleLazyObject

from portal.access import scope_of_session
from portal.events import Log
from portal.problems import SystemProblem, UserProblem
from portal.scope import principal

log = Log("portal.web")
CSP = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; connect-src 'self'; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'; manifest-src 'self'"
)
GetResponse = Callable[[HttpRequest], HttpResponseBase]


def security_headers(get_response: GetResponse) -> GetResponse:
    """A strict CSP on every response that did not set a stricter one, and no caching of what a person saw."""

    def middleware(request: HttpRequest) -> HttpResponseBase:
        response = get_response(request)
        response.headers.setdefault("Content-Security-Policy", CSP)
        response.headers.setdefault(
            "Permissions-Policy", "camera=(), microphone=(), geolocation=(), interest-cohort=()"
        )
        response.headers.setdefault("Cross-Origin-Resource-Policy", "same-origin")
        if "Cache-Control" not in response.headers:
            response.headers["Cache-Control"] = "private, no-store"
        return response

    return middleware


class Moved(HttpResponsePermanentRedirect):
    """Unlike 301 it keeps the method and the body: a program that left out the last slash still asks what it asked."""

    status_code = 308


class Slashes(CommonMiddleware):
    response_redirect_class = Moved


class AccountMiddleware(AuthenticationMiddleware):
    """request.user and request.scope, both read at first use. The admin's lists are lazy, so its scope is held to the end."""

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        self.process_request(request)
        if isinstance(request, ASGIRequest):
            # It keeps the scheme in an attribute of the name that ours takes.
            scheme = str(request.scope.get("scheme") or "http")
            request._get_scheme = lambda: scheme  # type: ignore[attr-defined]
        request.scope = SimpleLazyObject(lambda: scope_of_session(request))  # type: ignore[attr-defined]
        if not request.path.startswith("/admin/") or not request.user.is_authenticated:
            return cast("HttpResponseBase", self.get_response(request))
        scope = scope_of_session(request)
        if scope is None:
            return _no_membership(request)
        request.scope = scope  # type: ignore[attr-defined]
        request.without_shell = True  # type: ignore[attr-defined]
        with principal(scope):
            return cast("HttpResponseBase", self.get_response(request))


def _no_membership(request: HttpRequest) -> HttpResponse:
    from portal.views import problem_page

    return problem_page(request, "portal.no_membership")


class ProblemMiddleware:
    """Problems that a view let through become their page, in words."""

    def __init__(self, get_response: GetResponse) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        return self.get_response(request)

    def process_exception(self, request: HttpRequest, error: Exception) -> HttpResponse | None:
        from portal.views import problem_page

        if isinstance(error, UserProblem | SystemProblem):
            wait_s = error.retry_after_s if isinstance(error, UserProblem) else 0
            return problem_page(request, error.code, error.detail, retry_after_s=wait_s)
        if isinstance(error, OperationalError):
            log.failure("web.database_down")
            return problem_page(request, "portal.database_down")
        return None
