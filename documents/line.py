"""The queue as its operator looks at it: what is stuck and why, what is at work, what waits, what ended lately."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db.models import Q, QuerySet
from django.urls import reverse
from django.utils import timezone

from documents.models import IngestJob
from documents.queue import QueueState, state
from documents.rows import counted
from documents.states import LATE, LOST, explain
from portal.ops import Check
from portal.scope import Scope, open_alias

SHOWN = 100
LATELY_SHOWN = 20
KINDS = {"ingest": "Read", "embed": "Make vectors", "remove": "Remove"}
OPEN = (IngestJob.State.QUEUED, IngestJob.State.RUNNING)


@dataclass(frozen=True, slots=True)
class JobLine:
    """A job as a line. A deleted document says no name."""

    ref: str
    what: str
    name: str
    url: str
    state: str
    cause: str
    is_stuck: bool
    since: datetime
    tries_label: str
    document_ref: str
    may_stop: bool
    may_retry: bool


@dataclass(frozen=True, slots=True)
class Line:
    """What queue.html shows. The figures are of all workspaces, the jobs those in sight."""

    waiting: int
    running: int
    lost: int
    oldest_label: str
    is_stuck: bool
    checks: tuple[Check, ...]
    open_jobs: tuple[JobLine, ...]
    more_label: str
    lately: tuple[JobLine, ...]


def show_line(scope: Scope, checks: Sequence[Check]) -> Line:
    """Needs an open principal; four queries."""
    now, whole = timezone.now(), state(open_alias(scope))
    jobs = IngestJob.objects.visible_to(scope).select_related("document")
    waiting = jobs.filter(state__in=OPEN)
    found = [line_of(job, whole, scope, now) for job in _stuck_first(waiting, now)[: SHOWN + 1]]
    more = waiting.count() - SHOWN
    lately = jobs.exclude(state__in=OPEN).order_by("-finished_at", "-id")[:LATELY_SHOWN]
    return Line(
        waiting=whole.waiting,
        running=whole.running,
        lost=whole.lost,
        oldest_label=_seconds(whole.oldest_wait_s) if whole.waiting else "",
        is_stuck=any(line.is_stuck for line in found),
        checks=tuple(check for check in checks if check.kind != "ok"),
        open_jobs=tuple(found[:SHOWN]),
        more_label=f"and {more:,} more" if more > 0 else "",
        lately=tuple(line_of(job, whole, scope, now) for job in lately),
    )


def _stuck_first(jobs: QuerySet[IngestJob], now: datetime) -> list[IngestJob]:
    """Lost and late ones, then those at work, then the line in its order."""
    first = jobs.filter(stuck(now)).order_by("next_try_at", "id")[:SHOWN]
    rest = jobs.exclude(stuck(now)).order_by("-state", "next_try_at", "id")[: SHOWN + 1]
    return [*first, *rest]


def stuck(now: datetime) -> Q:
    """Jobs that nobody took for a minute: late in the line, or lost with their worker.

    What fills a model beside the live one may wait.
    """
    late = Q(state=IngestJob.State.QUEUED, next_try_at__lt=now - LATE) & ~Q(stage=IngestJob.BESIDE)
    lost = Q(state=IngestJob.State.RUNNING, lease_until__lt=now - LOST)
    return late | lost


def line_of(job: IngestJob, whole: QueueState, scope: Scope, now: datetime) -> JobLine:
    document = job.document
    is_there = document.deleted_at is None
    may_edit = is_there and job.collection_id in scope.writable_ids
    return JobLine(
        ref=job.ref,
        what=KINDS.get(job.kind, job.kind),
        name=document.name if is_there else "a deleted document",
        url=reverse("document", args=[document.ref]) if is_there else "",
        state=IngestJob.State(job.state).label,
        cause=cause(job, whole, now),
        is_stuck=is_stuck(job, now),
        since=job.finished_at or job.created_at,
        tries_label=tries_label(job),
        document_ref=document.ref,
        may_stop=may_edit and job.state in OPEN and job.kind != IngestJob.Kind.REMOVE,
        may_retry=may_edit and document.state == document.State.ATTENTION,
    )


def is_stuck(job: IngestJob, now: datetime) -> bool:
    if job.state == IngestJob.State.QUEUED:
        return job.next_try_at < now - LATE and job.stage != IngestJob.BESIDE
    return job.state == IngestJob.State.RUNNING and job.lease_until is not None and job.lease_until < now - LOST


def cause(job: IngestJob, whole: QueueState, now: datetime) -> str:
    """Why a job is where it is, in one or two sentences; "" where its state says all."""
    if job.state == IngestJob.State.RUNNING:
        if job.lease_until is not None and job.lease_until < now:
            return f"Its worker ({job.claimed_by}) was lost. The next free one takes over; the third loss stops it."
        return f"At work: {job.claimed_by}."
    if job.state != IngestJob.State.QUEUED:
        return explain(job.problem) if job.problem else ""
    why = explain(job.problem) if job.problem else ""
    if job.next_try_at > now:
        return f"{why} Tried again in {_seconds((job.next_try_at - now).total_seconds())}.".strip()
    if job.next_try_at > now - LATE:
        return why
    if not whole.running:
        return explain("documents.no_worker")
    return f"{whole.waiting:,} wait and {whole.running:,} are at work; its turn has not come.".strip()


def tries_label(job: IngestJob) -> str:
    parts = [
        counted(job.attempt, "claim") if job.attempt > 1 else "",
        "" if not job.crashes else f"lost {job.crashes}×",
    ]
    return ", ".join(part for part in parts if part)


def _seconds(seconds: float) -> str:
    whole = timedelta(seconds=round(seconds))
    return f"{whole.seconds} s" if whole < timedelta(minutes=2) else str(whole)
