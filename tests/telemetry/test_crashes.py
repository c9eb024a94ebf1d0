"""Crash reports as Sentry receives them: the stack, the events before, and no value that anybody wrote."""

from __future__ import annotations

import logging
from typing import Any

from portal.telemetry.crashes import Crashes
from tests.telemetry.receivers import Receiver

CANARY = "zanzibarquux"


def record(name: str, *, level: int = logging.INFO, fields: dict[str, Any] | None = None, error: Any = None) -> Any:
    made = logging.LogRecord("answers.ask", level, "ask.py", 1, name, (), error)
    if fields is not None:
        made.fields = fields
    return made


def crash(question: str) -> Any:
    """An exception whose message, locals and cause all hold the question."""
    local = {"question": question}
    try:
        try:
            raise KeyError(local["question"])  # noqa: TRY301
        except KeyError as inner:
            raise ValueError(f"cannot search for {question}") from inner
    except ValueError as outer:
        return (type(outer), outer, outer.__traceback__)


def reported(*records: Any) -> Receiver:
    with Receiver() as receiver:
        crashes = Crashes(receiver.url.replace("http://", "http://key@") + "/1")
        for one in records:
            crashes.take(one)
        crashes.close()
    return receiver


def test_an_error_is_reported_with_its_stack_and_its_breadcrumbs() -> None:
    receiver = reported(
        record("ask.done", fields={"q_hash": "ab" * 32, "q_len": 12, "total_ms": 40, "outcome": "answered"}),
        record("ask.failed", level=logging.ERROR, fields={"stage": "search"}, error=crash(CANARY)),
    )

    [event] = receiver.events()
    types = [value["type"] for value in event["exception"]["values"]]
    frames = [frame["function"] for value in event["exception"]["values"] for frame in value["stacktrace"]["frames"]]
    crumbs = {crumb["message"]: crumb["data"] for crumb in event["breadcrumbs"]["values"]}
    assert types == ["KeyError", "ValueError"]
    assert "crash" in frames
    assert (event["transaction"], event["logger"], event["level"]) == ("ask.failed", "answers.ask", "error")
    assert crumbs["ask.done"] == {"q_hash": "ab" * 32, "q_len": 12, "total_ms": 40, "outcome": "answered"}


def test_nothing_that_was_asked_is_in_a_report() -> None:
    foreign = logging.LogRecord(
        "django.request", logging.ERROR, "x.py", 1, f"failed for {CANARY} %s", (CANARY,), crash(CANARY)
    )

    receiver = reported(record("ask.failed", level=logging.ERROR, fields={}, error=crash(CANARY)), foreign)

    assert len(receiver.events()) == 2
    assert CANARY.encode() not in receiver.log.everything
    assert all(set(frame) <= {"filename", "abs_path", "function", "module", "lineno", "in_app"}
               for event in receiver.events() for value in event["exception"]["values"]
               for frame in value["stacktrace"]["frames"])  # fmt: skip


def test_a_report_holds_nothing_of_the_machine_or_the_request() -> None:
    [event] = reported(record("ask.failed", level=logging.ERROR, fields={}, error=crash("x"))).events()

    assert not {"request", "user", "server_name", "extra", "modules", "contexts", "message", "logentry"} & set(event)


def test_what_is_no_error_is_not_reported() -> None:
    assert reported(record("ask.done", fields={"total_ms": 1})).log.requests == []


def test_a_key_in_a_field_is_blanked() -> None:
    key = "fn_" + "0" * 18 + "_verysecret"

    receiver = reported(
        record("x", fields={"given": key}), record("y", level=logging.ERROR, fields={}, error=crash("x"))
    )

    assert b"verysecret" not in receiver.log.everything
