"""A worker's part: look for imports that wait, fetch two side by side. Threads exist while something is fetched."""

from __future__ import annotations

import threading
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait

from django.db import DatabaseError, InterfaceError, connections

from documents.web.fetching import Claim, claim, run
from portal.events import Log
from portal.outgoing import OUTSIDE, Outside

log = Log("documents.web")
LOOK_S = 2.0
LANES = 2


def work_through(*, outside: Outside = OUTSIDE, end: threading.Event | None = None, lanes: int = LANES) -> int:
    """Fetch until nothing waits; returns how many were fetched or tried."""
    claimed = claim()
    if claimed is None:
        return 0
    flying: set[Future[None]] = set()
    count = 0
    with ThreadPoolExecutor(lanes, thread_name_prefix="fetch") as pool:
        while claimed is not None or flying:
            while claimed is not None:
                flying.add(pool.submit(_run, claimed, outside))
                count += 1
                claimed = _next(flying, lanes, end)
            _, flying = wait(flying, timeout=1.0, return_when=FIRST_COMPLETED)
            claimed = _next(flying, lanes, end)
    return count


def _next(flying: set[Future[None]], lanes: int, end: threading.Event | None) -> Claim | None:
    return None if len(flying) >= lanes or (end and end.is_set()) else claim()


def _run(claimed: Claim, outside: Outside) -> None:
    try:
        run(claimed, outside=outside)
    except Exception:  # noqa: BLE001 (the boundary of an import: it stays leased and is claimed again)
        log.failure("import.failed", attempt=claimed.attempt)
    finally:
        connections["default"].close()


class Lookout(threading.Thread):
    """Looks every LOOK_S."""

    def __init__(self) -> None:
        super().__init__(name="imports-lookout", daemon=True)
        self._end = threading.Event()

    def stop(self) -> None:
        self._end.set()

    def run(self) -> None:
        while not self._end.wait(LOOK_S):
            try:
                work_through(end=self._end)
            except (DatabaseError, InterfaceError):
                log.failure("imports.lookout_failed")
                connections["ingest"].close()
        connections["ingest"].close()
