"""The queue's worker side: claim, lease, heartbeat, give back. PostgreSQL owns it; the broker only wakes (ADR 0003)."""

from __future__ import annotations

import os
import random
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


def claim() -> Claim | None:
    """The next job for this worker, or None when nothing waits."""
    with connections[ALIAS].cursor() as cursor:
        cursor.execute(
            "SELECT job_id, job_attempt, workspace_id, document_id FROM footnote.claim_job(%s, %s)", [WORKER, LEASE_S]
        )
        row = cursor.fetchone()
    return None if row is None or row[0] is None else Claim(*row)


def state(alias: str = ALIAS) -> QueueState:
    with connections[alias].cursor() as cursor:
        cursor.execute("SELECT waiting, running, lost, oldest_wait_s FROM footnote.queue_state()")
        return QueueState(*cursor.fetchone())


@dataclass(slots=True)
class Lease:
    """Held while a job runs. `lost` is set as soon as the database no longer counts the job as ours."""

    claim: Claim
    lost: threading.Event = field(default_factory=threading.Event)

    def check(self) -> None:
        if self.lost.is_set():
            raise FenceLost

    def extend(self) -> None:
        """Push the lease on; sets `lost` when the row is out of reach."""
        with principal(self.claim.scope, using=ALIAS), connections[ALIAS].cursor() as cursor:
            cursor.execute(
                "UPDATE documents_ingestjob SET lease_until = clock_timestamp() + make_interval(secs => %s) WHERE id = %s",
                [LEASE_S, self.claim.job_id],
            )
            if cursor.rowcount == 0:
                self.lost.set()


@contextmanager
def lease(claimed: Claim) -> Iterator[Lease]:
    """Keep the claim alive from a thread of its own until the block ends."""
    held = Lease(claimed)
    done = threading.Event()
    thread = threading.Thread(target=_beat, args=(held, done), name=f"lease-{claimed.job_id}", daemon=True)
    thread.start()
    try:
        yield held
    finally:
        done.set()
        thread.join(timeout=5)


def _beat(held: Lease, done: threading.Event) -> None:
    try:
        while not done.wait(HEARTBEAT_S) and not held.lost.is_set():
            try:
                held.extend()
            except DatabaseError:
                log.failure("queue.heartbeat_failed", job=held.claim.job_id)
                connections[ALIAS].close()
    finally:
        connections[ALIAS].close()


@contextmanager
def fenced(held: Lease) -> Iterator[str]:
    """One transaction that writes only while the job is ours; yields the database alias. Raises FenceLost.

    The job row stays locked to the end, so a delete or a cancel waits for this transaction or wins before it.
    """
    held.check()
    with principal(held.claim.scope, using=ALIAS):
        with connections[ALIAS].cursor() as cursor:
            cursor.execute("SELECT id FROM documents_ingestjob WHERE id = %s FOR UPDATE", [held.claim.job_id])
            if cursor.fetchone() is None:
                held.lost.set()
                raise FenceLost
        yield ALIAS


def finish(held: Lease, *, state: str, problem: str = "") -> None:
    """The job's end; call it last inside fenced(), since nothing can be written after it."""
    with connections[ALIAS].cursor() as cursor:
        cursor.execute(
            "UPDATE documents_ingestjob SET state = %s, problem = %s, finished_at = clock_timestamp() WHERE id = %s",
            [state, problem, held.claim.job_id],
        )


def try_later(held: Lease, *, kind: str, retries: int, problem: str, at_least_s: float = 0.0) -> float:
    """Give the job back for a later attempt, as finish() inside fenced(); returns the seconds until then (doubling, ≤ 60, jittered)."""
    delay = max(at_least_s, min(60.0, 2.0**retries * 2.0) * random.uniform(0.7, 1.3))
    with connections[ALIAS].cursor() as cursor:
        cursor.execute(
            "UPDATE documents_ingestjob SET state = 'queued', kind = %s, retries = %s, problem = %s, "
            "next_try_at = clock_timestamp() + make_interval(secs => %s) WHERE id = %s",
            [kind, retries + 1, problem, delay, held.claim.job_id],
        )
    return delay
