from __future__ import annotations

import threading
import time
from collections.abc import Iterator, Sequence
from typing import Any

import pytest

from documents.embedding.client import BatchSize, EmbedderUnavailable, Patience, RetryingEmbedder, embedder_from
from documents.embedding.provider import ProviderTransport
from documents.embedding.transport import HttpTransport, Priority, Transport
from documents.embedding.vector import Vector
from tests.fakes.openai_server import DIMS, Cut, Fault, Garbage, Hang, OpenAIServer, Silent, Status, toy_vector

QUICK: dict[Priority, Patience] = {
    "question": Patience(attempts=2, read_s=0.3, first_wait_s=0.01, max_wait_s=1),
    "bulk": Patience(attempts=3, read_s=0.5, first_wait_s=0.01, max_wait_s=1),
}
TEXTS = ["one fish", "two fish", "red fish", "blue fish", "old fish"]


@pytest.fixture
def server() -> Iterator[OpenAIServer]:
    with OpenAIServer() as running:
        yield running


@pytest.fixture(params=[HttpTransport, ProviderTransport])
def embedder(request: pytest.FixtureRequest, server: OpenAIServer) -> Iterator[RetryingEmbedder]:
    transport: Transport = request.param(server.url, "sesame", "toy")
    made = RetryingEmbedder(transport, model="toy", size=BatchSize(2, 1000), patience=QUICK)
    yield made
    made.close()


def toys(texts: Sequence[str]) -> list[Any]:
    return [pytest.approx(toy_vector(text), abs=1e-6) for text in texts]


def test_vectors_come_back_in_the_order_of_the_texts(server: OpenAIServer, embedder: RetryingEmbedder) -> None:
    vectors = embedder.embed(TEXTS, priority="bulk")

    assert vectors == toys(TEXTS)
    assert [request.body["input"] for request in server.requests] == [TEXTS[:2], TEXTS[2:4], TEXTS[4:]]


def test_no_texts_ask_nothing(server: OpenAIServer, embedder: RetryingEmbedder) -> None:
    assert embedder.embed([], priority="bulk") == []
    assert server.requests == []


def test_key_model_and_priority_are_sent(server: OpenAIServer, embedder: RetryingEmbedder) -> None:
    embedder.embed(["hello"], priority="question")

    asked = server.requests[0]
    assert asked.path == "/v1/embeddings"
    assert asked.headers["authorization"] == "Bearer sesame"
    assert asked.headers["x-priority"] == "question"
    assert asked.body["model"] == "toy"


def test_dims_are_asked_once(server: OpenAIServer, embedder: RetryingEmbedder) -> None:
    assert (embedder.dims, embedder.dims) == (DIMS, DIMS)
    assert len(server.requests) == 1


def test_connection_is_used_again(server: OpenAIServer, embedder: RetryingEmbedder) -> None:
    for _ in range(3):
        embedder.embed(TEXTS, priority="bulk")

    assert len({request.connection for request in server.requests}) == 1


@pytest.mark.parametrize(
    "fault", [Status(500), Status(429, "0"), Status(503), Cut(), Silent(), Garbage(), Garbage(b"{}")]
)
def test_fault_that_passes_is_sat_out(server: OpenAIServer, embedder: RetryingEmbedder, fault: Fault) -> None:
    server.script(fault, fault)

    vectors = embedder.embed(["hello"], priority="bulk")

    assert vectors == toys(["hello"])


def test_hanging_server_is_given_up_and_asked_again(server: OpenAIServer, embedder: RetryingEmbedder) -> None:
    server.script(Hang(30))
    started = time.monotonic()

    embedder.embed(["hello"], priority="question")

    assert 0.3 <= time.monotonic() - started < 3


@pytest.mark.parametrize(
    ("fault", "reason"),
    [
        (Status(500), "failed"),
        (Status(429), "busy"),
        (Cut(), "unreachable"),
        (Garbage(b'{"data": [{"index": 0, "embedding": [1.0]}]}'), "failed"),
        (Garbage(b'{"data": [{"index": 0, "embedding": [NaN]}, {"index": 1, "embedding": [1]}]}'), "failed"),
    ],
)
def test_what_was_done_before_the_fault_is_kept(
    server: OpenAIServer, embedder: RetryingEmbedder, fault: Fault, reason: str
) -> None:
    server.script(fault, fault, fault, fault)

    with pytest.raises(EmbedderUnavailable) as caught:
        with_one_good_batch(embedder).embed(TEXTS, priority="bulk")

    assert (caught.value.code, caught.value.reason) == ("documents.embedder_down", reason)
    assert caught.value.done == toys(TEXTS[:2])
    assert caught.value.may_pass


