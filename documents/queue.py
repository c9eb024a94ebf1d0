"""The queue's worker side: claim, lease, heartbeat, give back. PostgreSQL owns it; the broker only wakes (ADR 0003)."""

from __future__ import annotations

import os
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from django.db import DatabaseError, connections

from portal.events import Log
from portal.scope import Scope, principal

log = Log("documents.queue")
ALIAS = "ingest"
LEASE_S = 45
HEARTBEAT_S = 8.0
LONG_S = 600
"""Lease and time limit of a transaction that may take long; it goes with the transaction, should that roll back."""
WORKER = f"{socket.gethostname()}:{os.getpid()}"


class FenceLost(Exception):
    """The job is no longer ours: cancelled, its document deleted, or claimed by another worker. What we hold is dropped."""


@dataclass(frozen=True, slots=True)
class Claim:
    """One attempt at one job."""

    job_id: int
    attempt: int
    workspace_id: int
    document_id: int

    @property
    def scope(self) -> Scope:
        return Scope(self.workspace_id, None, job=(self.job_id, self.attempt))


@dataclass(frozen=True, slots=True)
class QueueState:
    """How much waits and runs; `lost` jobs had their lease run out; `oldest_wait_s` is of the longest waiting one."""

    waiting: int
    running: int
    lost: int
    oldest_wait_s: float


FILLING = threading.Lock()
"""Held by the one thread of this process that makes vectors: the others stay free to read, so that an upload is found by its words
while long documents are filled. The embedding process takes one text at a time, so two threads would gain nothing.
"""


def claim() -> Claim | None:
    """The next job for this worker, or None when nothing waits or the worker is ending. While another thread of it makes vectors,
    none that lacks vectors alone.
    """
    if HELD.is_closed:
        return None
    with connections[ALIAS].cursor() as cursor:
        cursor.execute(
            "SELECT job_id, job_attempt, workspace_id, document_id FROM footnote.claim_job(%s, %s, %s)",
            [WORKER, LEASE_S, not FILLING.locked()],
        )
        row = cursor.fetchone()
    return None if row is None or row[0] is None else Claim(*row)


def state(alias: str = ALIAS) -> QueueState:
    with connections[alias].cursor() as cursor:
        cursor.execute("SELECT waiting, running, lost, oldest_wait_s FROM footnote.queue_state()")
        return QueueState(*cursor.fetchone())


def fill_gaps(*, most: int = 100) -> int:
    """Queue documents whose live version lacks vectors while nothing works on them: a newer one failed or was cancelled."""
    with connections[ALIAS].cursor() as cursor:
        cursor.execute("SELECT footnote.queue_gaps(%s)", [most])
        (queued,) = cursor.fetchone()
    if queued:
        log.info("queue.gaps", jobs=queued)
    return int(queued)


@dataclass(slots=True, eq=False)
class Lease:
    """Held while a job runs. `lost` is set as soon as the database no longer counts the job as ours."""

    claim: Claim
    lost: threading.Event = field(default_factory=threading.Event)
    is_fenced: bool = False
    """A transaction of ours holds the job's row, which says that we live and would keep the heartbeat waiting."""

    def check(self) -> None:
        if self.lost.is_set():
            raise FenceLost

    def extend(self) -> None:
        """Push the lease on; sets `lost` when the row is out of reach."""
        with principal(self.claim.scope, using=ALIAS):
            if not _extend(self, LEASE_S):
                self.lost.set()


class Held:
    """The leases of this process. Once it is closed nothing more is taken: the worker is about to end."""

    def __init__(self) -> None:
        self._leases: set[Lease] = set()
        self._lock = threading.Lock()
        self.is_closed = False

    def add(self, held: Lease) -> None:
        with self._lock:
            self._leases.add(held)

    def discard(self, held: Lease) -> None:
        with self._lock:
            self._leases.discard(held)

    def close(self) -> list[Lease]:
        with self._lock:
            self.is_closed = True
            return list(self._leases)

    def open(self) -> None:
        with self._lock:
            self.is_closed = False


HELD = Held()


@contextmanager
def lease(claimed: Claim) -> Iterator[Lease]:
    """Keep the claim alive from a thread of its own until the block ends."""
    held = Lease(claimed)
    done = threading.Event()
    thread = threading.Thread(target=_beat, args=(held, done), name=f"lease-{claimed.job_id}", daemon=True)
    thread.start()
    HELD.add(held)
    try:
        yield held
    finally:
        HELD.discard(held)
        done.set()
        thread.join(timeout=5)


def _beat(held: Lease, done: threading.Event) -> None:
    try:
        while not done.wait(HEARTBEAT_S) and not held.lost.is_set():
            if held.is_fenced:
                continue
            try:
                held.extend()
            except DatabaseError as error:
                log.warning("queue.heartbeat_failed", job=held.claim.job_id, error=type(error).__name__)
                connections[ALIAS].close()
    finally:
        connections[ALIAS].close()


@contextmanager
def fenced(held: Lease, *, may_be_long: bool = False) -> Iterator[str]:
    """One transaction that writes only while the job is ours; yields the database alias. Raises FenceLost.

    Locks the document, then the job, to the end: a delete or a cancel waits for this transaction or wins before it.
    Everything that locks both takes them in this order, and the collection's statistics last.
    """
    held.check()
    held.is_fenced = True
    try:
        with principal(held.claim.scope, using=ALIAS):
            _enter(held, LONG_S if may_be_long else LEASE_S)
            yield ALIAS
            if may_be_long:
                _extend(held, LEASE_S)
    finally:
        held.is_fenced = False


def _enter(held: Lease, seconds: int) -> None:
    if seconds > LEASE_S:
        with connections[ALIAS].cursor() as cursor:
            cursor.execute(f"SET LOCAL statement_timeout = '{seconds}s'")
    if not (lock_document(held) and _extend(held, seconds)):
        held.lost.set()
        raise FenceLost


def lock_document(held: Lease) -> bool:
    with connections[ALIAS].cursor() as cursor:
        cursor.execute("SELECT id FROM documents_document WHERE id = %s FOR NO KEY UPDATE", [held.claim.document_id])
        return cursor.fetchone() is not None


def _extend(held: Lease, seconds: int) -> bool:
    """False when the job is no longer ours. Says state and attempt as well as the policy does: the policy is asked once, at
    the statement's start, and the row may change while it is waited for.
    """
    with connections[ALIAS].cursor() as cursor:
        cursor.execute(
            "UPDATE documents_ingestjob SET lease_until = clock_timestamp() + make_interval(secs => %s)"
            " WHERE id = %s AND attempt = %s AND state = 'running'",
            [seconds, held.claim.job_id, held.claim.attempt],
        )
        return int(cursor.rowcount) == 1


def finish(held: Lease, *, state: str, problem: str = "") -> None:
    """The job's end; call it last inside fenced(), since nothing can be written after it."""
    with connections[ALIAS].cursor() as cursor:
        cursor.execute(
            "UPDATE documents_ingestjob SET state = %s, problem = %s, finished_at = clock_timestamp() WHERE id = %s",
            [state, problem, held.claim.job_id],
        )


def went_on(held: Lease) -> None:
    """Something was made that stays: from here on only vectors are missing, and earlier losses no longer count."""
    with connections[ALIAS].cursor() as cursor:
        cursor.execute(
            "UPDATE documents_ingestjob SET kind = 'embed', crashes = 0 WHERE id = %s AND (kind, crashes) <> ('embed', 0)",
            [held.claim.job_id],
        )
