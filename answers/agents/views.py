"""The protocol's door, /mcp: who may come in, with what, before anything of it is loaded or read."""

from __future__ import annotations

import json
from http import HTTPStatus
from typing import Any, Final
from urllib.parse import urlsplit

from django.conf import settings
from django.core.exceptions import RequestDataTooBig
from django.db import OperationalError
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.views.decorators.csrf import csrf_exempt
from rest_framework.exceptions import AuthenticationFailed

from answers.agents.tools import Caller
from answers.streaming import in_thread
from portal.access import KeyAuthentication
from portal.events import Log
from portal.problems import problem_document
from portal.scope import Scope

log = Log("answers.agents")
INTERNAL_ERROR: Final = -32603


@csrf_exempt
async def mcp(request: HttpRequest) -> HttpResponse:
    """One message. The key is looked up for each, a session's cookie is not looked at."""
    if not _is_own_origin(request):
        return _refused("portal.foreign_origin")
    try:
        scope = await in_thread(_scope, request)
    except AuthenticationFailed as failure:
        return _no_key(str(failure.detail))
    except OperationalError:
        log.failure("agents.database_down")
        return _refused("portal.database_down")
    if scope is None:
        return _no_key("Send the key as: Authorization: Bearer fn_…")
    if request.method != "POST":
        return _refused("portal.method", Allow="POST")
    try:
        body = request.body
    except RequestDataTooBig:
        return _refused("portal.too_large")
    return await _answered(request, Caller(scope, f"{request.scheme}://{request.get_host()}"), body)


async def _answered(request: HttpRequest, caller: Caller, body: bytes) -> HttpResponse:
    from answers.agents.server import answer  # the protocol's library: with the first message, not at start

    headers = [(name.lower().encode("latin-1"), value.encode("latin-1")) for name, value in request.headers.items()]
    reply = await answer(caller, [pair for pair in headers if pair[0] != b"authorization"], body)
    response = HttpResponse(bytes(reply.body), status=reply.status, content_type=reply.content_type)
    if reply.allow:
        response.headers["Allow"] = reply.allow
    if _is_our_fault(reply.status, bytes(reply.body)):
        log.error("agents.broken", status=reply.status)
    return response


def _scope(request: HttpRequest) -> Scope | None:
    """What the presented key sees now. Raises AuthenticationFailed for one that opens nothing."""
    found = KeyAuthentication().authenticate(request)
    return None if found is None else found[0].scope


def _is_own_origin(request: HttpRequest) -> bool:
    """A browser says where the page is from that sends this; a page of somebody else's may not (DNS rebinding).

    The Host itself is held against ALLOWED_HOSTS by get_host().
    """
    here, origin = request.get_host(), request.headers.get("Origin")
    if origin is None:
        return True
    return origin in settings.CSRF_TRUSTED_ORIGINS or (
        urlsplit(origin).scheme in ("http", "https") and urlsplit(origin).netloc == here
    )


def _is_our_fault(status: int, body: bytes) -> bool:
    if status >= HTTPStatus.INTERNAL_SERVER_ERROR:
        return True
    told: Any = json.loads(body) if body.startswith(b"{") else {}
    return bool(told.get("error", {}).get("code") == INTERNAL_ERROR)


def _no_key(detail: str) -> HttpResponse:
    return _refused("portal.no_key", detail, **{"WWW-Authenticate": "Bearer"})


def _refused(code: str, detail: str = "", **headers: str) -> HttpResponse:
    body = problem_document(code, detail)
    return JsonResponse(body, status=body["status"], headers=headers, content_type="application/problem+json")
