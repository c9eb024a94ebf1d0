"""The one thread of a worker that looks for what waits, every few seconds and over one connection (settings.WORKER_LOOKS).

What it finds is carried out aside, in a thread that lives as long as the work: each connection costs PostgreSQL 4 to 9 MB.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from typing import Protocol

from django.db import DatabaseError, InterfaceError, connections

from portal.events import Log

log = Log("portal.lookout")
TICK_S = 1.0
LAST_WORDS_S = 8.0
Work = Callable[[], object]


class Look(Protocol):
    """What an app has looked for. `find` is quick, runs every `every_s` while nothing of it is under way, and may return work."""

    name: str
    every_s: float

    def find(self, end: threading.Event) -> Work | None: ...

    def stop(self) -> None:
        """The worker was asked to end; its threads are waited for afterwards."""


class Lookout(threading.Thread):
    def __init__(self, looks: Sequence[Look]) -> None:
        super().__init__(name="lookout", daemon=True)
        self._looks = looks
        self._end = threading.Event()
        self._next_at = {look.name: time.monotonic() + look.every_s for look in looks}
        self._aside: dict[str, threading.Thread] = {}

    def stop(self) -> None:
        self._end.set()
        for look in self._looks:
            look.stop()

    def run(self) -> None:
        while not self._end.wait(TICK_S):
            for look in self._looks:
                if time.monotonic() >= self._next_at[look.name]:
                    self._turn(look)
                    self._next_at[look.name] = time.monotonic() + look.every_s
        connections.close_all()
        for thread in self._aside.values():
            thread.join(timeout=LAST_WORDS_S)

    def _turn(self, look: Look) -> None:
        under_way = self._aside.get(look.name)
        if under_way is not None and under_way.is_alive():
            return
        try:
            work = look.find(self._end)
        except (DatabaseError, InterfaceError, OSError) as error:
            log.warning("worker.lookout_failed", look=look.name, error=type(error).__name__)
            connections["ingest"].close()
            return
        finally:
            connections["default"].close()
        if work is not None:
            self._aside[look.name] = threading.Thread(
                target=_carry_out, args=(look.name, work), name=look.name, daemon=True
            )
            self._aside[look.name].start()


def _carry_out(name: str, work: Work) -> None:
    try:
        work()
    except Exception:  # noqa: BLE001 (the boundary of a turn: what was claimed is claimed again after its lease)
        log.failure("worker.turn_failed", look=name)
    finally:
        connections.close_all()
