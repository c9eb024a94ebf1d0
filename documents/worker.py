"""A worker's loop: claim and run until nothing waits; and a look of its own every few seconds, should no call come."""

from __future__ import annotations

import threading
import time

from django.db import DatabaseError, connections

from documents import ingest, queue
from documents.wake import wake
from portal.events import Log

log = Log("documents.worker")
TURN_S = 120.0
"""How long one call works before it hands on by a call of its own: well under the broker's visibility timeout."""
LOOK_S = 3.0


def work_through(*, turn_s: float = TURN_S) -> int:
    """Run jobs until none waits or the turn is over; returns how many were run."""
    until = time.monotonic() + turn_s
    done = 0
    while time.monotonic() < until:
        claimed = queue.claim()
        if claimed is None:
            return done
        try:
            ingest.run(claimed)
        except Exception:  # the boundary of a job: it stays leased, is claimed again, and stops after the third loss
            log.failure("worker.job_failed", job=claimed.job_id, attempt=claimed.attempt)
            connections["ingest"].close()
        done += 1
    wake()
    return done


class Lookout(threading.Thread):
    """Looks for waiting or lost jobs every LOOK_S; calls through the broker, or works itself when the broker is down."""

    def __init__(self) -> None:
        super().__init__(name="lookout", daemon=True)
        self._end = threading.Event()

    def stop(self) -> None:
        self._end.set()

    def run(self) -> None:
        while not self._end.wait(LOOK_S):
            try:
                self._look()
            except DatabaseError:
                log.failure("worker.lookout_failed")
                connections["ingest"].close()
        connections["ingest"].close()

    def _look(self) -> None:
        state = queue.state()
        if (state.waiting or state.lost) and not wake():
            work_through(turn_s=LOOK_S)
