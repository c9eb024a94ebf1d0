from __future__ import annotations

import base64
import http.client
import json
import logging
import os
import signal
import socket
import struct
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from documents.embedding import listener
from documents.embedding.client import embedder_from
from documents.embedding.listener import EmbeddingServer
from documents.embedding.model import Embedding
from documents.embedding.wire import MAX_BODY_BYTES, MAX_TEXT_CHARACTERS, MAX_TEXTS

ROOT = Path(__file__).parents[3]


class SlowEncoder:
    """Three values a text, each text as slow as told; `seen` in the order of work."""

    def __init__(self) -> None:
        self.name, self.dims, self.max_tokens, self.sha256 = "slow", 3, 256, "0" * 64
        self.languages: tuple[str, ...] = ("en",)
        self.seconds = 0.0
        self.seen: list[str] = []
        self.questions: list[str] = []

    def embed_one(self, text: str, *, as_question: bool = False) -> Embedding:
        self.seen.append(text)
        self.questions += [text] if as_question else []
        time.sleep(self.seconds)
        if text == "poison":
            raise RuntimeError("poison in the text")
        return Embedding(np.array([len(text), 0.5, -1], dtype=np.float32), tokens=len(text.split()))


@pytest.fixture
def encoder() -> SlowEncoder:
    return SlowEncoder()


@pytest.fixture
def server(encoder: SlowEncoder) -> Iterator[EmbeddingServer]:
    with EmbeddingServer("127.0.0.1", 0, key="sesame") as running:
        running.use(encoder, max_waiting=40)
        threading.Thread(target=running.serve_forever, args=(0.02,), daemon=True).start()
        yield running
        running.shutdown()
        running.line.close()


def ask(
    server: EmbeddingServer, body: object, *, method: str = "POST", path: str = "/v1/embeddings", **headers: str
) -> Any:
    """(status, document, headers) of one request on a connection of its own."""
    connection = http.client.HTTPConnection("127.0.0.1", server.server_port, timeout=10)
    raw = body if isinstance(body, bytes) else json.dumps(body).encode()
    connection.request(
        method, path, raw, {"Authorization": "Bearer sesame"} | {k.replace("_", "-"): v for k, v in headers.items()}
    )
    response = connection.getresponse()
    document = json.loads(response.read())
    connection.close()
    return response.status, document, response.headers


def test_floats_come_back_in_order_with_usage(server: EmbeddingServer) -> None:
    status, document, _ = ask(server, {"model": "slow", "input": ["a b", "abcd"]})

    assert status == 200
    assert document == {
        "object": "list",
        "data": [
            {"object": "embedding", "index": 0, "embedding": [3.0, 0.5, -1.0]},
            {"object": "embedding", "index": 1, "embedding": [4.0, 0.5, -1.0]},
        ],
        "model": "slow",
        "usage": {"prompt_tokens": 3, "total_tokens": 3},
    }


def test_one_text_and_base64_are_taken(server: EmbeddingServer) -> None:
    _, document, _ = ask(server, {"model": "slow", "input": "abc", "encoding_format": "base64"})

    raw = base64.b64decode(document["data"][0]["embedding"])
    assert struct.unpack("<3f", raw) == (3.0, 0.5, -1.0)


@pytest.mark.parametrize(
    ("priority", "as_question"), [("question", True), ("questions", True), ("bulk", False), ("", False), ("x", False)]
)
def test_the_model_is_told_what_is_a_question(
    server: EmbeddingServer, encoder: SlowEncoder, priority: str, as_question: bool
) -> None:
    status, _, _ = ask(server, {"model": "slow", "input": "abc"}, X_Priority=priority)

    assert (status, encoder.seen, encoder.questions) == (200, ["abc"], ["abc"] if as_question else [])


def test_models_and_health_name_the_model(server: EmbeddingServer) -> None:
    _, models, _ = ask(server, b"", method="GET", path="/v1/models")
    status, health, _ = ask(server, b"", method="GET", path="/health", Authorization="")

    assert [model["id"] for model in models["data"]] == ["slow"]
    assert (status, health["model"], health["dims"], health["sha256"]) == (200, "slow", 3, "0" * 64)


