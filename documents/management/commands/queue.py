"""`manage.py queue`: what waits in each workspace, what is stuck and why; stop a job or put it in front."""

from __future__ import annotations

import time
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import transaction
from django.db.models import Count, Min, Q
from django.utils import timezone

from documents.line import cause, stuck, tries_label
from documents.models import Document, IngestJob
from documents.queue import QueueState, state
from documents.wake import wake

OWNER = "owner"
OPEN = (IngestJob.State.QUEUED, IngestJob.State.RUNNING)


class Command(BaseCommand):
    help = "Show the queue of every workspace with what is stuck and why. Documents are named by their refs."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--cancel", metavar="JOB", help="stop this job; its document can be read again")
        parser.add_argument("--retry", metavar="JOB", help="queue this job again now, whatever became of it")
        parser.add_argument("--watch", metavar="SECONDS", type=float, default=0.0, help="show it again and again")
        parser.add_argument("--most", type=int, default=20, help="stuck jobs that are listed")

    def handle(self, *args: Any, **options: Any) -> None:
        if options["cancel"]:
            self.stdout.write(cancel(options["cancel"]))
        elif options["retry"]:
            self.stdout.write(retry(options["retry"]))
        else:
            self.show(options["most"])
            while options["watch"] > 0:
                time.sleep(options["watch"])
                self.show(options["most"])

    def show(self, most: int) -> None:
        whole, now = state("default"), timezone.now()
        self.stdout.write(
            f"{whole.waiting} waiting, {whole.running} at work, {whole.lost} lost with their worker;"
            f" the oldest has waited {whole.oldest_wait_s:.0f} s."
        )
        jobs = IngestJob.objects.using(OWNER).filter(state__in=OPEN)
        by_workspace = jobs.values("workspace__ref").annotate(
            waiting=Count("pk", filter=Q(state="queued")),
            running=Count("pk", filter=Q(state="running")),
            oldest=Min("created_at"),
        )
        for row in by_workspace.order_by("workspace__ref"):
            since = f"{row['oldest']:%H:%M:%S} UTC"
            self.stdout.write(
                f"  workspace {row['workspace__ref']}: {row['waiting']} waiting, {row['running']} at work, since {since}"
            )
        for job in jobs.filter(stuck(now)).select_related("document").order_by("next_try_at", "id")[:most]:
            self.stdout.write(self.style.WARNING(line_of(job, whole)))


def line_of(job: IngestJob, whole: QueueState) -> str:
    tries = tries_label(job)
    said = cause(job, whole, timezone.now())
    return f"  stuck {job.ref} ({job.kind}, document {job.document.ref}{', ' + tries if tries else ''}): {said}"


def find(ref: str) -> IngestJob:
    """Locks the document, then the job, as everything does."""
    job = IngestJob.objects.using(OWNER).filter(ref=ref).first()
    if job is None:
        raise CommandError(f"There is no job {ref}.")
    Document.objects.using(OWNER).select_for_update(no_key=True).get(pk=job.document_id)
    held: IngestJob = IngestJob.objects.using(OWNER).select_for_update().get(pk=job.pk)
    return held


def cancel(ref: str) -> str:
    with transaction.atomic(using=OWNER):
        job = find(ref)
        if job.state not in OPEN or job.kind == IngestJob.Kind.REMOVE:
            return f"Job {ref} is {job.state} ({job.kind}) and stays so."
        IngestJob.objects.using(OWNER).filter(pk=job.pk).update(
            state=IngestJob.State.CANCELLED, finished_at=timezone.now()
        )
        waiting = Document.objects.using(OWNER).filter(pk=job.document_id, deleted_at__isnull=True)
        waiting.exclude(state=Document.State.READY).update(
            state=Document.State.ATTENTION, problem="documents.cancelled", problem_detail=""
        )
    return f"Job {ref} was cancelled; a worker that runs it finds its fence gone."


def retry(ref: str) -> str:
    with transaction.atomic(using=OWNER):
        job = find(ref)
        others = IngestJob.objects.using(OWNER).filter(document_id=job.document_id, state__in=OPEN).exclude(pk=job.pk)
        if others.exists():
            return f"Other work on the document of job {ref} waits or runs; nothing was changed."
        if job.state == IngestJob.State.RUNNING and job.lease_until and job.lease_until > timezone.now():
            return f"Job {ref} is at work and stays so."
        IngestJob.objects.using(OWNER).filter(pk=job.pk).update(
            state=IngestJob.State.QUEUED, next_try_at=timezone.now(), crashes=0, retries=0, problem="", finished_at=None
        )
        Document.objects.using(OWNER).filter(pk=job.document_id, state=Document.State.ATTENTION).update(
            state=Document.State.QUEUED, problem="", problem_detail=""
        )
    wake()
    return f"Job {ref} is queued."
