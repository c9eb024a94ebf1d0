"""The sockets of the local embedding process: connections, limits, keys, replies; documents.embedding.wire reads them."""

from __future__ import annotations

import hmac
import logging
import select
import socket
import sys
import threading
import time
import traceback
from collections.abc import Callable, Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from documents.embedding import wire
from documents.embedding.line import Batch, Line, LineFull, Priority
from documents.embedding.model import TextEncoder

MAX_CONNECTIONS = 100
MAX_WAITING_TEXTS = 2048
IDLE_SECONDS = 60
READ_SECONDS = 20
WRITE_SECONDS = 20
PEER_CHECK_SECONDS = 0.2

log = logging.getLogger("footnote.embedder")


class EmbeddingServer(ThreadingHTTPServer):
    """The listening socket, the encoder and its line. At most MAX_CONNECTIONS at a time; others get 503 at once."""

    daemon_threads = True
    request_queue_size = 64

    def __init__(self, host: str, port: int, *, key: str) -> None:
        if ":" in host:
            self.address_family = socket.AF_INET6
        self.key = key.encode()
        self.encoder: TextEncoder
        self.line: Line
        self._free = threading.BoundedSemaphore(MAX_CONNECTIONS)
        super().__init__((host, port), Handler)

    def use(self, encoder: TextEncoder, *, max_waiting: int = MAX_WAITING_TEXTS) -> None:
        """Set before the first request is served; requests that come earlier wait in the socket's backlog."""
        self.encoder = encoder
        self.line = Line(
            lambda text, is_question: encoder.embed_one(text, as_question=is_question), max_waiting=max_waiting
        )
        self.line.open()

    def server_bind(self) -> None:
        # http.server asks the resolver for the host's full name here, which can hang offline and is used nowhere.
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        self.socket.bind(self.server_address)
        self.server_address = self.socket.getsockname()
        self.server_name, self.server_port = str(self.server_address[0]), int(self.server_address[1])

    def process_request(self, request: Any, client_address: Any) -> None:
        if self._free.acquire(blocking=False):
            super().process_request(request, client_address)
            return
        request.setblocking(False)
        busy = wire.Refusal(503, "busy", "Too many connections. Try again in a moment.").body()
        head = f"HTTP/1.1 503 Busy\r\nContent-Type: application/json\r\nContent-Length: {len(busy)}\r\n"
        try:
            request.send(head.encode() + b"Retry-After: 1\r\nConnection: close\r\n\r\n" + busy)
        except OSError:
            log.info("embedder.refused_and_gone")
        self.shutdown_request(request)

    def process_request_thread(self, request: Any, client_address: Any) -> None:
        try:
            super().process_request_thread(request, client_address)
        finally:
            self._free.release()

    def handle_error(self, request: Any, client_address: Any) -> None:
        kind, _, stack = sys.exc_info()
        if kind is not None and issubclass(kind, ConnectionError | TimeoutError):
            return
        lines = "".join(traceback.format_tb(stack))  # the stack alone: the exception's message could quote a text
        log.error("embedder.request_failed error=%s\n%s", kind.__name__ if kind else "", lines)


