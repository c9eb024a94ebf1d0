"""What happens to a document after it was uploaded: retry, cancel, disable, move, delete, purge. Every step is fenced against
a running job.

All that lock more than one row lock the document first, then its jobs, then the collection's statistics, as a worker does.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.db import IntegrityError, transaction
from django.db.models import F
from django.utils import timezone

from documents import receipt
from documents.models import CollectionStats, Document, IngestJob, Version
from documents.wake import wake
from portal.forgetting import redact
from portal.models import AuditEvent, Collection
from portal.problems import UserProblem
from portal.scope import Scope, open_alias

PURGED = "(purged)"
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


def read_again(scope: Scope, document: Document, *, anew: bool = False) -> IngestJob:
    """Queue the newest version once more, after a failure or when a person asks for it; one that is on its way stays so, unless
    `anew` says that it has to begin again. Raises UserProblem documents.text_only where the file was not kept.
    """
    held = lock(scope, document)
    newest = newest_of(scope, held)
    if not has_original(newest):
        raise UserProblem("documents.text_only")
    running = IngestJob.objects.visible_to(scope).filter(
        document=held, version=newest, kind=IngestJob.Kind.INGEST, state__in=WAITING_OR_RUNNING
    )
    return (None if anew else running.first()) or queue_version(scope, held, newest)


def newest_of(scope: Scope, document: Document) -> Version:
    newest: Version = (
        Version.objects.visible_to(scope)
        .filter(document=document)
        .defer("text", "report", "boxes")
        .order_by("-number")[0]
    )
    return newest


def has_original(version: Version) -> bool:
    """False once it was read in a collection that keeps the text alone."""
    return version.blob_id is not None or version.valid_from is None


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
    # A document at rest has vectors made for a model that is not live yet: it stays as it is.
    Document.objects.visible_to(scope).filter(pk=held.pk).exclude(state=Document.State.READY).update(
        state=Document.State.ATTENTION, problem="documents.cancelled", problem_detail=""
    )
    return True


def read_all_again(scope: Scope, collection_id: int) -> int:
    """Queue the newest version of every document of a collection whose file is there, because it is to be cut otherwise; returns
    how many. What ran or waited for them begins again. Six queries, however many there are.
    """
    held = _lock_all(scope, collection_id)
    newest = (
        Version.objects.visible_to(scope)
        .filter(document__in=held)
        .order_by("document_id", "-number")
        .distinct("document_id")
        .only("document_id", "blob_id", "valid_from")
    )
    chosen = {version.document_id: version.pk for version in newest if has_original(version)}
    jobs = IngestJob.objects.visible_to(scope).filter(document__in=chosen, state__in=WAITING_OR_RUNNING)
    jobs.exclude(kind=IngestJob.Kind.REMOVE).update(state=IngestJob.State.CANCELLED, finished_at=timezone.now())
    Document.objects.visible_to(scope).filter(pk__in=chosen).update(
        state=Document.State.QUEUED, problem="", problem_detail=""
    )
    _queue_all(scope, collection_id, chosen, kind=IngestJob.Kind.INGEST)
    return len(chosen)


def drop_originals(scope: Scope, collection_id: int) -> int:
    """Have the files of a collection that keeps the text alone removed; returns of how many documents. What is on its way loses
    its file when it was read.
    """
    held = _lock_all(scope, collection_id)
    read = Version.objects.visible_to(scope).filter(document__in=held, blob__isnull=False, valid_from__isnull=False)
    chosen = sorted(set(read.values_list("document_id", flat=True)))
    _queue_all(scope, collection_id, dict.fromkeys(chosen), kind=IngestJob.Kind.EMBED)
    return len(chosen)


def _lock_all(scope: Scope, collection_id: int) -> list[int]:
    rows = Document.objects.visible_to(scope).select_for_update(no_key=True)
    return list(
        rows.filter(collection_id=collection_id, deleted_at__isnull=True).order_by("pk").values_list("pk", flat=True)
    )


def _queue_all(scope: Scope, collection_id: int, versions: Mapping[int, int | None], *, kind: str) -> None:
    """A job each, by document id and version id."""
    now = timezone.now()
    IngestJob.objects.using(open_alias(scope)).bulk_create(
        [
            IngestJob(
                workspace_id=scope.workspace_id,
                collection_id=collection_id,
                document_id=document,
                version_id=version,
                kind=kind,
                next_try_at=now,
            )
            for document, version in versions.items()
        ],
        batch_size=500,
    )
    transaction.on_commit(wake)


def disable(scope: Scope, document: Document) -> bool:
    """Keep it, and answer no question from it until it is enabled again. False when it was disabled already."""
    return _switch(scope, document, off=True)


def enable(scope: Scope, document: Document) -> bool:
    """Answer questions from it again. False when it was enabled already."""
    return _switch(scope, document, off=False)


def _switch(scope: Scope, document: Document, *, off: bool) -> bool:
    held = lock(scope, document)
    if (held.disabled_at is not None) == off:
        return False
    Document.objects.visible_to(scope).filter(pk=held.pk).update(disabled_at=timezone.now() if off else None)
    _note(scope, "document.disabled" if off else "document.enabled", held)
    bump_epoch(scope, held.collection_id)
    return True


def move(scope: Scope, document: Document, collection: Collection) -> bool:
    """Into another collection that the scope may add to; who sees the document changes with this transaction. False when it is
    there already.

    Versions, passages, vectors, postings, jobs and citations go along, and so do its statistics (documents/sql/0006_lifecycle.sql).
    Where the new collection cuts otherwise it is read again. Raises UserProblem portal.read_only or documents.name_taken.
    """
    if not {document.collection_id, collection.pk} <= set(scope.writable_ids):
        raise UserProblem("portal.read_only")
    held = lock(scope, document)
    if held.collection_id == collection.pk:
        return False
    before = Collection.objects.visible_to(scope).get(pk=held.collection_id)
    try:
        with transaction.atomic(using=held._state.db):
            Document.objects.visible_to(scope).filter(pk=held.pk).update(collection_id=collection.pk)
    except IntegrityError as taken:
        raise UserProblem("documents.name_taken") from taken
    held.collection_id = collection.pk
    _note(scope, "document.moved", held, {"from": before.ref, "to": collection.ref})
    if not same_profile(before, collection) and has_original(newest_of(scope, held)):
        read_again(scope, held, anew=True)
    return True


def same_profile(one: Collection, other: Collection) -> bool:
    """Whether both cut their documents alike."""
    return all(getattr(one, name) == getattr(other, name) for name in ("splitter", "max_tokens", "overlap_tokens"))


def delete(scope: Scope, document: Document) -> None:
    """From this transaction on nothing of it is found, shown or quoted, which a probe then proves (documents/receipt.py); the
    worker removes what it was cut into.

    The database redacts what any answer quoted from it (trigger redact_citations, answers/sql/0001_policies.sql).
    """
    held = lock(scope, document)
    receipt.prove_after_commit(scope, held)
    Document.objects.visible_to(scope).filter(pk=held.pk).update(deleted_at=timezone.now())
    queue_job(scope, held, None, kind=IngestJob.Kind.REMOVE)
    _note(scope, "document.deleted", held)
    bump_epoch(scope, held.collection_id)


def purge(scope: Scope, document: Document) -> dict[str, int]:
    """Delete, if it is not deleted yet, and blank what is left elsewhere: its name, what answers quoted or a model wrote from it,
    its places in traces. Returns how many citations, answers and traces were blanked.
    """
    held: Document | None = (
        Document.objects.visible_to(scope).select_for_update(no_key=True).filter(pk=document.pk).first()
    )
    if held is None or held.purged_at is not None:
        raise UserProblem("portal.not_found")
    if held.deleted_at is None:
        delete(scope, held)
    else:
        queue_job(scope, held, None, kind=IngestJob.Kind.REMOVE)
    counts = redact(scope, held.pk)
    Document.objects.visible_to(scope).filter(pk=held.pk).update(
        purged_at=timezone.now(), name=PURGED, name_key=PURGED, source_url="", tags=[]
    )
    _note(scope, "document.purged", held, counts)
    return counts


def _note(scope: Scope, action: str, document: Document, detail: dict[str, Any] | None = None) -> None:
    note(scope, action, document.ref, detail)


def note(scope: Scope, action: str, ref: str, detail: dict[str, Any] | None = None) -> None:
    """A line of the audit log: refs and counts alone."""
    AuditEvent.objects.create_for(scope, user_id=scope.user_id, action=action, object_ref=ref, detail=detail or {})


def bump_epoch(scope: Scope, collection_id: int) -> None:
    """Cached answers of the collection are unreachable from here on."""
    CollectionStats.objects.visible_to(scope).filter(pk=collection_id).update(epoch=F("epoch") + 1)
