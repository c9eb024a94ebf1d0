"""One request to an OpenAI-compatible embeddings endpoint over kept-alive connections: http.client and nothing else.

For plain http, which is the local process or a neighbour in the same network. See docs/adr/0004-embedding-process.md
for why the `openai` SDK (17 MB in each process) is loaded for https providers alone.
"""

from __future__ import annotations

import base64
import binascii
import http.client
import json
import math
import queue
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, Protocol
from urllib.parse import urlsplit

from documents.embedding.vector import Vector, from_float32

Priority = Literal["question", "questions", "bulk"]
"""`question` is one that a person waits for, `questions` are many that nobody does (a run, a benchmark), `bulk` is passages: some
models read questions otherwise than passages, so the local process must know which a text is."""
Reason = Literal["unreachable", "busy", "failed", "refused", "text"]
"""`refused` is who asks (a wrong key, an unknown model), `text` is what was sent: another text may be taken."""

CONNECT_SECONDS = 2.0
MAX_RESPONSE_BYTES = 64 * 1024 * 1024
MAX_IDLE_CONNECTIONS = 8


class TransportFault(Exception):
    """One attempt failed. `detail` is words without any input; `retry_after_s` is the provider's own wish, if any."""

    def __init__(self, reason: Reason, detail: str, *, may_pass: bool, retry_after_s: float | None = None) -> None:
        super().__init__(detail)
        self.reason = reason
        self.detail = detail
        self.may_pass = may_pass
        self.retry_after_s = retry_after_s


class Transport(Protocol):
    def send(self, texts: Sequence[str], priority: Priority, *, read_s: float) -> list[Vector]:
        """One vector per text, in order. Raises TransportFault."""
        ...

    def close(self) -> None:
        """Close the idle connections."""
        ...


@dataclass(frozen=True, slots=True)
class _Reply:
    status: int
    body: bytes
    retry_after: str


class HttpTransport:
    """Thread-safe: each request borrows an idle connection or opens one, and gives it back when the reply is read."""

    def __init__(self, base_url: str, key: str, model: str) -> None:
        parts = urlsplit(base_url)
        self._host, self._port = parts.hostname or "127.0.0.1", parts.port or 80
        self._path = f"{parts.path.rstrip('/')}/embeddings"
        self._key = key
        self._model = model
        self._idle: queue.LifoQueue[http.client.HTTPConnection] = queue.LifoQueue(MAX_IDLE_CONNECTIONS)

    def send(self, texts: Sequence[str], priority: Priority, *, read_s: float) -> list[Vector]:
        document = {"model": self._model, "input": list(texts), "encoding_format": "base64"}
        # "replace": half a surrogate pair in a text must not make the whole batch impossible to send
        body = json.dumps(document, ensure_ascii=False).encode("utf-8", "replace")
        headers = {"Content-Type": "application/json", "X-Priority": priority}
        if self._key:
            headers["Authorization"] = f"Bearer {self._key}"
        reply = self._exchange(body, headers, read_s)
        if reply.status != 200:
            raise fault_of_status(reply.status, reply.retry_after)
        return read_vectors(reply.body, len(texts))

    def close(self) -> None:
        while True:
            try:
                self._idle.get_nowait().close()
            except queue.Empty:
                return

    def _exchange(self, body: bytes, headers: dict[str, str], read_s: float) -> _Reply:
        """A kept-alive connection may have been closed by the other side meanwhile: then once more on a new one."""
        try:
            connection = self._idle.get_nowait()
        except queue.Empty:
            return self._on(self._connect(), body, headers, read_s)
        try:
            return self._on(connection, body, headers, read_s)
        except TransportFault as fault:
            if not isinstance(fault.__cause__, http.client.RemoteDisconnected | ConnectionError):
                raise
            return self._on(self._connect(), body, headers, read_s)

    def _connect(self) -> http.client.HTTPConnection:
        connection = http.client.HTTPConnection(self._host, self._port, timeout=CONNECT_SECONDS)
        try:
            connection.connect()
        except OSError as error:
            raise TransportFault("unreachable", "no connection to the embedder", may_pass=True) from error
        return connection

    def _on(
        self, connection: http.client.HTTPConnection, body: bytes, headers: dict[str, str], read_s: float
    ) -> _Reply:
        try:
            reply = _request(connection, self._path, body, headers, time.monotonic() + read_s)
        except TimeoutError as error:
            connection.close()
            raise TransportFault("unreachable", f"no reply within {read_s:g} s", may_pass=True) from error
        except (OSError, http.client.HTTPException) as error:
            connection.close()
            raise TransportFault("unreachable", "the connection was cut", may_pass=True) from error
        except TransportFault:
            connection.close()
            raise
        self._give_back(connection)
        return reply

    def _give_back(self, connection: http.client.HTTPConnection) -> None:
        if connection.sock is None:  # the server said "Connection: close"
            return
        try:
            self._idle.put_nowait(connection)
        except queue.Full:
            connection.close()


