"""How a job that has no outcome yet goes back into the queue: later, at once, or not again after the third time in vain."""

from __future__ import annotations

import errno
import random
import time

from django.db import DatabaseError, InterfaceError, OperationalError, connections

from documents import queue
from documents.queue import ALIAS, FenceLost, Lease, fenced, finish, lock_document
from portal.events import Log
from portal.scope import principal

log = Log("documents.requeue")
LONGEST_WAIT_S = 45.0
MOST_TRIES = 3
AGAIN = "documents.tried_again"
FAILED = "documents.ingest_failed"
PASSING_ERRNOS = (errno.ENOSPC, errno.EDQUOT, errno.ENOMEM, errno.EAGAIN, errno.EMFILE, errno.ENFILE)
# Connection, rollback by conflict, resources, locks, intervention; but not a statement that took too long by itself.
PASSING_STATES = ("08", "40", "53", "55", "57")
QUERY_CANCELED = "57014"


def hand_back_all() -> int:
    """Before this process ends: every job goes back to the queue at once, whatever its thread waits for. Returns how many."""
    leases = queue.HELD.close()
    for held in leases:
        held.lost.set()
    return sum(hand_back(held) for held in leases)


def hand_back(held: Lease) -> bool:
    """Queue the job again as if it had never been claimed. False when it had ended, or when the database says no."""
    try:
        with principal(held.claim.scope, using=ALIAS), connections[ALIAS].cursor() as cursor:
            cursor.execute("SET LOCAL lock_timeout = '3s'")
            lock_document(held)
            _say_waiting(held)
            return _requeue(held, delay_s=0.0)
    except DatabaseError:
        log.failure("queue.hand_back_failed", job=held.claim.job_id)
        return False
    finally:
        connections[ALIAS].close()


def try_later(held: Lease, *, retries: int, problem: str, at_least_s: float = 0.0) -> None:
    """Give the job back after its `retries`-th failure in a row, as finish() inside fenced(): waits double, are spread by a
    third, and end at LONGEST_WAIT_S or what was asked for.
    """
    delay = max(at_least_s, min(LONGEST_WAIT_S, 2.0 ** min(retries, 10)) * random.uniform(0.7, 1.3))  # noqa: S311 (jitter)
    _requeue(held, delay_s=delay, retries=min(retries, 30_000), problem=problem)


def give_way(held: Lease) -> None:
    """To the end of the line, so that a long document does not keep the short ones waiting; as finish() inside fenced()."""
    _requeue(held, delay_s=0.0)


def go_beside(held: Lease) -> None:
    """The live model has all: what others lack is made when nothing else waits. As finish() inside fenced()."""
    with connections[ALIAS].cursor() as cursor:
        cursor.execute(
            "UPDATE documents_ingestjob SET state = 'queued', kind = 'embed', stage = 'beside', retries = 0, problem = '',"
            " next_try_at = clock_timestamp() WHERE id = %s AND attempt = %s AND state = 'running'",
            [held.claim.job_id, held.claim.attempt],
        )


def after_fault(held: Lease, error: Exception) -> str:
    """Give back a job that ended in an exception; returns what became of it as a word for the log.

    What passes by itself (the database was away, a disk is full) is tried as often as it takes; anything else ends as
    needs attention after the third time. Goes on trying to say so while the lease lasts: the database may be the fault.
    """
    log.failure("ingest.failed", job=held.claim.job_id, attempt=held.claim.attempt)
    until = time.monotonic() + queue.LEASE_S
    while True:
        try:
            connections[ALIAS].close()
            return _wait_it_out(held) if passes(error) else _tried_in_vain(held, getattr(error, "code", FAILED))
        except FenceLost:
            return "fence_lost"
        except DatabaseError:
            if time.monotonic() > until or held.lost.wait(2.0):
                return "left_to_its_lease"


def passes(error: Exception) -> bool:
    """Whether the fault lies in circumstances rather than in the file or the code."""
    if isinstance(error, OperationalError):
        state = getattr(error.__cause__, "sqlstate", None)
        return state is None or (state[:2] in PASSING_STATES and state != QUERY_CANCELED)
    return isinstance(error, InterfaceError) or (isinstance(error, OSError) and error.errno in PASSING_ERRNOS)


def _wait_it_out(held: Lease) -> str:
    with fenced(held), connections[ALIAS].cursor() as cursor:
        cursor.execute("SELECT retries FROM documents_ingestjob WHERE id = %s", [held.claim.job_id])
        (retries,) = cursor.fetchone()
        _say_waiting(held, problem=AGAIN)
        try_later(held, retries=retries + 1, problem=AGAIN)
    return "later"


def _tried_in_vain(held: Lease, code: str) -> str:
    """What a deletion removes is tried for ever."""
    with fenced(held), connections[ALIAS].cursor() as cursor:
        cursor.execute(
            "UPDATE documents_ingestjob SET crashes = least(crashes + 1, 30000) WHERE id = %s RETURNING crashes, kind, stage",
            [held.claim.job_id],
        )
        tries, kind, stage = cursor.fetchone()
        if tries < MOST_TRIES or kind == "remove":
            _say_waiting(held, problem=AGAIN)
            _requeue(held, delay_s=min(LONGEST_WAIT_S, 5.0 * tries**2), problem=code)
            return "again"
        if stage != "beside":
            cursor.execute(
                "UPDATE documents_document SET state = 'attention', problem = %s, problem_detail = '' WHERE id = %s",
                [code, held.claim.document_id],
            )
        finish(held, state="failed", problem=code)
    return "failed"


def _say_waiting(held: Lease, *, problem: str = "") -> None:
    """What was being read is queued again; what is searchable by words stays so, with the reason why it does not go on."""
    with connections[ALIAS].cursor() as cursor:
        cursor.execute(
            "UPDATE documents_document SET state = CASE state WHEN 'reading' THEN 'queued' ELSE state END,"
            " problem = CASE state WHEN 'words' THEN coalesce(nullif(%s, ''), problem) ELSE problem END"
            " WHERE id = %s AND deleted_at IS NULL",
            [problem, held.claim.document_id],
        )


def _requeue(held: Lease, *, delay_s: float, retries: int | None = None, problem: str = "") -> bool:
    with connections[ALIAS].cursor() as cursor:
        cursor.execute(
            "UPDATE documents_ingestjob SET state = 'queued', retries = coalesce(%s, retries), problem = %s,"
            " next_try_at = clock_timestamp() + make_interval(secs => %s)"
            " WHERE id = %s AND attempt = %s AND state = 'running'",
            [retries, problem, delay_s, held.claim.job_id, held.claim.attempt],
        )
        return int(cursor.rowcount) == 1