class Handler(BaseHTTPRequestHandler):
    server: EmbeddingServer
    protocol_version = "HTTP/1.1"
    server_version = "footnote-embedder"
    sys_version = ""
    timeout = IDLE_SECONDS
    wbufsize = -1
    disable_nagle_algorithm = True

    def do_GET(self) -> None:
        self._answer_with({"/health": self._health, "/v1/models": self._models})

    def do_POST(self) -> None:
        self._answer_with({"/v1/embeddings": self._embeddings})

    def _answer_with(self, routes: Mapping[str, Callable[[], bytes]]) -> None:
        try:
            self._reply(200, routes.get(self.path, self._nothing)())
        except wire.Refusal as refusal:
            self._refuse(refusal)

    def _nothing(self) -> bytes:
        self.close_connection = True
        raise wire.Refusal(404, "not_found", "There is /v1/embeddings, /v1/models and /health.")

    def _models(self) -> bytes:
        self._authorise()
        model = {"id": self.server.encoder.name, "object": "model", "created": 0, "owned_by": "footnote"}
        return wire.encode({"object": "list", "data": [model]})

    def _health(self) -> bytes:
        encoder = self.server.encoder
        return wire.encode(
            {
                "status": "ok",
                "model": encoder.name,
                "dims": encoder.dims,
                "max_tokens": encoder.max_tokens,
                "languages": encoder.languages,
                "sha256": encoder.sha256,
            }
        )

    def _embeddings(self) -> bytes:
        body = self._body()
        self._authorise()
        encoder = self.server.encoder
        request = wire.read_request(body, model=encoder.name, dims=encoder.dims)
        asked = self.headers.get("X-Priority")
        priority: Priority = "question" if asked == "question" else "bulk"
        try:
            batch = self.server.line.join(request.texts, priority, are_questions=asked in ("question", "questions"))
        except LineFull as error:
            raise wire.Refusal(503, "busy", "Too many texts wait. Try again in a moment.", retry_after=2) from error
        self._wait(batch)
        if batch.state == "failed":
            raise wire.Refusal(500, "embedding_failed", "The model failed on this input. Nothing was embedded.")
        if batch.state != "done":
            self.close_connection = True
            raise wire.Refusal(503, "stopping", "The embedding process is stopping. Try again.", retry_after=2)
        return wire.write_response(batch.embeddings, model=encoder.name, encoding=request.encoding)

    def _wait(self, batch: Batch) -> None:
        """Until the batch has ended; a client that has gone takes its waiting texts with it."""
        while not batch.finished.wait(PEER_CHECK_SECONDS):
            readable, _, _ = select.select([self.connection], [], [], 0)
            if readable and not self.connection.recv(1, socket.MSG_PEEK):
                self.server.line.leave(batch)
                raise ConnectionAbortedError

    def _authorise(self) -> None:
        given = self.headers.get("Authorization", "").removeprefix("Bearer ").encode("utf-8", "surrogateescape")
        if self.server.key and not hmac.compare_digest(given, self.server.key):
            raise wire.Refusal(401, "bad_key", "The key is missing or wrong. Send `Authorization: Bearer <key>`.")

    def _body(self) -> bytes:
        """The whole body, within MAX_BODY_BYTES and READ_SECONDS; otherwise a Refusal, and the connection closes."""
        length = self.headers.get("Content-Length", "")
        if not length.isascii() or not length.isdigit():
            self.close_connection = True
            raise wire.Refusal(411, "length_required", "Send the body with a Content-Length.")
        if int(length) > wire.MAX_BODY_BYTES:
            self.close_connection = True
            message = f"The body is larger than {wire.MAX_BODY_BYTES} bytes. Send fewer texts in one request."
            raise wire.Refusal(413, "body_too_large", message)
        deadline = time.monotonic() + READ_SECONDS
        parts: list[bytes] = []
        left = int(length)
        while left:
            self.connection.settimeout(max(deadline - time.monotonic(), 0.001))
            try:
                part = self.rfile.read1(left)
            except TimeoutError as error:
                self.close_connection = True
                message = f"The body did not arrive within {READ_SECONDS} seconds."
                raise wire.Refusal(408, "body_too_slow", message) from error
            if not part:
                raise ConnectionAbortedError
            parts.append(part)
            left -= len(part)
        return b"".join(parts)

    def _refuse(self, refusal: wire.Refusal) -> None:
        log.info("embedder.refused status=%d code=%s", refusal.status, refusal.code)
        self._reply(refusal.status, refusal.body(), retry_after=refusal.retry_after)
        if self.close_connection:
            self._drain()

    def _reply(self, status: int, body: bytes, *, retry_after: int = 0) -> None:
        self.connection.settimeout(WRITE_SECONDS)
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        if retry_after:
            self.send_header("Retry-After", str(retry_after))
        if self.close_connection:
            self.send_header("Connection", "close")
        self.end_headers()
        self.wfile.write(body)
        self.wfile.flush()
        self.connection.settimeout(IDLE_SECONDS)

    def _drain(self) -> None:
        """Read on for a moment, so that closing with unread bytes does not reset the connection before it is read."""
        self.connection.settimeout(0.5)
        deadline = time.monotonic() + 2
        try:
            self.connection.shutdown(socket.SHUT_WR)
            while time.monotonic() < deadline and self.connection.recv(65536):
                pass
        except OSError:
            return

    def send_error(self, code: int, message: str | None = None, explain: str | None = None) -> None:
        """http.server's own refusals (a broken request line, an unknown method), as JSON."""
        self.close_connection = True
        self._reply(code, wire.Refusal(code, "bad_request", "This is not a request that can be answered.").body())

    def log_message(self, format: str, *args: object) -> None:
        """No access log: a path or a header may hold anything."""