@pytest.mark.parametrize("given", ["", "Bearer sesam", "Bearer sesame2", "Bearer \xff", "sesame2"])
def test_wrong_key_is_refused(server: EmbeddingServer, encoder: SlowEncoder, given: str) -> None:
    status, document, _ = ask(server, {"model": "slow", "input": "a"}, Authorization=given)

    assert (status, document["error"]["code"], encoder.seen) == (401, "bad_key", [])


@pytest.mark.parametrize(
    ("body", "status", "code"),
    [
        (b"{", 400, "bad_json"),
        (b"\xff\xfe", 400, "bad_json"),
        (b"[" * 100_000, 400, "bad_json"),
        ([], 400, "bad_json"),
        ({"input": "a"}, 400, "model_missing"),
        ({"model": "other", "input": "a"}, 404, "model_not_found"),
        ({"model": "slow"}, 400, "bad_input"),
        ({"model": "slow", "input": []}, 400, "bad_input"),
        ({"model": "slow", "input": ["a", " "]}, 400, "bad_input"),
        ({"model": "slow", "input": [1, 2]}, 400, "bad_input"),
        ({"model": "slow", "input": ["\ud83d"]}, 400, "bad_input"),
        ({"model": "slow", "input": ["a"] * (MAX_TEXTS + 1)}, 400, "too_many_texts"),
        ({"model": "slow", "input": "a" * (MAX_TEXT_CHARACTERS + 1)}, 400, "bad_input"),
        ({"model": "slow", "input": "a", "encoding_format": "int8"}, 400, "bad_encoding"),
        ({"model": "slow", "input": "a", "dimensions": 2}, 400, "bad_dimensions"),
        (b"0" * (MAX_BODY_BYTES + 1), 413, "body_too_large"),
    ],
)
def test_bad_request_is_refused_in_words(server: EmbeddingServer, body: object, status: int, code: str) -> None:
    found, document, _ = ask(server, body)

    assert (found, document["error"]["code"]) == (status, code)
    assert len(document["error"]["message"]) > 20


@pytest.mark.parametrize(
    "request_line", [b"nonsense\r\n\r\n", b"PUT / HTTP/1.1\r\n\r\n", b"POST /v1/embeddings HTTP/1.1\r\n\r\n"]
)
def test_broken_http_gets_an_answer_in_json(server: EmbeddingServer, request_line: bytes) -> None:
    with socket.create_connection(("127.0.0.1", server.server_port), timeout=5) as raw:
        raw.sendall(request_line)
        reply = b"".join(iter(lambda: raw.recv(4096), b""))

    assert json.loads(reply.partition(b"\r\n\r\n")[2] or reply)["error"]["code"] in {"bad_request", "length_required"}


def test_question_waits_for_one_text_at_most(server: EmbeddingServer, encoder: SlowEncoder) -> None:
    encoder.seconds = 0.1
    bulk = threading.Thread(target=ask, args=(server, {"model": "slow", "input": [f"bulk {n}" for n in range(20)]}))
    bulk.start()
    time.sleep(0.25)

    ask(server, {"model": "slow", "input": "question"}, X_Priority="question")
    place = encoder.seen.index("question")
    bulk.join()

    assert place <= 4
    assert encoder.seen[-1] == "bulk 19"


def test_two_batches_take_turns(server: EmbeddingServer, encoder: SlowEncoder) -> None:
    encoder.seconds = 0.05
    long = threading.Thread(target=ask, args=(server, {"model": "slow", "input": [f"long {n}" for n in range(20)]}))
    long.start()
    time.sleep(0.08)

    ask(server, {"model": "slow", "input": ["short 0", "short 1"]})
    place = len(encoder.seen)
    long.join()

    assert place <= 8


def test_client_that_goes_away_takes_its_texts_with_it(server: EmbeddingServer, encoder: SlowEncoder) -> None:
    encoder.seconds = 0.05
    body = json.dumps({"model": "slow", "input": [f"text {n}" for n in range(40)]}).encode()
    head = f"POST /v1/embeddings HTTP/1.1\r\nAuthorization: Bearer sesame\r\nContent-Length: {len(body)}\r\n\r\n"

    with socket.create_connection(("127.0.0.1", server.server_port)) as raw:
        raw.sendall(head.encode() + body)
        time.sleep(0.2)
    time.sleep(0.5)
    begun = len(encoder.seen)
    time.sleep(0.3)

    assert begun == len(encoder.seen) < 20


