"""A worker's part: look for messages that are due, call a few receivers side by side, keep what became of each.

Beside the lookout (portal/lookout.py) and not in a Celery task: the pool has two threads, which read documents, and a receiver may
take 15 seconds. The sending threads exist while something is on its way, and hold no database connection.
"""

from __future__ import annotations

import threading
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from functools import partial

from django.db import connections

from portal.events import Log
from portal.hooks.sending import Delay, Letter, Outcome, jittered, next_letter, send, settle
from portal.lookout import Work
from portal.outgoing import OUTSIDE, Outside
from portal.problems import UserProblem

log = Log("portal.hooks")
LOOK_S = 2.0
LANES = 4


def work_through(
    *,
    first: Letter | None = None,
    outside: Outside = OUTSIDE,
    delay: Delay = jittered,
    end: threading.Event | None = None,
    lanes: int = LANES,
) -> int:
    """Send until nothing is due, `first` before all; returns how many calls were made."""
    first = first or next_letter()
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


class HookLook:
    """Looks for messages that are due."""

    name = "hooks"
    every_s = LOOK_S

    def find(self, end: threading.Event) -> Work | None:
        first = next_letter()
        return None if first is None else partial(work_through, first=first, end=end)

    def stop(self) -> None:
        """What is on its way is waited for; what was claimed and not sent is claimed again."""


def sweep() -> int:
    """Settled messages of more than a month, for every maker (portal/sql/0008_hooks.sql); what portal.forgetting.sweep() calls."""
    with connections["ingest"].cursor() as cursor:
        cursor.execute("SELECT footnote.drop_old_deliveries()")
        return int(cursor.fetchone()[0])
