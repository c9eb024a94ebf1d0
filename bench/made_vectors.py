"""An embedding process without a model, for what ingest costs beside one: `python -m bench.made_vectors documents.embedding`.

Speaks as documents.embedding.server does. A text's vector is made of its own hash, so two who ask get the same one. The second
word of the command line makes bench/processes.py count it as the embedder.
"""

from __future__ import annotations

import base64
import json
import random
import struct
import sys
from collections.abc import Sequence
from hashlib import blake2b
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

DIMS = 384


def vector_of(text: str) -> list[float]:
    """DIMS values of length 1, the same for the same text on every machine."""
    chance = random.Random(blake2b(text.encode("utf-8", "replace"), digest_size=8).digest())
    values = [chance.gauss(0.0, 1.0) for _ in range(DIMS)]
    length = sum(value * value for value in values) ** 0.5
    return [value / length for value in values]


def answer(texts: Sequence[str]) -> bytes:
    """The body of a reply to these texts."""
    rows = [
        {"index": index, "object": "embedding", "embedding": base64.b64encode(packed(vector_of(text))).decode()}
        for index, text in enumerate(texts)
    ]
    return json.dumps({"object": "list", "data": rows}).encode()


def packed(vector: Sequence[float]) -> bytes:
    return struct.pack(f"<{len(vector)}f", *vector)


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    wbufsize = -1

    def do_POST(self) -> None:
        body = answer(json.loads(self.rfile.read(int(self.headers["Content-Length"])))["input"])
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Nothing."""


def main() -> None:
    """Say the port on the first line, then serve until killed."""
    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        sys.stdout.write(f"{server.server_port}\n")
        sys.stdout.flush()
        server.serve_forever()


if __name__ == "__main__":
    main()
