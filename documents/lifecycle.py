"""What happens to a document after it was uploaded: retry, cancel, delete. Every step is fenced against a running job.

All that lock more than one row lock the document first, then its jobs, then the collection's statistics, as a worker does.
"""

from __future__ import annotations

from django.db import transaction
from django.db.models import F
from django.utils import timezone

from documents.models import CollectionStats, Document, IngestJob, Version
from documents.wake import wake
from portal.models import AuditEvent
from portal.problems import UserProblem
from portal.scope import Scope

WAITING_OR_RUNNING = (IngestJob.State.QUEUED, IngestJob.State.RUNNING)


def lock(scope: Scope, document: Document) -> Document:
    """The document as it is now, locked to the end of the transaction. Raises UserProblem portal.not_found when it is gone."""
    held: Document | None = (
        Document.objects.visible_to(scope)
        .select_for_update(no_key=True)
        .filter(pk=document.pk, deleted_at__isnull=True)
        .first()
    )
    if held is None:
        raise UserProblem("portal.not_found")
    return held


def cancel_jobs(scope: Scope, document: Document) -> int:
    """Cancel what waits or runs for the locked document; a running worker finds its fence gone. Returns how many there were."""
    return (
        IngestJob.objects.visible_to(scope)
        .filter(document=document, state__in=WAITING_OR_RUNNING)
        .exclude(kind=IngestJob.Kind.REMOVE)
        .update(state=IngestJob.State.CANCELLED, finished_at=timezone.now())
    )


def queue_job(scope: Scope, document: Document, version: Version | None, *, kind: str) -> IngestJob:
    """Put work on the locked document into the queue; what ran or waited for it before is cancelled."""
    cancel_jobs(scope, document)
    job: IngestJob = IngestJob.objects.create_for(
        scope, collection_id=document.collection_id, document=document, version=version, kind=kind
    )
    transaction.on_commit(wake)
    return job


def read_again(scope: Scope, document: Document) -> IngestJob:
    """Queue the newest version once more, after a failure or when a person asks for it; one that is on its way stays so."""
    held = lock(scope, document)
    newest: Version = Version.objects.visible_to(scope).filter(document=held).order_by("-number")[0]
    running = IngestJob.objects.visible_to(scope).filter(
        document=held, version=newest, kind=IngestJob.Kind.INGEST, state__in=WAITING_OR_RUNNING
    )
    return running.first() or queue_version(scope, held, newest)


def queue_version(scope: Scope, document: Document, version: Version) -> IngestJob:
    """Queue a version for reading; the document says so at once."""
    Document.objects.visible_to(scope).filter(pk=document.pk).update(
        state=Document.State.QUEUED, problem="", problem_detail=""
    )
    return queue_job(scope, document, version, kind=IngestJob.Kind.INGEST)


def cancel(scope: Scope, document: Document) -> bool:
    """Stop reading it. False when nothing was running or waiting."""
    held = lock(scope, document)
    if not cancel_jobs(scope, held):
        return False
    Document.objects.visible_to(scope).filter(pk=held.pk).update(
        state=Document.State.ATTENTION, problem="documents.cancelled", problem_detail=""
    )
    return True


def delete(scope: Scope, document: Document) -> None:
    """From this transaction on nothing of it is found, shown or quoted; the worker then removes what it was cut into.

    The database redacts what any answer quoted from it (trigger redact_citations, answers/sql/0001_policies.sql).
    """
    held = lock(scope, document)
    Document.objects.visible_to(scope).filter(pk=held.pk).update(deleted_at=timezone.now())
    queue_job(scope, held, None, kind=IngestJob.Kind.REMOVE)
    AuditEvent.objects.create_for(scope, user_id=scope.user_id, action="document.deleted", object_ref=held.ref)
    bump_epoch(scope, held.collection_id)


def bump_epoch(scope: Scope, collection_id: int) -> None:
    """Cached answers of the collection are unreachable from here on."""
    CollectionStats.objects.visible_to(scope).filter(pk=collection_id).update(epoch=F("epoch") + 1)
