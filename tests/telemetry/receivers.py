"""Local receivers that speak the vendors' protocols: OTLP over HTTP (and so Langfuse), and Sentry's envelopes."""

from __future__ import annotations

import gzip
import json
import threading
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass(slots=True)
class Received:
    path: str
    headers: dict[str, str]
    body: bytes


@dataclass(slots=True)
class Log:
    requests: list[Received] = field(default_factory=list)

    @property
    def everything(self) -> bytes:
        return b"\n".join([r.path.encode() + repr(r.headers).encode() + r.body for r in self.requests])


class Receiver(ThreadingHTTPServer):
    """Takes every POST with 200 and remembers it, decompressed."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.log = Log()
        self.url = f"http://127.0.0.1:{self.server_port}"

    def __enter__(self) -> Receiver:
        threading.Thread(target=self.serve_forever, args=(0.02,), daemon=True).start()
        return self

    def __exit__(self, *_: Any) -> None:
        self.shutdown()
        self.server_close()

    def spans(self) -> list[dict[str, Any]]:
        """Every span that came in: name, kind, attributes, parent, start and end in ns."""
        from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

        found = []
        for received in self.log.requests:
            request = ExportTraceServiceRequest()
            request.ParseFromString(received.body)
            for resource in request.resource_spans:
                for scope in resource.scope_spans:
                    found += [_span(span) for span in scope.spans]
        return found

    def events(self) -> list[dict[str, Any]]:
        """Every event in the envelopes that came in."""
        found = []
        for received in self.log.requests:
            lines = received.body.split(b"\n")
            for head, body in zip(lines[1::2], lines[2::2], strict=False):
                if json.loads(head).get("type") == "event":
                    found.append(json.loads(body))
        return found


def _span(span: Any) -> dict[str, Any]:
    return {
        "name": span.name,
        "kind": span.kind,
        "parent": span.parent_span_id,
        "id": span.span_id,
        "start": span.start_time_unix_nano,
        "end": span.end_time_unix_nano,
        "attributes": {one.key: getattr(one.value, str(one.value.WhichOneof("value"))) for one in span.attributes},
    }


class _Handler(BaseHTTPRequestHandler):
    server: Receiver

    def do_POST(self) -> None:
        length = self.headers.get("Content-Length")
        body = self.rfile.read(int(length)) if length else b""
        if self.headers.get("Content-Encoding") == "gzip":
            body = gzip.decompress(body)
        headers = {name.lower(): value for name, value in self.headers.items()}
        self.server.log.requests.append(Received(self.path, headers, body))
        self.send_response(200)
        self.send_header("Content-Length", "2")
        self.end_headers()
        self.wfile.write(b"{}")

    def log_message(self, format: str, *args: object) -> None:
        """Quiet."""