def test_too_long_a_line_is_refused_with_a_time_to_come_back(server: EmbeddingServer, encoder: SlowEncoder) -> None:
    encoder.seconds = 0.05
    first = [threading.Thread(target=ask, args=(server, {"model": "slow", "input": ["a"] * 20})) for _ in range(2)]
    for thread in first:
        thread.start()
    time.sleep(0.1)

    status, document, headers = ask(server, {"model": "slow", "input": ["b"] * 39})
    for thread in first:
        thread.join()

    assert (status, document["error"]["code"], headers["Retry-After"]) == (503, "busy", "2")


def test_slow_body_is_given_up(server: EmbeddingServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(listener, "READ_SECONDS", 0.3)

    with socket.create_connection(("127.0.0.1", server.server_port), timeout=5) as raw:
        raw.sendall(b"POST /v1/embeddings HTTP/1.1\r\nContent-Length: 1000\r\n\r\n{")
        reply = raw.recv(4096)

    assert reply.startswith(b"HTTP/1.1 408")


def test_poisonous_text_fails_its_request_alone_and_is_not_logged(
    server: EmbeddingServer, caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
) -> None:
    caplog.set_level(logging.DEBUG)

    failed, document, _ = ask(server, {"model": "slow", "input": ["fine", "poison"]})
    after, _, _ = ask(server, {"model": "slow", "input": ["fine"]})

    assert (failed, document["error"]["code"], after) == (500, "embedding_failed", 200)
    assert "poison" not in caplog.text + "".join(capfd.readouterr())


def test_connections_over_the_limit_are_told_so(server: EmbeddingServer) -> None:
    held = [socket.create_connection(("127.0.0.1", server.server_port)) for _ in range(listener.MAX_CONNECTIONS)]
    time.sleep(0.2)

    with socket.create_connection(("127.0.0.1", server.server_port), timeout=5) as raw:
        reply = raw.recv(4096)
    for connection in held:
        connection.close()

    assert reply.startswith(b"HTTP/1.1 503")


def test_process_serves_the_default_model_and_stops_cleanly_on_sigterm() -> None:
    port = _free_port()
    argv = [sys.executable, "-m", "documents.embedding.server", "--port", str(port)]
    process = subprocess.Popen(
        argv, cwd=ROOT, env=os.environ | {"EMBEDDER_KEY": "sesame"}, stderr=subprocess.PIPE, text=True
    )
    try:
        _wait_until_ready(port)
        embedder = embedder_from(f"http://127.0.0.1:{port}", "sesame", "all-MiniLM-L6-v2")
        one, other, far = embedder.embed(
            ["A man eats food.", "A man is eating a meal.", "Stocks fell."], priority="question"
        )
        embedder.close()
    finally:
        process.send_signal(signal.SIGTERM)
        _, log = process.communicate(timeout=10)

    assert (len(one), process.returncode) == (384, 0)
    assert _dot(one, other) > 0.8 > 0.2 > _dot(one, far)
    assert "food" not in log
    assert "Traceback" not in log


def test_taken_port_is_said_in_words() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        argv = [sys.executable, "-m", "documents.embedding.server", "--port", str(port)]
        ended = subprocess.run(argv, cwd=ROOT, capture_output=True, text=True, timeout=30)

    assert ended.returncode == 2
    assert f"cannot listen on 127.0.0.1:{port}" in ended.stderr


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as probe:
        return int(probe.getsockname()[1])


def _wait_until_ready(port: int) -> None:
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline:
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=5)
        try:
            connection.request("GET", "/health")
            if connection.getresponse().status == 200:
                return
        except OSError:
            time.sleep(0.1)
        finally:
            connection.close()
    raise AssertionError("the embedding process did not get ready")


def _dot(one: list[float], other: list[float]) -> float:
    return sum(a * b for a, b in zip(one, other, strict=True))
