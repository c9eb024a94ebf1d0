"""A worker's part: look for imports that wait, fetch two side by side. Threads exist while something is fetched."""

from __future__ import annotations

import threading
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from functools import partial

from django.db import connections

from documents.web.fetching import Claim, claim, run
from portal.events import Log
from portal.lookout import Work
from portal.outgoing import OUTSIDE, Outside

log = Log("documents.web")
LOOK_S = 2.0
LANES = 2


def work_through(
    *,
    first: Claim | None = None,
    outside: Outside = OUTSIDE,
    end: threading.Event | None = None,
    lanes: int = LANES,
) -> int:
    """Fetch until nothing waits, `first` before all; returns how many were fetched or tried."""
    claimed = first or claim()
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


class ImportLook:
    """Looks for imports that wait."""

    name = "imports"
    every_s = LOOK_S

    def find(self, end: threading.Event) -> Work | None:
        first = claim()
        return None if first is None else partial(work_through, first=first, end=end)

    def stop(self) -> None:
        """What was claimed is claimed again after its lease."""
