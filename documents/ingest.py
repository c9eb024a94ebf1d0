"""A claimed job to its end: read the file in the cage, make it searchable by words, fill in the vectors.

claim → parse (no transaction) → publish (fenced) → embed a batch (no transaction) → add it (fenced) → … → ready
"""

from __future__ import annotations

import functools
from dataclasses import dataclass

from django.conf import settings
from django.db import connections

from documents import blobs, indexing, queue
from documents.embedding.client import Embedder, EmbedderUnavailable, embedder_from
from documents.models import Document, EmbeddingModel, IngestJob, Version
from documents.queue import ALIAS, Claim, FenceLost, Lease, fenced
from documents.sandbox import Outcome, Prepared, prepare
from documents.text.piece import ChunkProfile
from portal.events import Log
from portal.models import Collection, Workspace

log = Log("documents.ingest")
BATCH = 32


@dataclass(frozen=True, slots=True)
class Work:
    """What a job is about, read once under its fence."""

    kind: str
    retries: int
    document: Document
    version: Version | None
    blob_key: str
    profile: ChunkProfile
    content_key: bytes


def run(claimed: Claim) -> str:
    """Carry the claimed job to an end; returns its outcome as a word for the log. Never raises for a lost fence."""
    with queue.lease(claimed) as held:
        try:
            outcome = _carry_out(held)
        except FenceLost:
            outcome = "fence_lost"
    log.info("ingest.done", job=claimed.job_id, attempt=claimed.attempt, outcome=outcome)
    return outcome


def _carry_out(held: Lease) -> str:
    work = _load(held)
    if work.kind == IngestJob.Kind.REMOVE:
        return _remove(held, work)
    if work.document.deleted_at is not None:
        raise FenceLost
    if work.kind == IngestJob.Kind.INGEST and (trouble := _read(held, work)):
        return trouble
    return _fill(held, work)


def _load(held: Lease) -> Work:
    with fenced(held):
        job: IngestJob = IngestJob.objects.using(ALIAS).get(pk=held.claim.job_id)
        document: Document = Document.objects.using(ALIAS).get(pk=job.document_id)
        version = Version.objects.using(ALIAS).select_related("blob").filter(pk=job.version_id).defer("text").first()
        collection: Collection = Collection.objects.using(ALIAS).get(pk=job.collection_id)
        workspace: Workspace = Workspace.objects.using(ALIAS).get(pk=job.workspace_id)
        blob = version.blob if version else None
        _say(document, stage="reading" if job.kind == IngestJob.Kind.INGEST else "")
    profile = ChunkProfile(collection.splitter, collection.max_tokens, collection.overlap_tokens)  # type: ignore[arg-type]
    key = blob.key if blob else ""
    return Work(job.kind, job.retries, document, version, key, profile, bytes(workspace.content_key))


def _say(document: Document, *, stage: str) -> None:
    """The state a person sees while the job runs."""
    if stage == "reading":
        Document.objects.using(ALIAS).filter(pk=document.pk).update(state=Document.State.READING)


def _read(held: Lease, work: Work) -> str:
    """Parse and publish; "" when the document is searchable by words, else the code of what it needs attention for."""
    try:
        with blobs.as_path(work.blob_key) as path:
            outcome: Outcome = prepare(
                path,
                filename=work.document.name,
                kind=work.document.kind,
                profile=work.profile,
                cancelled=held.lost.is_set,
            )
    except FileNotFoundError:
        return _needs_attention(held, work, "documents.blob_missing", "")
    held.check()
    if not isinstance(outcome, Prepared):
        return _needs_attention(held, work, outcome.code, outcome.detail)
    if not outcome.pieces:
        return _needs_attention(held, work, "documents.no_text", "")
    with fenced(held):
        document = _lock(work)
        assert work.version is not None
        indexing.publish(document, work.version, outcome, content_key=work.content_key)
    return ""


def _lock(work: Work) -> Document:
    """The document's row, locked until the transaction ends. Raises FenceLost when it was deleted meanwhile."""
    document: Document | None = (
        Document.objects.using(ALIAS).select_for_update().filter(pk=work.document.pk, deleted_at__isnull=True).first()
    )
    if document is None:
        raise FenceLost
    return document


def _needs_attention(held: Lease, work: Work, code: str, detail: str) -> str:
    with fenced(held):
        _lock(work)
        Document.objects.using(ALIAS).filter(pk=work.document.pk).update(
            state=Document.State.ATTENTION, problem=code, problem_detail=detail[:500]
        )
        queue.finish(held, state=IngestJob.State.FAILED, problem=code)
    return code


def _fill(held: Lease, work: Work) -> str:
    """Embed what has no vector yet, batch by batch, until every chunk has one."""
    embedder = local_embedder()
    while True:
        with fenced(held):
            document = _lock(work)
            batch = indexing.unembedded(document, limit=BATCH)
            if not batch:
                return _ready(held, document)
        try:
            vectors = embedder.embed([chunk.text for chunk in batch], priority="bulk")
        except EmbedderUnavailable as trouble:
            return _embedder_down(held, work, batch, trouble)
        with fenced(held):
            indexing.add_vectors(_lock(work), batch, vectors)


def _ready(held: Lease, document: Document) -> str:
    """Ready is said only of a document whose every chunk has words and a vector under the live model."""
    with connections[ALIAS].cursor() as cursor:
        cursor.execute(
            "UPDATE documents_document SET state = 'ready', problem = '', problem_detail = '', updated_at = clock_timestamp()"
            " WHERE id = %s AND chunk_count > 0 AND vector_count = chunk_count",
            [document.pk],
        )
        complete = cursor.rowcount == 1
    if not complete and EmbeddingModel.objects.using(ALIAS).filter(state=EmbeddingModel.State.LIVE).exists():
        raise RuntimeError("chunks and vectors do not add up")
    queue.finish(held, state=IngestJob.State.DONE)
    return "ready" if complete else "words"


def _embedder_down(held: Lease, work: Work, batch: list[indexing.Unembedded], trouble: EmbedderUnavailable) -> str:
    """Keep the vectors that were made, say so on the document, and come back later."""
    with fenced(held):
        document = _lock(work)
        if trouble.done:
            indexing.add_vectors(document, batch, trouble.done)
        Document.objects.using(ALIAS).filter(pk=document.pk).update(problem="documents.embedder_down")
        queue.try_later(
            held,
            kind=IngestJob.Kind.EMBED,
            retries=0 if trouble.done else work.retries,
            problem=trouble.code,
            at_least_s=trouble.retry_after_s or 0.0,
        )
    return "embedder_down"


def _remove(held: Lease, work: Work) -> str:
    with fenced(held):
        keys = indexing.erase(Document.objects.using(ALIAS).select_for_update().get(pk=work.document.pk))
        queue.finish(held, state=IngestJob.State.DONE)
    for key in keys:
        blobs.remove(key)
    return "removed"


@functools.cache
def local_embedder() -> Embedder:
    return embedder_from(settings.EMBEDDER_URL, settings.EMBEDDER_KEY, settings.EMBEDDER_MODEL)
