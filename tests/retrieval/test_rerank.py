"""Both rerankers for real: a toy cross-encoder that the test makes as ONNX, and an HTTP server that speaks /rerank."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from django.test import Client
from tokenizers import Tokenizer, models, pre_tokenizers, processors

from documents.breaker import Breaker
from documents.worker import work_through
from retrieval import rerank
from retrieval.ranking.rerank import RerankerUnavailable, reordered
from retrieval.rerank import FlashRanker, HttpReranker
from tests.documents.ingest.conftest import Shelf
from tests.documents.making import signed_in
from tests.retrieval.conftest import Find

MODEL = "ms-marco-TinyBERT-L-2-v2"
VOCABULARY = {"[PAD]": 0, "[UNK]": 1, "[CLS]": 2, "[SEP]": 3, "motor": 4}
MOTOR = 4


# ---- ONNX by hand: the toy's score is how often "motor" stands in the question and the passage together


def field(number: int, payload: bytes | int | str) -> bytes:
    """One protobuf field: a varint for a number, length-delimited for the rest."""
    if isinstance(payload, int):
        return varint(number << 3) + varint(payload)
    raw = payload.encode() if isinstance(payload, str) else payload
    return varint(number << 3 | 2) + varint(len(raw)) + raw


def varint(value: int) -> bytes:
    out = bytearray()
    while True:
        out.append(value & 0x7F | (0x80 if value > 0x7F else 0))
        value >>= 7
        if not value:
            return bytes(out)


def node(kind: str, inputs: list[str], output: str, attributes: bytes = b"") -> bytes:
    return b"".join(field(1, name) for name in inputs) + field(2, output) + field(4, kind) + attributes


def value(name: str, element: int, dims: list[str | int]) -> bytes:
    shape = b"".join(field(1, field(2, dim) if isinstance(dim, str) else field(1, dim)) for dim in dims)
    return field(1, name) + field(2, field(1, field(1, element) + field(2, shape)))


def constant(name: str, number: int) -> bytes:
    """A scalar int64."""
    return field(2, 7) + field(7, varint(number)) + field(8, name)


def whole(name: str, numbers: list[int]) -> bytes:
    return field(1, len(numbers)) + field(2, 7) + b"".join(field(7, number) for number in numbers) + field(8, name)


def cross_encoder() -> bytes:
    """input_ids == 4, cast to float, summed over the tokens: logits of shape (batch, 1)."""
    nodes = [
        node("Equal", ["input_ids", "wanted"], "hits"),
        node("Cast", ["hits"], "numbers", field(5, field(1, "to") + field(3, 1) + field(20, 2))),
        node("ReduceSum", ["numbers", "axes"], "logits"),
    ]
    names = ("input_ids", "attention_mask", "token_type_ids")
    graph = b"".join(field(1, one) for one in nodes) + field(2, "toy")
    graph += field(5, constant("wanted", MOTOR)) + field(5, whole("axes", [1]))
    graph += b"".join(field(11, value(name, 7, ["batch", "length"])) for name in names)
    graph += field(12, value("logits", 1, ["batch", 1]))
    return field(1, 8) + field(7, graph) + field(8, field(1, "") + field(2, 13))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A directory with the toy as FlashRank expects a model."""
    home = tmp_path / MODEL
    home.mkdir()
    (home / "flashrank-TinyBERT-L-2-v2.onnx").write_bytes(cross_encoder())
    tokenizer = Tokenizer(models.WordLevel(VOCABULARY, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", pair="[CLS] $A [SEP] $B:1 [SEP]:1", special_tokens=[("[CLS]", 2), ("[SEP]", 3)]
    )
    tokenizer.save(str(home / "tokenizer.json"))
    (home / "config.json").write_text('{"pad_token_id": 0}')
    (home / "tokenizer_config.json").write_text('{"model_max_length": 128, "pad_token": "[PAD]"}')
    (home / "special_tokens_map.json").write_text('{"pad_token": "[PAD]"}')
    return tmp_path


def test_a_cross_encoder_from_a_directory_reads_every_passage(folder: Path) -> None:
    ranker = FlashRanker(folder, MODEL)

    scores = ranker.scores("motor", ["a pump", "the motor is a motor", "one motor"])

    assert sorted(range(3), key=lambda place: -scores[place]) == [1, 2, 0]


@pytest.mark.parametrize("breakage", ["no directory", "no model", "no package"])
def test_what_is_missing_is_named_and_nothing_is_downloaded(
    folder: Path, breakage: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    ranker = FlashRanker(folder / "nowhere" if breakage == "no directory" else folder, MODEL)
    if breakage == "no model":
        (folder / MODEL / "flashrank-TinyBERT-L-2-v2.onnx").write_bytes(b"not a model")
    if breakage == "no package":
        monkeypatch.setitem(__import__("sys").modules, "flashrank", None)

    with pytest.raises(RerankerUnavailable) as caught:
        ranker.scores("motor", ["a", "b"])

    assert caught.value.code == ("retrieval.reranker_down" if breakage == "no model" else "retrieval.reranker_missing")
    assert not (folder / "nowhere").exists()


# ---- HTTP

Answer = Callable[[dict[str, Any]], tuple[int, bytes]]


class RerankServer:
    """POST /v1/rerank; `answer` says what comes back, `requests` what came."""

    def __init__(self) -> None:
        self.requests: list[dict[str, Any]] = []
        self.keys: list[str] = []
        self.answer: Answer = self.by_motors
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                sent = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                outer.requests.append(sent)
                outer.keys.append(self.headers.get("Authorization", ""))
                status, body = outer.answer(sent)
                self.send_response(status)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, format: str, *args: Any) -> None:
                """Nothing."""

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_port}/v1/rerank"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def by_motors(self, sent: dict[str, Any]) -> tuple[int, bytes]:
        """Best first, as Jina and Cohere order them."""
        rows = [
            {"index": place, "relevance_score": text.lower().count("motor") / 10}
            for place, text in enumerate(sent["documents"])
        ]
        rows.sort(key=lambda row: -row["relevance_score"])
        return 200, json.dumps({"results": rows[: sent["top_n"]]}).encode()

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()


