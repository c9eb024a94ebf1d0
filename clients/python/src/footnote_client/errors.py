"""What can go wrong, by class; each carries the problem's stable code and its words."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


class FootnoteError(Exception):
    """A problem document (RFC 9457). `code` is stable; `title` and `detail` are words for people.

    `retry_after_s` says when one more try is worth it, 0 when the server did not say.
    """

    def __init__(self, problem: Mapping[str, Any], *, retry_after_s: int = 0) -> None:
        self.status = int(problem.get("status") or 0)
        self.code = str(problem.get("code") or "")
        self.title = str(problem.get("title") or "")
        self.detail = str(problem.get("detail") or "")
        self.problem = dict(problem)
        self.retry_after_s = retry_after_s
        super().__init__(f"{self.title} {self.detail} ({self.code or self.status})".strip())


class Invalid(FootnoteError):
    """400, 413, 415, 422: what was sent cannot be taken. `errors` names fields."""

    @property
    def errors(self) -> Mapping[str, Any]:
        found = self.problem.get("errors")
        return found if isinstance(found, Mapping) else {}


class NoKey(FootnoteError):
    """401: the key is unknown, revoked or expired."""


class Forbidden(FootnoteError):
    """403: the key lacks the scope, or what was aimed at may be read and not changed."""


class NotFound(FootnoteError):
    """404: hidden, or never there."""


class Conflict(FootnoteError):
    """409: another state forbids it."""


class Changed(FootnoteError):
    """412: the thing is another by now."""


class RateLimited(FootnoteError):
    """429, after the retries."""


class ServerFault(FootnoteError):
    """5xx, after the retries."""


class Unreachable(FootnoteError):
    """No answer came: no connection, a time-out, or one that broke off."""

    def __init__(self, why: str) -> None:
        super().__init__({"title": "Footnote does not answer.", "detail": why, "code": "client.unreachable"})


class NeedsAttention(FootnoteError):
    """A document whose reading failed: `code` says why."""


class AnswerFailed(FootnoteError):
    """An answer that broke off while it was streamed."""


BY_STATUS: Mapping[int, type[FootnoteError]] = {
    401: NoKey,
    403: Forbidden,
    404: NotFound,
    409: Conflict,
    412: Changed,
    429: RateLimited,
}


def error_of(problem: Mapping[str, Any], status: int, retry_after_s: int) -> FootnoteError:
    """The exception for a failed request."""
    kind = BY_STATUS.get(status, ServerFault if status >= 500 else Invalid)
    return kind({"status": status, **problem}, retry_after_s=retry_after_s)
