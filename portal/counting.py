"""How often something happened within the last minute, counted for all processes together in the broker's memory.

Exact: never more than `limit` within any 60 seconds, wherever they begin. What is refused is not counted, so whoever waits as
long as they are told gets in. Without a broker each process counts by itself (ADR 0011); keys name ids and keyed
hashes, never an address or an e-mail.
"""

from __future__ import annotations

import functools
import math
import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar

from django.conf import settings

from portal.events import Log

log = Log("portal.counting")
T = TypeVar("T")
WINDOW_S = 60
PATIENCE_S = 0.25
PAUSE_S = 10.0
"""A broker that failed is not asked again for so long: a question must not pay its time-out each time."""
MOST_KEYS = 20_000

SCRIPT = """
local clock = redis.call('TIME')
local now = clock[1] * 1000 + math.floor(clock[2] / 1000)
local window = tonumber(ARGV[1])
local allowed, answer = 1, {}
for i, key in ipairs(KEYS) do
    local first = redis.call('LINDEX', key, 0)
    while first and tonumber(first) <= now - window do
        redis.call('LPOP', key)
        first = redis.call('LINDEX', key, 0)
    end
    local used = redis.call('LLEN', key)
    if used >= tonumber(ARGV[i + 1]) then allowed = 0 end
    answer[i] = {used, first and tonumber(first) + window - now or window}
end
if allowed == 1 then
    for _, key in ipairs(KEYS) do
        redis.call('RPUSH', key, now)
        redis.call('PEXPIRE', key, window)
    end
end
return {allowed, answer}
"""


@dataclass(frozen=True, slots=True)
class Allowance:
    """`key` may happen `limit` times a minute."""

    key: str
    limit: int


@dataclass(frozen=True, slots=True)
class Tally:
    """Where one allowance stands afterwards: `left` of its limit, and the whole seconds until one more is free."""

    left: int
    free_in_s: int


@dataclass(frozen=True, slots=True)
class Taken:
    """All allowances were taken from, or none."""

    is_allowed: bool
    tallies: tuple[Tally, ...]


class Counter(Protocol):
    def take(self, wanted: Sequence[Allowance]) -> Taken:
        """Count one in each, if each has one left."""
        ...

    def give_back(self, key: str) -> None:
        """Uncount the latest."""
        ...


def _taken(wanted: Sequence[Allowance], seen: Sequence[tuple[int, float]], *, is_allowed: bool) -> Taken:
    """`seen` are (used before, seconds until the oldest leaves the window)."""
    spent = int(is_allowed)
    tallies = tuple(
        Tally(max(one.limit - used - spent, 0), max(1, math.ceil(seconds)))
        for one, (used, seconds) in zip(wanted, seen, strict=True)
    )
    return Taken(is_allowed, tallies)


class OwnMemory:
    """This process alone. Thread-safe; at MOST_KEYS the longest unused are forgotten."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._times: dict[str, deque[float]] = {}

    def take(self, wanted: Sequence[Allowance]) -> Taken:
        with self._lock:
            now = self._clock()
            seen = [self._recent(one.key, now) for one in wanted]
            is_allowed = all(len(times) < one.limit for one, times in zip(wanted, seen, strict=True))
            found = [(len(times), times[0] + WINDOW_S - now if times else WINDOW_S) for times in seen]
            if is_allowed:
                for one, times in zip(wanted, seen, strict=True):
                    times.append(now)
                    self._times[one.key] = times
            return _taken(wanted, found, is_allowed=is_allowed)

    def give_back(self, key: str) -> None:
        with self._lock:
            if times := self._times.get(key):
                times.pop()

    def _recent(self, key: str, now: float) -> deque[float]:
        """The key's times within the window; it becomes the most recently used."""
        times = self._times.pop(key, deque())
        while times and times[0] <= now - WINDOW_S:
            times.popleft()
        while len(self._times) >= MOST_KEYS:
            del self._times[next(iter(self._times))]
        if times:
            self._times[key] = times
        return times


class Broker:
    """Every process together, one round trip for all allowances. Raises what the client raises when it is not there."""

    def __init__(self, url: str) -> None:
        import redis

        self._client: Any = redis.Redis.from_url(
            url.replace("valkey://", "redis://", 1), socket_connect_timeout=PATIENCE_S, socket_timeout=PATIENCE_S
        )
        self._script = self._client.register_script(SCRIPT)

    def take(self, wanted: Sequence[Allowance]) -> Taken:
        allowed, seen = self._script(
            keys=[f"footnote:limit:{one.key}" for one in wanted],
            args=[WINDOW_S * 1000, *(one.limit for one in wanted)],
        )
        return _taken(wanted, [(used, wait_ms / 1000) for used, wait_ms in seen], is_allowed=bool(allowed))

    def give_back(self, key: str) -> None:
        self._client.rpop(f"footnote:limit:{key}")


class Together:
    """The broker while it answers, else this process's own memory with the same limits."""

    def __init__(self, broker: Counter | None, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._broker = broker
        self._own = OwnMemory(clock)
        self._clock = clock
        self._asked_again_at = -math.inf

    def take(self, wanted: Sequence[Allowance]) -> Taken:
        return self._asking(lambda counter: counter.take(wanted))

    def give_back(self, key: str) -> None:
        self._asking(lambda counter: counter.give_back(key))

    def _asking(self, what: Callable[[Counter], T]) -> T:
        if self._broker is None or self._clock() < self._asked_again_at:
            return what(self._own)
        try:
            return what(self._broker)
        except Exception as error:  # noqa: BLE001 (the client's, the socket's, the server's: none may stop a question)
            self._asked_again_at = self._clock() + PAUSE_S
            log.warning("limits.broker_down", error=type(error).__name__)
            return what(self._own)


@functools.cache
def counter() -> Counter:
    """The process's counter. The client of the broker is loaded with the first use."""
    return Together(Broker(settings.BROKER_URL) if settings.BROKER_URL else None)
