"""A worker's part: claim and carry on until no run waits, and a look of its own every few seconds."""

from __future__ import annotations

import threading
import time

from django.db import DatabaseError, connections

from evaluation import queue
from evaluation.run import TURN_S, run
from portal.events import Log

log = Log("evaluation.worker")
LOOK_S = 5.0


def work_through(*, turn_s: float = TURN_S) -> int:
    """Carry runs on until none waits or the turn is over, then call for another turn; returns how many turns were taken."""
    until = time.monotonic() + turn_s
    turns = 0
    while (left := until - time.monotonic()) > 0:
        claimed = queue.claim()
        if claimed is None:
            return turns
        try:
            run(claimed, turn_s=left)
        except Exception:  # noqa: BLE001 (the boundary of a turn: the run stays leased and is claimed again)
            log.failure("evaluation.turn_failed", run=claimed.run_id, attempt=claimed.attempt)
            connections["default"].close()
        turns += 1
    queue.wake()
    return turns


class Lookout(threading.Thread):
    """Looks for waiting or lost runs every LOOK_S; calls through the broker, or works itself when the broker is down."""

    def __init__(self) -> None:
        super().__init__(name="evaluation-lookout", daemon=True)
        self._end = threading.Event()

    def stop(self) -> None:
        self._end.set()

    def run(self) -> None:
        while not self._end.wait(LOOK_S):
            try:
                if queue.waiting() and not queue.wake():
                    work_through(turn_s=LOOK_S)
            except DatabaseError:
                log.failure("evaluation.lookout_failed")
                connections["ingest"].close()
        connections["ingest"].close()
