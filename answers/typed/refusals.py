"""What goes wrong, as each kind of client reads it: problem documents under /api/, OpenAI's error objects under /v1/."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from django.db import OperationalError
from django.http import Http404, HttpRequest, HttpResponseBase, JsonResponse

from portal.events import Log
from portal.problems import SystemProblem, UserProblem, problem_document

log = Log("answers.typed")
OPENAI_CODES: Final[Mapping[str, str]] = {
    "portal.no_key": "invalid_api_key",
    "portal.rate_limited": "rate_limit_exceeded",
    "answers.no_such_model": "model_not_found",
}
"""The few codes that OpenAI's clients look for; every other one is our own."""


class BadParameter(UserProblem):
    """A request that is well formed and asks for what is not given. `param` names its place, as in messages.0.content."""

    def __init__(self, param: str, detail: str) -> None:
        super().__init__("answers.unsupported_parameter", detail)
        self.param = param


@dataclass(frozen=True, slots=True)
class Fault:
    """One field that is not as described."""

    place: str
    says: str


def refused(request: HttpRequest, error: Exception) -> HttpResponseBase:
    """The response for whatever was raised; what we do not know is logged without its message and told as our fault."""
    if isinstance(error, BadParameter):
        return problem(request, error.code, error.detail, param=error.param)
    if isinstance(error, UserProblem):
        return problem(request, error.code, error.detail, retry_after_s=error.retry_after_s)
    if isinstance(error, SystemProblem):
        log.warning("typed.problem", code=error.code)
        return problem(request, error.code)
    if isinstance(error, Http404):
        return problem(request, "portal.not_found")
    if isinstance(error, OperationalError):
        log.failure("typed.database_down")
        return problem(request, "portal.database_down")
    log.failure("typed.failed", error=type(error).__name__)
    return problem(request, "portal.failed")


def invalid(request: HttpRequest, faults: Sequence[Fault]) -> HttpResponseBase:
    """What was sent is not as the schema says: 400, with each place."""
    errors: dict[str, list[str]] = {}
    for fault in faults:
        errors.setdefault(fault.place or "body", []).append(fault.says)
    first = next(iter(errors), "")
    detail = f"{first}: {errors[first][0]}" if first else ""
    return problem(request, "portal.invalid", detail, status=400, param=first, errors=errors)


def problem(
    request: HttpRequest,
    code: str,
    detail: str = "",
    *,
    status: int = 0,
    param: str = "",
    retry_after_s: int = 0,
    errors: Mapping[str, Any] | None = None,
) -> HttpResponseBase:
    body = problem_document(code, detail, **({"errors": errors} if errors else {}))
    body["status"] = status = status or body["status"]
    if is_openai(request):
        status = 400 if status == 422 else status
        response = JsonResponse({"error": openai_error(code, detail, status, param=param)}, status=status)
    else:
        response = JsonResponse(body, status=status, content_type="application/problem+json")
    if retry_after_s:
        response.headers["Retry-After"] = str(retry_after_s)
    if status == 401:
        response.headers["WWW-Authenticate"] = "Bearer"
    return response


def is_openai(request: HttpRequest) -> bool:
    return request.path.startswith("/v1/")


def openai_error(code: str, detail: str, status: int, *, param: str = "") -> dict[str, Any]:
    words = problem_document(code, detail)
    kind = "server_error" if status >= 500 else "requests" if status == 429 else "invalid_request_error"
    return {
        "message": f"{words['title']} {words['detail']}".strip(),
        "type": kind,
        "param": param or None,
        "code": OPENAI_CODES.get(code, code),
    }
