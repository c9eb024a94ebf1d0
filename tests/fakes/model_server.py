"""A scripted OpenAI-compatible chat server: real HTTP, every fault of case 36, and a model that obeys what it reads.

    with ModelServer() as server:
        server.script(Status(429, retry_after="0"), Says("The motor is too hot [1]."))

Each call takes the next act; when the script is over, `server.usually` is played.
"""

from __future__ import annotations

import json
import re
import socket
import threading
import time
from collections import deque
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any


@dataclass(frozen=True, slots=True)
class Says:
    """These pieces, each as one event; `between_s` before each but the first; `gate` names one to wait for before a piece."""

    pieces: tuple[str, ...]
    between_s: float = 0.0
    usage: bool = True
    finish: str = "stop"

    @classmethod
    def text(cls, text: str, **options: Any) -> Says:
        return cls(tuple(re.findall(r"\S+\s*", text)), **options)


@dataclass(frozen=True, slots=True)
class Status:
    code: int
    retry_after: str = ""


@dataclass(frozen=True, slots=True)
class Silence:
    """Nothing for so long; `after` pieces were sent before."""

    seconds: float
    after: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class CutAfter:
    """These pieces, then a reset connection; politely closed without an end when `is_polite`."""

    pieces: tuple[str, ...]
    is_polite: bool = False


@dataclass(frozen=True, slots=True)
class Body:
    """200 with this body instead of events."""

    body: bytes
    content_type: str = "text/html"


@dataclass(frozen=True, slots=True)
class Events:
    """200 with these raw lines as the event stream."""

    lines: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Raw:
    """200 with these bytes as the event stream, whatever they are."""

    data: bytes


@dataclass(frozen=True, slots=True)
class Recites:
    """Writes out everything it was told, the task first."""


@dataclass(frozen=True, slots=True)
class Endless:
    """The same piece for ever, every `every_s` seconds, until the client hangs up."""

    piece: str = "and so on "
    every_s: float = 0.0


@dataclass(frozen=True, slots=True)
class Redirect:
    to: str


@dataclass(frozen=True, slots=True)
class Obedient:
    """Does what the passages say: whatever stands after OBEY: in them is written, word for word."""


@dataclass(frozen=True, slots=True)
class Gated:
    """Each piece after the first waits until the test lets it go (`server.let_go()`)."""

    pieces: tuple[str, ...]


Act = Says | Status | Silence | CutAfter | Body | Events | Raw | Endless | Redirect | Obedient | Recites | Gated


@dataclass(slots=True)
class Asked:
    """One call; `hung_up` is set when the client left before the end."""

    path: str
    body: dict[str, Any]
    headers: dict[str, str]
    hung_up: threading.Event = field(default_factory=threading.Event)
    sent: int = 0

    @property
    def prompt(self) -> str:
        return "\n".join(message["content"] for message in self.body["messages"])


