"""Who may ask how often: a guest by address, a person, a program's key (docs/record.md).

`answers.ask` counts each question before anything else happens to it; a refusal is RateLimited, which pages and APIs turn
into 429 with Retry-After. `headers` adds RateLimit-* to whatever answers a request that was counted.
"""

from __future__ import annotations

import hashlib
import hmac
import ipaddress
from collections.abc import Callable
from contextvars import ContextVar
from dataclasses import dataclass

from django.conf import settings
from django.http import HttpRequest, HttpResponseBase

from portal.counting import WINDOW_S, Allowance, counter
from portal.events import Log
from portal.problems import UserProblem
from portal.scope import Scope

log = Log("portal.limits")
GetResponse = Callable[[HttpRequest], HttpResponseBase]


class RateLimited(UserProblem):
    """Too often. Nothing was kept or asked; `retry_after_s` later one more is free."""

    def __init__(self, retry_after_s: int) -> None:
        super().__init__("portal.rate_limited", retry_after_s=retry_after_s)


@dataclass(frozen=True, slots=True)
class Standing:
    """What the response says of the allowance that is nearest to its end."""

    limit: int
    left: int
    reset_s: int
    is_refused: bool = False


@dataclass(slots=True)
class _Call:
    """The request being answered; one object, so that threads which answer it see and tell the same."""

    address: str = ""
    standing: Standing | None = None


_call: ContextVar[_Call | None] = ContextVar("footnote_limited_call", default=None)
Admit = Callable[[Scope], None]


def admit_question(scope: Scope) -> None:
    """Count one question or search of the person, and of the key that asks for them. Raises RateLimited."""
    who = f"{scope.workspace_id}:{scope.user_id}"
    wanted = [Allowance(f"user:{who}", settings.LIMIT_USER)]
    if scope.api_key_id is not None:
        wanted.append(Allowance(f"key:{scope.api_key_id}", settings.LIMIT_PROGRAM))
    _admit(wanted)


def admit_guest(scope: Scope) -> None:
    """Count one question of somebody who did not sign in, by the address that the request came from."""
    del scope
    _admit([Allowance(_of_address("guest"), settings.LIMIT_GUEST)])


def admit_freely(scope: Scope) -> None:
    """Count nothing: for evaluation runs, which have a queue of their own."""
    del scope


def admit_sign_in() -> str:
    """Count one attempt of this address; returns the key for `forgive`, when it was right. Raises RateLimited."""
    key = _of_address("sign-in")
    _admit([Allowance(key, settings.LIMIT_SIGN_IN)])
    return key


def forgive(key: str) -> None:
    """A right password is no attempt: a whole office may sign in from one address at nine."""
    if settings.LIMIT_SIGN_IN:
        counter().give_back(key)


def _admit(wanted: list[Allowance]) -> None:
    counted = [one for one in wanted if one.limit]
    if not counted:
        return
    taken = counter().take(counted)
    pairs = list(zip(counted, taken.tallies, strict=True))
    nearest, tally = min(pairs, key=lambda pair: (pair[1].left, -pair[1].free_in_s))
    standing = Standing(nearest.limit, tally.left, tally.free_in_s, is_refused=not taken.is_allowed)
    if call := _call.get():
        call.standing = standing
    if not taken.is_allowed:
        log.info("limits.refused", by=nearest.key.partition(":")[0], retry_after_s=tally.free_in_s)
        raise RateLimited(tally.free_in_s)


def _of_address(what: str) -> str:
    """A key that does not tell the address; a household's /64 of IPv6 counts as one."""
    call = _call.get()
    network = network_of(call.address if call else "")
    digest = hmac.new(settings.SECRET_KEY.encode(), network.encode(), hashlib.sha256).hexdigest()[:24]
    return f"{what}:{digest}"


def network_of(address: str) -> str:
    try:
        parsed = ipaddress.ip_address(address)
    except ValueError:
        return ""
    if isinstance(parsed, ipaddress.IPv6Address):
        mapped = parsed.ipv4_mapped
        return str(mapped or ipaddress.ip_network((int(parsed), 64), strict=False))
    return str(parsed)


def headers(get_response: GetResponse) -> GetResponse:
    """Middleware: remembers where the request came from, and says on its response how much is left."""

    def middleware(request: HttpRequest) -> HttpResponseBase:
        call = _Call(request.META.get("REMOTE_ADDR") or "")
        mark = _call.set(call)
        try:
            response = get_response(request)
        finally:
            _call.reset(mark)
        if standing := call.standing:
            response.headers["RateLimit-Policy"] = f"{standing.limit};w={WINDOW_S}"
            response.headers["RateLimit-Limit"] = str(standing.limit)
            response.headers["RateLimit-Remaining"] = str(standing.left)
            response.headers["RateLimit-Reset"] = str(standing.reset_s)
            if standing.is_refused and response.status_code == 429:
                response.headers.setdefault("Retry-After", str(standing.reset_s))
        return response

    return middleware
