"""A worker's loop: claim and run until nothing waits; and a look of its own every few seconds, should no call come."""

from __future__ import annotations

import threading
import time
from functools import partial

from django.db import DatabaseError, InterfaceError, connections

from documents import ingest, queue, requeue
from documents.sweep import sweep
from documents.wake import wake
from portal.events import Log
from portal.lookout import Work

log = Log("documents.worker")
TURN_S = 120.0
"""How long one call works before it hands on by a call of its own: well under the broker's visibility timeout."""
LOOK_S = 3.0
UNHEARD_S = 15.0
"""Work that waits so long while the broker takes every call: nobody hears them, so the lookout works itself."""
SWEEP_S = 3600.0
GAPS_S = 60.0


def work_through(*, turn_s: float = TURN_S) -> int:
    """Run jobs until none waits, the turn is over or the worker ends; returns how many were run."""
    until = time.monotonic() + turn_s
    done = 0
    while time.monotonic() < until:
        claimed = _claim()
        if claimed is None:
            return done
        ingest.run(claimed)
        done += 1
    wake()
    return done


def _claim() -> queue.Claim | None:
    """None also while the database is away: the lookout sees when it is back."""
    try:
        return queue.claim()
    except (DatabaseError, InterfaceError) as error:
        log.warning("worker.no_database", error=type(error).__name__)
        connections[queue.ALIAS].close()
        return None


class JobLook:
    """Looks for waiting or lost jobs; calls through the broker, or has them worked through aside when nobody hears."""

    name = "jobs"
    every_s = LOOK_S

    def __init__(self) -> None:
        queue.HELD.open()
        self._sweep_at = self._gaps_at = time.monotonic() + LOOK_S

    def stop(self) -> None:
        """Its jobs go back at once."""
        log.info("worker.ending", handed_back=requeue.hand_back_all())

    def find(self, end: threading.Event) -> Work | None:
        state = queue.state()
        is_unheard = state.oldest_wait_s > UNHEARD_S and not state.running
        if (state.waiting or state.lost) and (not wake() or is_unheard):
            return partial(work_through, turn_s=LOOK_S)
        if time.monotonic() > self._gaps_at:
            self._gaps_at = time.monotonic() + GAPS_S
            queue.fill_gaps()
        if time.monotonic() > self._sweep_at:
            self._sweep_at = time.monotonic() + SWEEP_S
            return sweep
        return None