@pytest.fixture
def server() -> Iterator[RerankServer]:
    running = RerankServer()
    yield running
    running.close()


def test_an_http_service_gets_question_and_passages_and_its_scores_come_back_in_place(server: RerankServer) -> None:
    reranker = HttpReranker(server.url, key="sesame", model="jina-reranker-v2")

    scores = reranker.scores("motor?", ["a pump", "motor, motor", "motor"])

    assert scores == [0.0, 0.2, 0.1]
    assert server.keys == ["Bearer sesame"]
    assert server.requests == [
        {"model": "jina-reranker-v2", "query": "motor?", "documents": ["a pump", "motor, motor", "motor"], "top_n": 3}
    ]


@pytest.mark.parametrize(
    ("status", "body"),
    [
        (500, b"{}"),
        (429, b"{}"),
        (200, b"garbage"),
        (200, b"[]"),
        (200, b'{"results": []}'),
        (200, b'{"results": [{"index": 0, "relevance_score": 1}]}'),
        (200, b'{"results": [{"index": 0, "relevance_score": 1}, {"index": 7, "relevance_score": 1}]}'),
        (200, b'{"results": [{"index": 0, "relevance_score": null}, {"index": 1, "relevance_score": 1}]}'),
    ],
)
def test_a_wrong_answer_of_the_service_is_none(server: RerankServer, status: int, body: bytes) -> None:
    server.answer = lambda sent: (status, body)

    with pytest.raises(RerankerUnavailable):
        HttpReranker(server.url).scores("motor", ["a", "b"])


def test_a_service_that_failed_is_left_alone_for_a_while(server: RerankServer) -> None:
    now = [0.0]
    server.answer = lambda sent: (500, b"")
    reranker = HttpReranker(server.url, breaker=Breaker(first_pause_s=5, clock=lambda: now[0]))

    for moment in (0.0, 1.0, 6.0):
        now[0] = moment
        with pytest.raises(RerankerUnavailable):
            reranker.scores("motor", ["a"])

    assert len(server.requests) == 2


def test_ties_keep_their_order_and_a_missing_score_is_refused() -> None:
    assert reordered([5, 6, 7], [0.1, 0.3, 0.1]) == [(6, 0.3), (5, 0.1), (7, 0.1)]
    with pytest.raises(ValueError, match="shorter"):
        reordered([5, 6], [0.1])


# ---- on the page


@pytest.fixture
def client(shelf: Shelf, find: Find, settings: Any, server: RerankServer) -> Iterator[Client]:
    shelf.put("pump.txt", "The pump is here, and here is the pump.")
    shelf.put("motor.txt", "A motor drives the pump; the motor is hot.")
    work_through()
    settings.RERANKER, settings.RERANKER_URL, settings.RERANKER_MODEL = "http", server.url, "toy"
    rerank.configured.cache_clear()
    yield signed_in(shelf.cast.ada)
    rerank.configured.cache_clear()


def test_the_page_shows_the_order_of_the_reranker(client: Client, server: RerankServer) -> None:
    answer = client.post("/search/", {"q": "pump"}).content.decode()

    assert answer.index(">motor<") < answer.index(">pump<")
    assert "Reranker" in answer


def test_the_page_says_that_the_reranker_does_not_answer_and_shows_the_fused_order(
    client: Client, server: RerankServer
) -> None:
    server.answer = lambda sent: (500, b"")

    answer = client.post("/search/", {"q": "pump"}).content.decode()

    assert "The reranker does not answer." in answer
    assert answer.index(">pump<") < answer.index(">motor<")
