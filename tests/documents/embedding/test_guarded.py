"""A provider that hangs or is down costs the first question a moment and the next ones nothing."""

from __future__ import annotations

import time

import pytest

from documents.breaker import Breaker
from documents.embedding.client import NEAR, PATIENCE, EmbedderUnavailable, Patience, RetryingEmbedder
from documents.embedding.guarded import GuardedEmbedder
from documents.embedding.transport import HttpTransport
from tests.fakes.openai_server import Hang, OpenAIServer, Status


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def guarded(server: OpenAIServer, clock: Clock, *, read_s: float = 0.2) -> GuardedEmbedder:
    patience = Patience(attempts=2, read_s=read_s, first_wait_s=0.01, max_wait_s=0.02, longest_s=read_s * 0.8)
    inner = RetryingEmbedder(
        HttpTransport(server.url, "", "toy"), model="toy", size=NEAR, patience={"question": patience, "bulk": patience}
    )
    return GuardedEmbedder(inner, Breaker(first_pause_s=5.0, longest_pause_s=30.0, clock=clock))


def ask(embedder: GuardedEmbedder) -> bool:
    """Whether a vector came."""
    try:
        return bool(embedder.embed(["how hot is the pump"], priority="question"))
    except EmbedderUnavailable:
        return False


def test_one_that_hangs_is_asked_once_and_then_left_alone_until_its_pause_is_over() -> None:
    clock = Clock()
    with OpenAIServer() as server:
        embedder = guarded(server, clock)
        server.script(Hang(5))
        started = time.monotonic()

        got = [ask(embedder) for _ in range(20)]
        took_s = time.monotonic() - started
        asked = len(server.requests)
        clock.now += 6
        later = [ask(embedder), ask(embedder)]
        embedder.close()

    assert (got, asked) == ([False] * 20, 1)
    assert took_s < 1.0
    assert later == [True, True]


def test_one_failure_in_passing_is_tried_again_and_leaves_nothing_behind() -> None:
    with OpenAIServer() as server:
        embedder = guarded(server, Clock())
        server.script(Status(500))

        assert [ask(embedder), ask(embedder)] == [True, True]
        assert len(server.requests) == 3
        embedder.close()


def test_a_provider_that_refuses_is_asked_again_at_once() -> None:
    with OpenAIServer() as server:
        embedder = guarded(server, Clock())
        server.script(Status(401))

        with pytest.raises(EmbedderUnavailable) as refused:
            embedder.embed(["how hot is the pump"], priority="question")

        assert refused.value.code == "documents.embedder_refused"
        assert ask(embedder)
        assert (embedder.model, embedder.dims) == ("toy", 32)
        embedder.close()


def test_a_person_waits_three_seconds_at_most() -> None:
    patience = PATIENCE["question"]

    assert patience.read_s <= 3.0
    assert patience.longest_s < patience.read_s  # what hung once is not waited for twice
