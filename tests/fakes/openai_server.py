"""A scripted OpenAI-compatible server: real HTTP, deterministic vectors, faults in the order they were scripted.

    with OpenAIServer() as server:
        server.script(Status(429, retry_after="0"), Cut())
        embedder = embedder_from(server.url, "key", "toy")

Each request takes the next fault; when the script is over, requests succeed.
"""

from __future__ import annotations

import base64
import hashlib
import json
import socket
import struct
import threading
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any

DIMS = 32


@dataclass(frozen=True, slots=True)
class Status:
    """Answer with this status and an OpenAI error body."""

    code: int
    retry_after: str = ""


@dataclass(frozen=True, slots=True)
class Hang:
    """Say nothing for so long, then answer as if all were well."""

    seconds: float


@dataclass(frozen=True, slots=True)
class Cut:
    """Send the head and half of the body, then reset the connection."""


@dataclass(frozen=True, slots=True)
class Silent:
    """Close the connection without a byte, as a server does that dropped an idle connection."""


@dataclass(frozen=True, slots=True)
class Garbage:
    """Answer 200 with this body."""

    body: bytes = b"<html>proxy</html>"


Fault = Status | Hang | Cut | Silent | Garbage


@dataclass(frozen=True, slots=True)
class Request:
    """What the server was asked, header names in small letters.

    `connection` is the client's port, the same while a connection is kept alive.
    """

    path: str
    body: dict[str, Any]
    headers: dict[str, str]
    connection: int


def toy_vector(text: str, dims: int = DIMS) -> list[float]:
    """A unit vector that two texts share as far as they share words; at most DIMS values of it are other than zero."""
    values = [0.0] * dims
    for word in text.lower().split() or [""]:
        digest = hashlib.sha256(word.encode()).digest()
        for index in range(min(DIMS, dims)):
            values[index] += digest[index] / 127.5 - 1
    length = sum(value * value for value in values) ** 0.5 or 1.0
    return [value / length for value in values]


class OpenAIServer(ThreadingHTTPServer):
    """POST /v1/embeddings on a free loopback port. `requests` lists what came in."""

    daemon_threads = True

    def __init__(self, dims: int = DIMS) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.dims = dims
        self.requests: list[Request] = []
        self.url = f"http://127.0.0.1:{self.server_port}/v1"
        self._faults: deque[Fault] = deque()
        self.turns_down = ""
        """A word whose text is answered with 400, batch and all."""
        self._stopping = threading.Event()

    def script(self, *faults: Fault) -> None:
        self._faults.extend(faults)

    def next_fault(self) -> Fault | None:
        return self._faults.popleft() if self._faults else None

    def pause(self, seconds: float) -> None:
        self._stopping.wait(seconds)

    def __enter__(self) -> OpenAIServer:
        threading.Thread(target=self.serve_forever, args=(0.02,), daemon=True).start()
        return self

    def __exit__(self, kind: type[BaseException] | None, value: BaseException | None, tb: TracebackType | None) -> None:
        self._stopping.set()
        self.shutdown()
        self.server_close()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Clients that give up are part of the script."""


class _Handler(BaseHTTPRequestHandler):
    server: OpenAIServer
    protocol_version = "HTTP/1.1"
    wbufsize = -1

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.requests.append(
            Request(
                self.path,
                body,
                {name.lower(): value for name, value in self.headers.items()},
                int(self.client_address[1]),
            )
        )
        match self.server.next_fault():
            case Status(code, retry_after):
                error = {"message": "scripted", "type": "scripted", "param": None, "code": "scripted"}
                self._reply(code, json.dumps({"error": error}).encode(), retry_after)
            case Cut():
                self._cut(_embeddings(body, self.server.dims))
            case Silent():
                self.close_connection = True
            case Garbage(garbage):
                self._reply(200, garbage)
            case Hang(seconds):
                self.server.pause(seconds)
                self._reply(200, _embeddings(body, self.server.dims))
            case None if self.server.turns_down and self.server.turns_down in json.dumps(body["input"]):
                self._reply(400, b'{"error": {"message": "scripted"}}')
            case None:
                self._reply(200, _embeddings(body, self.server.dims))

    def _reply(self, status: int, body: bytes, retry_after: str = "") -> None:
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        if retry_after:
            self.send_header("Retry-After", retry_after)
        self.end_headers()
        self.wfile.write(body)

    def _cut(self, body: bytes) -> None:
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body[: len(body) // 2])
        self.wfile.flush()
        self.connection.shutdown(socket.SHUT_RDWR)
        self.close_connection = True

    def log_message(self, format: str, *args: object) -> None:
        """Quiet."""


def _embeddings(body: dict[str, Any], dims: int) -> bytes:
    given = body["input"]
    texts: Sequence[str] = [given] if isinstance(given, str) else given
    data = [
        {
            "object": "embedding",
            "index": index,
            "embedding": _value(toy_vector(text, dims), body.get("encoding_format")),
        }
        for index, text in enumerate(texts)
    ]
    tokens = sum(len(text.split()) for text in texts)
    usage = {"prompt_tokens": tokens, "total_tokens": tokens}
    return json.dumps({"object": "list", "data": data, "model": body["model"], "usage": usage}).encode()


def _value(vector: list[float], encoding: object) -> str | list[float]:
    if encoding == "base64":
        return base64.b64encode(struct.pack(f"<{len(vector)}f", *vector)).decode()
    return vector