def _request(
    connection: http.client.HTTPConnection, path: str, body: bytes, headers: dict[str, str], deadline: float
) -> _Reply:
    def allow_what_is_left() -> None:
        if (left := deadline - time.monotonic()) <= 0:
            raise TimeoutError
        connection.sock.settimeout(left)

    allow_what_is_left()
    connection.request("POST", path, body, headers)
    response = connection.getresponse()
    parts, size = [], 0
    while part := response.read1(1 << 16):
        parts.append(part)
        size += len(part)
        if size > MAX_RESPONSE_BYTES:
            raise TransportFault("failed", "the reply is larger than any batch can be", may_pass=False)
        if connection.sock is not None:  # None once a "Connection: close" reply has been read to its end
            allow_what_is_left()
    if response.length:
        raise http.client.IncompleteRead(b"")
    response.close()  # read1 does not at the end of the body, and the connection would stay busy
    return _Reply(response.status, b"".join(parts), response.headers.get("Retry-After", ""))


def fault_of_status(status: int, retry_after: str) -> TransportFault:
    """What an error status means for the caller; the body is not looked at, it may quote the input."""
    wish = float(retry_after) if retry_after.isascii() and retry_after.isdigit() else None
    detail = f"the embedder answered {status}"
    if status in {408, 409, 425, 429, 503}:
        return TransportFault("busy", detail, may_pass=True, retry_after_s=wish)
    if status >= 500:
        return TransportFault("failed", detail, may_pass=True, retry_after_s=wish)
    if status in {400, 413, 422}:
        return TransportFault("text", detail, may_pass=False)
    return TransportFault("refused", detail, may_pass=False)


def read_vectors(body: bytes, expected: int) -> list[Vector]:
    """The vectors of a success body, ordered by `index`, all of one length and finite. Raises TransportFault."""
    try:
        items = json.loads(body)["data"]
        ordered = sorted(items, key=lambda item: int(item["index"]))
        vectors = [_vector(item["embedding"]) for item in ordered]
    except (ValueError, KeyError, TypeError, binascii.Error, RecursionError) as error:
        raise TransportFault("failed", "the reply holds no embeddings", may_pass=True) from error
    if [item["index"] for item in ordered] != list(range(expected)) or len({len(vector) for vector in vectors}) > 1:
        raise TransportFault("failed", "the reply holds other embeddings than were asked for", may_pass=True)
    if not all(vector and math.isfinite(sum(vector)) for vector in vectors):
        raise TransportFault("failed", "the reply holds values that are not numbers", may_pass=True)
    return vectors


def _vector(value: object) -> Vector:
    if isinstance(value, str):
        return from_float32(base64.b64decode(value, validate=True))
    if isinstance(value, list):
        return [float(number) for number in value]
    raise TypeError("an embedding is a list or base64")
