"""One call of an endpoint against every fault of case 36: a fault with its reason, in time, and never the endpoint's text."""

from __future__ import annotations

import time
from collections.abc import Iterator

import pytest

from answers.router import call
from answers.router.call import pieces
from answers.router.fault import ModelFault, fault_of_status
from answers.router.said import End, Message, Stopped
from portal.model_env import ModelEndpoint
from tests.fakes.model_server import (
    Act,
    Body,
    CutAfter,
    Endless,
    Events,
    Gated,
    ModelServer,
    Redirect,
    Says,
    Silence,
    Status,
)

MESSAGES: list[Message] = [{"role": "user", "content": "What does E4304 mean?"}]


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with ModelServer() as running:
        yield running


def endpoint(server: ModelServer, **more: float) -> ModelEndpoint:
    times = {"connect_s": 1.0, "first_s": 1.5, "idle_s": 0.8, "total_s": 6.0, **more}
    return ModelEndpoint("toy", server.url, "toy-1", "sk-own", **times)  # type: ignore[arg-type]


def talk(server: ModelServer, act: Act, **more: float) -> list[str | End]:
    server.script(act)
    return list(pieces(endpoint(server, **more), MESSAGES, walled=False, stop=lambda: False))


def test_pieces_come_as_they_are_written_and_the_count_last(server: ModelServer) -> None:
    found = talk(server, Says(("The motor ", "is too hot [1].")))

    assert found == ["The motor ", "is too hot [1].", End(is_capped=False, tokens_in=100, tokens_out=2)]
    sent = server.calls[0]
    assert (sent.body["temperature"], sent.body["model"], sent.body["stream"]) == (0, "toy-1", True)
    assert sent.headers["authorization"] == "Bearer sk-own"


def test_the_second_piece_is_sent_only_after_the_first_reached_the_reader(server: ModelServer) -> None:
    server.script(Gated(("one ", "two")))
    running = pieces(endpoint(server, idle_s=5), MESSAGES, walled=False, stop=lambda: False)

    first = next(running)
    sent_before = server.calls[0].sent
    server.let_go()
    rest = list(running)

    assert (first, sent_before, rest[0]) == ("one ", 1, "two")


GARBAGE = "data: {not json}\n"
CASES: dict[str, tuple[Act, str]] = {
    "429 with a wish": (Status(429, retry_after="2"), "busy"),
    "500": (Status(500), "failed"),
    "a wrong key": (Status(401), "refused"),
    "an unknown model": (Status(404), "refused"),
    "a page of a proxy": (Body(b"<html>busy</html>"), "empty"),
    "invalid JSON": (Events((GARBAGE,)), "garbage"),
    "JSON of another protocol": (Events(('data: {"hello": [1, 2]}\n',)), "empty"),
    "a number for a chunk": (Events(("data: 7\n",)), "empty"),
    "an error in the stream": (Events(('data: {"error": {"message": "sk-secret", "code": 500}}\n',)), "failed"),
    "an empty answer": (Says(()), "empty"),
    "blanks alone": (Says((" ", "\n", "\t")), "empty"),
    "nothing at all": (Events(()), "empty"),
    "a reset in the middle": (CutAfter(("half ",)), "cut"),
    "an early end in the middle": (CutAfter(("half ",), is_polite=True), "cut"),
    "silence from the start": (Silence(60), "silent"),
    "silence in the middle": (Silence(60, after=("half ",)), "silent"),
    "a redirect": (Redirect("http://127.0.0.1:9/v1/chat/completions"), "refused"),
}


@pytest.mark.parametrize("name", CASES)
def test_every_fault_has_its_reason_in_time(server: ModelServer, name: str) -> None:
    act, reason = CASES[name]
    began = time.monotonic()

    with pytest.raises(ModelFault) as fault:
        talk(server, act)

    assert (fault.value.reason, "sk-secret" in repr(fault.value)) == (reason, False)
    assert time.monotonic() - began < 5


def test_a_closed_port_is_unreachable() -> None:
    nobody = ModelEndpoint("toy", "http://127.0.0.1:9/v1", "toy-1", connect_s=0.5)

    with pytest.raises(ModelFault) as fault:
        list(pieces(nobody, MESSAGES, walled=False, stop=lambda: False))

    assert fault.value.reason == "unreachable"


def test_an_endless_answer_is_cut_and_the_connection_closed(server: ModelServer) -> None:
    found = talk(server, Endless(), max_output_tokens=16)

    text = "".join(piece for piece in found if isinstance(piece, str))
    assert len(text) == 16 * call.CHARACTERS_A_TOKEN and found[-1] == End(is_capped=True)
    assert server.calls[0].hung_up.wait(2)


def test_a_megabyte_in_one_piece_is_cut_to_what_was_allowed(server: ModelServer) -> None:
    found = talk(server, Says(("x" * 1_000_000,)), max_output_tokens=100)

    assert sum(len(piece) for piece in found if isinstance(piece, str)) == 600


def test_a_line_without_an_end_is_too_large(server: ModelServer) -> None:
    with pytest.raises(ModelFault) as fault:
        talk(server, Body(b"data: " + b"x" * 3_000_000, "text/event-stream"))

    assert fault.value.reason == "too_large"


@pytest.mark.parametrize("act", [Silence(60), Gated(("one ", "two"))])
def test_stopping_hangs_up_within_a_second_even_in_silence(server: ModelServer, act: Act) -> None:
    server.script(act)
    stopped_at = time.monotonic() + 0.3

    with pytest.raises(Stopped):
        list(pieces(endpoint(server, first_s=20, idle_s=20, total_s=20), MESSAGES, walled=False,
                    stop=lambda: time.monotonic() > stopped_at))  # fmt: skip

    assert time.monotonic() - stopped_at < 1
    if isinstance(act, Silence):
        assert server.calls[0].hung_up.wait(1.5)


def test_waits_grow_with_jitter_and_heed_retry_after() -> None:
    failed = ModelFault("failed", 500)
    assert (failed.wait_s(1, 0.0), failed.wait_s(2, 0.5)) == (0.15, 0.6)
    assert fault_of_status(429, "3").wait_s(1, 0.5) == 3.1
    assert fault_of_status(429, "60").wait_s(1, 0.5) is None
    assert fault_of_status(429, "Wed, 21 Oct 2026 07:28:00 GMT").wait_s(1, 0.5) is None
    assert ModelFault("refused", 401).wait_s(1, 0.5) is None
    assert ModelFault("silent").wait_s(1, 0.5) is None
