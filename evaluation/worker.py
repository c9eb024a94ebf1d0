"""A worker's part: claim and carry on until no run waits, and a look of its own every few seconds."""

from __future__ import annotations

import threading
import time
from functools import partial

from django.db import connections

from evaluation import queue
from evaluation.run import TURN_S, run
from portal.events import Log
from portal.lookout import Work

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


class RunLook:
    """Looks for waiting or lost runs; calls through the broker, or has them carried on aside when the broker is down."""

    name = "runs"
    every_s = LOOK_S

    def find(self, end: threading.Event) -> Work | None:
        return partial(work_through, turn_s=LOOK_S) if queue.waiting() and not queue.wake() else None

    def stop(self) -> None:
        """A run stays leased and is claimed again."""