class ModelServer(ThreadingHTTPServer):
    """POST /v1/chat/completions on a free loopback port. `calls` lists what came in."""

    daemon_threads = True
    request_queue_size = 512

    def __init__(self, usually: Act | None = None) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.usually: Act = usually or Says.text("It stands in the first passage [1].")
        self.calls: list[Asked] = []
        self.url = f"http://127.0.0.1:{self.server_port}/v1"
        self._script: deque[Act] = deque()
        self._gate = threading.Semaphore(0)
        self.stopping = threading.Event()

    def script(self, *acts: Act) -> None:
        self._script.extend(acts)

    def clear(self) -> None:
        self._script.clear()

    def deafen(self) -> None:
        """From now on nobody listens here: connections are refused."""
        self.shutdown()
        self.server_close()

    def hear(self) -> None:
        self.socket = socket.socket(self.address_family, self.socket_type)
        self.server_bind()
        self.server_activate()
        threading.Thread(target=self.serve_forever, args=(0.02,), daemon=True).start()

    def next_act(self) -> Act:
        return self._script.popleft() if self._script else self.usually

    def let_go(self, pieces: int = 1) -> None:
        self._gate.release(pieces)

    def wait_for_gate(self) -> None:
        self._gate.acquire(timeout=30)

    def __enter__(self) -> ModelServer:
        threading.Thread(target=self.serve_forever, args=(0.02,), daemon=True).start()
        return self

    def __exit__(self, kind: type[BaseException] | None, value: BaseException | None, tb: TracebackType | None) -> None:
        self.stopping.set()
        self.let_go(10_000)
        self.shutdown()
        self.server_close()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Clients that hang up are part of the script."""


class _Handler(BaseHTTPRequestHandler):
    server: ModelServer
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        asked = Asked(self.path, body, {name.lower(): value for name, value in self.headers.items()})
        self.server.calls.append(asked)
        try:
            self._play(self.server.next_act(), asked)
        except OSError:
            asked.hung_up.set()
            self.close_connection = True

    def _play(self, act: Act, asked: Asked) -> None:
        match act:
            case Status(code, retry_after):
                error = {"message": "scripted sk-secret-of-the-provider", "type": "scripted", "code": "scripted"}
                self._reply(code, json.dumps({"error": error}).encode(), {"Retry-After": retry_after})
            case Body(content, content_type):
                self._reply(200, content, {"Content-Type": content_type})
            case Redirect(to):
                self._reply(307, b"", {"Location": to})
            case Silence(seconds, after):
                if after:
                    self._begin()
                    self._pieces(asked, after)
                self._wait(asked, seconds)
            case _:
                self._stream(act, asked)

    def _stream(self, act: Act, asked: Asked) -> None:
        self._begin()
        match act:
            case Says(pieces, between_s, usage, finish):
                self._pieces(asked, pieces, between_s=between_s)
                self._finish(finish, pieces if usage else None)
            case Gated(pieces):
                self._pieces(asked, pieces, is_gated=True)
                self._finish("stop", pieces)
            case Obedient():
                said = "\n".join(re.findall(r"OBEY:(.*)", asked.body["messages"][-1]["content"])) or "Nothing [1]."
                self._write_out(asked, said)
            case Recites():
                self._write_out(asked, asked.prompt)
            case _:
                self._break(act, asked)

    def _break(self, act: Act, asked: Asked) -> None:
        """A stream that does not end as it should."""
        match act:
            case CutAfter(pieces, is_polite):
                self._pieces(asked, pieces)
                if not is_polite:
                    self.connection.shutdown(socket.SHUT_RDWR)
            case Events(lines):
                for line in lines:
                    self._send(line + "\n")
            case Raw(data):
                self.wfile.write(data)
                self.wfile.flush()
            case Endless(piece, every_s):
                while not self.server.stopping.wait(every_s):
                    self._pieces(asked, (piece,))
        self.close_connection = True

    def _write_out(self, asked: Asked, said: str) -> None:
        self._pieces(asked, tuple(said[at : at + 4096] for at in range(0, len(said), 4096)))
        self._finish("stop", (said,))

    def _wait(self, asked: Asked, seconds: float) -> None:
        """Silence that notices when the client hangs up."""
        self.connection.settimeout(0.05)
        end = time.monotonic() + seconds
        while time.monotonic() < end and not self.server.stopping.is_set():
            try:
                if not self.connection.recv(1):
                    raise ConnectionResetError
            except TimeoutError:
                continue
        self.close_connection = True

    def _begin(self) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Connection", "close")
        self.end_headers()

    def _pieces(self, asked: Asked, pieces: tuple[str, ...], *, between_s: float = 0.0, is_gated: bool = False) -> None:
        for place, piece in enumerate(pieces):
            if place and between_s:
                self.server.stopping.wait(between_s)
            if place and is_gated:
                self.server.wait_for_gate()
            self._event({"choices": [{"index": 0, "delta": {"content": piece}, "finish_reason": None}]})
            asked.sent += 1

    def _finish(self, reason: str, counted: tuple[str, ...] | None) -> None:
        self._event({"choices": [{"index": 0, "delta": {}, "finish_reason": reason}]})
        if counted is not None:
            usage = {"prompt_tokens": 100, "completion_tokens": len(counted), "total_tokens": 100 + len(counted)}
            self._event({"choices": [], "usage": usage})
        self._send("data: [DONE]\n\n")
        self.close_connection = True

    def _event(self, more: dict[str, Any]) -> None:
        chunk = {"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "scripted", **more}
        self._send(f"data: {json.dumps(chunk)}\n\n")

    def _send(self, text: str) -> None:
        self.wfile.write(text.encode())
        self.wfile.flush()

    def _reply(self, status: int, body: bytes, headers: dict[str, str]) -> None:
        self.send_response(status)
        self.send_header("Connection", "close")
        self.close_connection = True
        self.send_header("Content-Length", str(len(body)))
        for name, value in headers.items():
            if value:
                self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        """Quiet."""
