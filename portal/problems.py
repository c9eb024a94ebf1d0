"""A failure that a person can meet: raised as a code, told in the words of portal/words.py."""

from __future__ import annotations

from typing import Any

from portal.words import UNKNOWN, WORDS, Words


class UserProblem(Exception):
    """The asker can fix it. `code` names the words; `detail` fills in the particular (a file name, a limit), never content.

    `retry_after_s` is sent as Retry-After when waiting is what helps.
    """

    def __init__(self, code: str, detail: str = "", *, retry_after_s: int = 0) -> None:
        super().__init__(code)
        self.code = code
        self.detail = detail
        self.retry_after_s = retry_after_s


class SystemProblem(Exception):
    """We fix it. Carries a stable code as UserProblem does."""

    def __init__(self, code: str, detail: str = "") -> None:
        super().__init__(code)
        self.code = code
        self.detail = detail


BY_STATUS = {
    401: "portal.no_key",
    403: "portal.key_scope",
    405: "portal.method",
    406: "portal.not_acceptable",
    415: "portal.media_type",
    429: "portal.rate_limited",
}


def words_for(code: str) -> Words:
    return WORDS.get(code, UNKNOWN)


def problem_document(code: str, detail: str = "", **more: Any) -> dict[str, Any]:
    """RFC 9457 members for one code."""
    words = words_for(code)
    return {
        "type": f"urn:footnote:problem:{code}",
        "title": words.title,
        "status": words.status,
        "detail": detail or words.advice,
        "code": code,
        **more,
    }
