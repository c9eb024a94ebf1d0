"""A server that says what a test wrote down, and remembers what it was sent."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass(frozen=True, slots=True)
class Says:
    """One answer; with `cut` the connection ends after so many bytes of it."""

    status: int = 200
    body: Any = None
    headers: Mapping[str, str] = field(default_factory=dict)
    cut: int | None = None


@dataclass(slots=True)
class Heard:
    method: str
    path: str
    headers: Mapping[str, str]
    body: bytes


@dataclass(slots=True)
class Script:
    url: str
    heard: list[Heard] = field(default_factory=list)
    says: list[Says] = field(default_factory=list)


@contextmanager
def scripted() -> Iterator[Script]:
    script = Script("")

    class Handler(BaseHTTPRequestHandler):
        def do(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
            known = {name.lower(): value for name, value in self.headers.items()}
            script.heard.append(Heard(self.command, self.path, known, body))
            says = script.says.pop(0)
            content = says.body if isinstance(says.body, bytes) else json.dumps(says.body).encode()
            self.send_response(says.status)
            for name, value in {"Content-Length": str(len(content)), **says.headers}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(content[: says.cut])

        do_GET = do_POST = do_DELETE = do_PATCH = do  # noqa: N815 (the base class's names)

        def log_message(self, *args: Any) -> None:
            """Quiet."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    script.url = f"http://127.0.0.1:{server.server_port}"
    try:
        yield script
    finally:
        server.shutdown()
        server.server_close()
        thread.join(5)