def with_one_good_batch(embedder: RetryingEmbedder) -> RetryingEmbedder:
    """The same embedder whose first batch succeeds whatever the server is scripted to do."""

    class FirstGood:
        passed = False

        def send(self, texts: Sequence[str], priority: Priority, *, read_s: float) -> list[Vector]:
            if self.passed:
                return embedder._transport.send(texts, priority, read_s=read_s)
            self.passed = True
            return [toy_vector(text) for text in texts]

        def close(self) -> None:
            embedder.close()

    return RetryingEmbedder(FirstGood(), model="toy", size=BatchSize(2, 1000), patience=QUICK)


def test_refusal_is_not_repeated(server: OpenAIServer, embedder: RetryingEmbedder) -> None:
    server.script(Status(401))

    with pytest.raises(EmbedderUnavailable) as caught:
        embedder.embed(["hello"], priority="bulk")

    assert (caught.value.code, caught.value.may_pass) == ("documents.embedder_refused", False)
    assert len(server.requests) == 1


def test_longer_wait_than_anyone_should_have_is_handed_to_the_caller(
    server: OpenAIServer, embedder: RetryingEmbedder
) -> None:
    server.script(Status(429, "600"))
    started = time.monotonic()

    with pytest.raises(EmbedderUnavailable) as caught:
        embedder.embed(["hello"], priority="bulk")

    assert caught.value.retry_after_s == 600
    assert time.monotonic() - started < 1


def test_embedder_that_is_down_is_said_within_the_connect_time() -> None:
    with OpenAIServer() as server:
        url = server.url
    embedder = RetryingEmbedder(HttpTransport(url, "", "toy"), model="toy", size=BatchSize(2, 100), patience=QUICK)

    with pytest.raises(EmbedderUnavailable) as caught:
        embedder.embed(["hello"], priority="question")

    assert (caught.value.reason, caught.value.done) == ("unreachable", [])


def test_message_never_holds_the_text(server: OpenAIServer, embedder: RetryingEmbedder) -> None:
    server.script(Status(400))

    with pytest.raises(EmbedderUnavailable) as caught:
        embedder.embed(["the secret of ada"], priority="bulk")

    assert "ada" not in f"{caught.value} {caught.value.detail} {caught.value.code}"


def test_half_a_surrogate_pair_does_not_stop_a_batch(server: OpenAIServer, embedder: RetryingEmbedder) -> None:
    assert len(embedder.embed(["broken \ud83d text", "whole"], priority="bulk")) == 2


def test_many_threads_share_one_embedder(server: OpenAIServer, embedder: RetryingEmbedder) -> None:
    found: dict[int, object] = {}

    def ask(number: int) -> None:
        found[number] = embedder.embed([f"text {number}"], priority="question")

    threads = [threading.Thread(target=ask, args=(number,)) for number in range(20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert found == {number: toys([f"text {number}"]) for number in range(20)}


@pytest.mark.parametrize(
    ("texts", "expected"),
    [
        ([], []),
        (["a"], [1]),
        (["a", "b", "c", "d"], [3, 1]),
        (["a" * 90, "b"], [1, 1]),
        (["a", "b" * 27, "c"], [2, 1]),
        (["a" * 900, "b", "c"], [1, 2]),
    ],
)
def test_batches_stay_within_count_and_tokens(texts: list[str], expected: Any) -> None:
    assert [len(batch) for batch in BatchSize(max_texts=3, max_tokens=11).split(texts)] == expected


@pytest.mark.parametrize(
    ("attempt", "asked", "chance", "expected"),
    [
        (1, None, 0.5, 0.25),
        (2, None, 0.5, 0.5),
        (3, None, 0.0, 0.5),
        (12, None, 0.5, 20.0),
        (1, 3.0, 0.9, 3.0),
        (1, 21.0, 0, None),
    ],
)
def test_waits_double_are_spread_and_follow_the_provider(
    attempt: int, asked: float | None, chance: float, expected: Any
) -> None:
    assert Patience(attempts=4, read_s=1).wait_s(attempt, asked, chance) == expected


def test_plain_http_needs_no_sdk_and_https_does() -> None:
    near = embedder_from("http://127.0.0.1:9", "k", "m", dims=3)
    far = embedder_from("https://embedder.test", "k", "m", dims=3)

    assert (near.model, near.dims) == ("m", 3)
    assert isinstance(near._transport, HttpTransport)
    assert isinstance(far._transport, ProviderTransport)
