"""One request and its retries, over the standard library. Redirects are not followed: a key goes to its own host alone."""

from __future__ import annotations

import http.client
import json
import random
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from email.message import Message
from typing import Any
from urllib.parse import quote, urlencode, urlsplit

from footnote_client.errors import FootnoteError, Unreachable, error_of

AGENT = "footnote-client/0.1"
TRY_AGAIN = frozenset({429, 502, 503, 504})
IN_USE = "portal.key_in_use"
BROKEN = (urllib.error.URLError, OSError, http.client.HTTPException)
Sleep = Callable[[float], None]


@dataclass(frozen=True, slots=True)
class Body:
    """`pieces()` makes the bytes anew for every try; `size` is their number."""

    content_type: str
    size: int
    pieces: Callable[[], Iterable[bytes]]


@dataclass(frozen=True, slots=True)
class Call:
    """`repeats` says that the request may be sent again: it changes nothing, or carries an Idempotency-Key."""

    method: str
    path: str
    query: Mapping[str, Any] = field(default_factory=dict)
    headers: Mapping[str, str] = field(default_factory=dict)
    body: Body | None = None
    repeats: bool = True


def of_json(data: Any) -> Body:
    content = json.dumps(data).encode()
    return Body("application/json", len(content), lambda: (content,))


class _Stay(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *args: Any, **kwargs: Any) -> None:
        return None


class Transport:
    """Sends calls to one portal with one key. Holds no connection, so threads may share it."""

    def __init__(
        self, url: str, key: str, *, timeout_s: float, retries: int, max_wait_s: float, sleep: Sleep = time.sleep
    ) -> None:
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise ValueError("url must be the portal's address: https://…")
        self.origin, self._prefix = f"{parts.scheme}://{parts.netloc}", parts.path.rstrip("/")
        self._key, self._timeout_s = key, timeout_s
        self._retries, self._max_wait_s, self._sleep = retries, max_wait_s, sleep
        self._opener = urllib.request.build_opener(_Stay())

    def __repr__(self) -> str:
        return f"Transport({self.origin})"

    def send(self, call: Call) -> Any:
        """The JSON of the answer; None when it has none. Raises FootnoteError."""

        def read() -> Any:
            with self._open(call) as response:
                content = response.read()
            return json.loads(content) if content else None

        return self._tried(read, call.repeats)

    def open(self, call: Call) -> Any:
        """The open response, for a stream. Raises FootnoteError."""
        return self._tried(lambda: self._open(call), call.repeats)

    def pages(self, call: Call) -> Iterator[Any]:
        """The rows of every page."""
        while True:
            page = self.send(call)
            yield from page["results"]
            if not page.get("next"):
                return
            after = urlsplit(page["next"])  # its host is as the server sees itself: only the place is taken from it
            call = Call("GET", f"{after.path}?{after.query}".removeprefix(self._prefix))

    def _open(self, call: Call) -> Any:
        address = f"{self.origin}{self._prefix}{quote(call.path, safe='/?&=%:')}"
        if chosen := {name: value for name, value in call.query.items() if value not in (None, "")}:
            address = f"{address}?{urlencode(chosen)}"
        request = urllib.request.Request(address, method=call.method, headers=dict(call.headers))  # noqa: S310 (checked)
        request.add_header("User-Agent", AGENT)
        request.add_unredirected_header("Authorization", f"Bearer {self._key}")
        if call.body is not None:
            request.data = iter(call.body.pieces())
            request.add_header("Content-Type", call.body.content_type)
            request.add_header("Content-Length", str(call.body.size))
        try:
            return self._opener.open(request, timeout=self._timeout_s)
        except urllib.error.HTTPError as error:
            with error:
                raise _problem(error.code, error.headers, error.read()) from None

    def _tried(self, act: Callable[[], Any], repeats: bool) -> Any:
        for attempt in range(self._retries + 1):
            is_last = attempt == self._retries or not repeats
            try:
                return act()
            except FootnoteError as error:
                wait_s = self._wait_s(attempt, error)
                if is_last or wait_s is None:
                    raise
            except BROKEN as error:
                if is_last:
                    raise Unreachable(type(error).__name__) from error
                wait_s = _backoff_s(attempt)
            self._sleep(wait_s)
        raise AssertionError("the last attempt returns or raises")

    def _wait_s(self, attempt: int, error: FootnoteError) -> float | None:
        """None when another try is of no use, or would wait for too long."""
        if error.status not in TRY_AGAIN and error.code != IN_USE:
            return None
        wait_s = float(error.retry_after_s) or _backoff_s(attempt)
        return wait_s if wait_s <= self._max_wait_s else None


def _backoff_s(attempt: int) -> float:
    return float(0.5 * 2**attempt * random.uniform(0.5, 1.0))  # noqa: S311 (spreads retries)


def _problem(status: int, headers: Message, content: bytes) -> FootnoteError:
    try:
        told = json.loads(content)
    except ValueError:
        told = {}
    after = headers.get("Retry-After", "")
    problem = told if isinstance(told, dict) and "code" in told else {"title": f"The server said {status}."}
    return error_of(problem, status, int(after) if after.isdigit() else 0)
