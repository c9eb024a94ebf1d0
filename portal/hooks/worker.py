"""A worker's part: look for messages that are due, call a few receivers side by side, keep what became of each.

A thread of its own and not a Celery task: the pool has two threads, which read documents, and a receiver may take 15 seconds.
The sending threads exist while something is on its way, and hold no database connection.
"""

from __future__ import annotations

import threading
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait

from django.db import DatabaseError, InterfaceError, connections

from portal.events import Log
from portal.hooks.sending import Delay, Letter, Outcome, jittered, next_letter, send, settle
from portal.outgoing import OUTSIDE, Outside
from portal.problems import UserProblem

log = Log("portal.hooks")
LOOK_S = 2.0
LANES = 4


def work_through(
    *, outside: Outside = OUTSIDE, delay: Delay = jittered, end: threading.Event | None = None, lanes: int = LANES
) -> int:
    """Send until nothing is due; returns how many calls were made."""
    first = next_letter()
    if first is None:
        return 0
    flying: dict[Future[Outcome], Letter] = {}
    calls = 0
    with ThreadPoolExecutor(lanes, thread_name_prefix="hook") as pool:
        letter: Letter | None = first
        while letter or flying:
            while letter:
                flying[pool.submit(send, letter, outside=outside)] = letter
                calls += 1
                letter = _next(flying, lanes, end)
            done, _ = wait(flying, timeout=1.0, return_when=FIRST_COMPLETED)
            for future in done:
                _settle(flying.pop(future), future, delay)
            letter = _next(flying, lanes, end)
    return calls


def _next(flying: dict[Future[Outcome], Letter], lanes: int, end: threading.Event | None) -> Letter | None:
    return None if len(flying) >= lanes or (end and end.is_set()) else next_letter()


def _settle(letter: Letter, future: Future[Outcome], delay: Delay) -> None:
    """A maker who lost the right meanwhile settles nothing: the next claim does."""
    try:
        settle(letter, future.result(), delay=delay)
    except UserProblem as trouble:
        log.warning("hook.unsettled", hook=letter.hook.ref, code=trouble.code)


class Lookout(threading.Thread):
    """Looks every LOOK_S. Nothing but this thread speaks to the database here."""

    def __init__(self) -> None:
        super().__init__(name="hooks-lookout", daemon=True)
        self._end = threading.Event()

    def stop(self) -> None:
        self._end.set()

    def run(self) -> None:
        while not self._end.wait(LOOK_S):
            try:
                work_through(end=self._end)
            except (DatabaseError, InterfaceError):
                log.failure("hooks.lookout_failed")
                self._close()
            except Exception:  # noqa: BLE001 (the boundary of a turn: what was claimed is claimed again after its lease)
                log.failure("hooks.turn_failed")
                self._close()
        self._close()

    @staticmethod
    def _close() -> None:
        for alias in ("ingest", "default"):
            connections[alias].close()


def sweep() -> int:
    """Settled messages of more than a month, for every maker (portal/sql/0008_hooks.sql); what portal.forgetting.sweep() calls."""
    with connections["ingest"].cursor() as cursor:
        cursor.execute("SELECT footnote.drop_old_deliveries()")
        return int(cursor.fetchone()[0])
