"""The lookout: one thread finds, work goes on aside, one failure stops nobody, the end is told to all."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass, field

import pytest
from django.db import DatabaseError

from portal.lookout import Lookout, Work


@dataclass
class Scripted:
    """Finds what it was given, one thing a look; an exception is raised."""

    name: str
    finds: list[Work | Exception | None]
    every_s: float = 0.0
    looked: int = 0
    stopped: bool = False
    done: threading.Event = field(default_factory=threading.Event)

    def find(self, end: threading.Event) -> Work | None:
        self.looked += 1
        found = self.finds.pop(0) if self.finds else None
        if not self.finds:
            self.done.set()
        if isinstance(found, Exception):
            raise found
        return found

    def stop(self) -> None:
        self.stopped = True


def watched(monkeypatch: pytest.MonkeyPatch, *looks: Scripted) -> Callable[[], None]:
    """Start a lookout that looks without a pause; returns what ends it."""
    monkeypatch.setattr("portal.lookout.TICK_S", 0.005)
    lookout = Lookout(looks)
    lookout.start()

    def end() -> None:
        lookout.stop()
        lookout.join(timeout=10)
        assert not lookout.is_alive()

    return end


def test_what_is_found_is_carried_out_aside_and_not_looked_for_meanwhile(monkeypatch: pytest.MonkeyPatch) -> None:
    begun, go_on = threading.Event(), threading.Event()

    def work() -> None:
        begun.set()
        go_on.wait(10)

    busy, other = Scripted("busy", [work, None]), Scripted("other", [None] * 5)
    end = watched(monkeypatch, busy, other)

    assert begun.wait(10) and other.done.wait(10)
    looked_meanwhile = busy.looked
    go_on.set()
    assert busy.done.wait(10)
    end()

    assert looked_meanwhile == 1
    assert busy.stopped and other.stopped


def test_a_look_or_a_work_that_fails_stops_neither_itself_nor_others(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken() -> None:
        raise RuntimeError("the canary text")

    failing = Scripted("failing", [DatabaseError("away"), OSError("away"), broken, None])
    other = Scripted("other", [None] * 5)
    end = watched(monkeypatch, failing, other)

    assert failing.done.wait(10) and other.done.wait(10)
    end()

    assert failing.looked >= 4 and other.looked >= 5


def test_the_end_waits_for_work_that_is_under_way(monkeypatch: pytest.MonkeyPatch) -> None:
    begun, finished = threading.Event(), threading.Event()
    looks = Scripted("slow", [])
    told: list[threading.Event] = []

    def find(end: threading.Event) -> Work | None:
        if told:
            return None
        told.append(end)

        def work() -> None:
            begun.set()
            end.wait(10)
            finished.set()

        return work

    looks.find = find  # type: ignore[method-assign]
    end = watched(monkeypatch, looks)
    assert begun.wait(10)

    end()

    assert finished.is_set()
