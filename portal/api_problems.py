"""Problem documents (RFC 9457) for what goes wrong in an API view. Apart from portal/problems.py: a worker needs no REST."""

from __future__ import annotations

from typing import Any

from django.core.exceptions import RequestDataTooBig, SuspiciousOperation
from django.db import OperationalError
from django.http import Http404
from django.http.request import UnreadablePostError
from rest_framework import exceptions
from rest_framework.response import Response
from rest_framework.views import exception_handler, set_rollback

from portal.events import Log
from portal.problems import BY_STATUS, SystemProblem, UserProblem, problem_document

log = Log("portal.api")


def drf_handler(error: Exception, context: dict[str, Any]) -> Response:
    """Problem documents for every API error; 404 is one text for what is hidden and what never was."""
    if isinstance(error, UserProblem | SystemProblem):
        set_rollback()
        body = problem_document(error.code, error.detail)
        wait_s = error.retry_after_s if isinstance(error, UserProblem) else 0
        headers = {"Retry-After": str(wait_s)} if wait_s else {}
        return Response(body, status=body["status"], headers=headers, content_type="application/problem+json")
    if isinstance(error, OperationalError):
        log.failure("api.database_down")
        return _told("portal.database_down")
    if isinstance(error, SuspiciousOperation | UnreadablePostError):
        set_rollback()
        return _told("portal.too_large" if isinstance(error, RequestDataTooBig) else "portal.malformed")
    response = exception_handler(error, context)
    if response is None:
        set_rollback()
        log.failure("api.failed", error=type(error).__name__)
        return Response(problem_document("portal.failed"), status=500, content_type="application/problem+json")
    if isinstance(error, Http404 | exceptions.NotFound):
        response.data = problem_document("portal.not_found")
    else:
        detail = response.data.get("detail", "") if isinstance(response.data, dict) else ""
        errors = {} if detail else {"errors": response.data}
        is_unread = isinstance(error, exceptions.ParseError)
        code = "portal.malformed" if is_unread else BY_STATUS.get(response.status_code, "portal.invalid")
        response.data = {**problem_document(code, str(detail), **errors), "status": response.status_code}
    response.content_type = "application/problem+json"
    return response


def _told(code: str) -> Response:
    body = problem_document(code)
    return Response(body, status=body["status"], content_type="application/problem+json")
