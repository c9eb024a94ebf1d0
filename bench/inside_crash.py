"""Called through bench.inside against a running stack: are the chunks of a collection whole, and whole once."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

from django.db import InterfaceError, OperationalError, connections

from bench.inside_corpus import demo_scope
from documents import blobs
from documents.models import Blob, Chunk, ChunkVector, Document, IngestJob, Version
from portal.scope import principal


def shape(collection: str) -> dict[str, Any]:
    """Per document its state, live chunks and vectors; and every fault of the rows behind them."""
    scope = demo_scope()
    with principal(scope):
        documents = list(
            Document.objects.visible_to(scope)
            .filter(collection__ref=collection, deleted_at__isnull=True)
            .order_by("name")
        )
        found, faults = {}, []
        for document in documents:
            chunks = list(
                Chunk.objects.visible_to(scope)
                .filter(version=document.live_version_id)
                .order_by("ordinal")
                .values_list("ordinal", "text", "start")
            )
            vectors = ChunkVector.objects.visible_to(scope).filter(document=document).count()
            found[document.name] = [document.state, len(chunks), vectors]
            if [ordinal for ordinal, *_ in chunks] != list(range(len(chunks))):
                faults.append(f"{document.name}: ordinals have holes or repeats")
            if len({(text, start) for _, text, start in chunks}) != len(chunks):
                faults.append(f"{document.name}: a chunk is there twice")
            if document.chunk_count != len(chunks) or document.vector_count != vectors:
                faults.append(f"{document.name}: its counts differ from its rows")
        jobs = IngestJob.objects.visible_to(scope).filter(collection__ref=collection)
        open_jobs = jobs.filter(state__in=[IngestJob.State.QUEUED, IngestJob.State.RUNNING]).count()
    return {"documents": found, "faults": faults, "open_jobs": open_jobs}


def done_count(collection: str) -> int:
    """Rows that only grow while work goes on: chunks and vectors of the collection, and documents that are ready."""
    scope = demo_scope()
    with principal(scope):
        rows = Document.objects.visible_to(scope).filter(collection__ref=collection, deleted_at__isnull=True)
        return sum(
            c + v + (s == Document.State.READY) for c, v, s in rows.values_list("chunk_count", "vector_count", "state")
        )


def await_progress(collection: str, beyond: int, within_s: float) -> float:
    """Seconds until done_count() exceeds `beyond`, or -1 when it never does."""
    started = time.monotonic()
    while time.monotonic() - started < within_s:
        if done_count(collection) > beyond:
            return time.monotonic() - started
        time.sleep(0.5)
    return -1.0


def await_one(collection: str, name: str, within_s: float) -> dict[str, Any]:
    """What became of one document, once it is ready, needs attention, or the time is over; and the faults of its rows.

    The database may be on its way back: one that does not answer is asked again.
    """
    started = time.monotonic()
    while True:
        is_over = time.monotonic() - started > within_s
        try:
            row = (
                Document.objects.using("owner")
                .filter(collection__ref=collection, name=name, deleted_at__isnull=True)
                .first()
            )
            if is_over or (row and row.state in (Document.State.READY, Document.State.ATTENTION)):
                return {"state": row.state if row else "lost", "faults": faults_of(row) if row else []}
        except (OperationalError, InterfaceError):
            connections["owner"].close()
            if is_over:
                raise
        time.sleep(0.1)


def faults_of(document: Document) -> list[str]:
    """What is wrong with the rows of one document. Reads through the owner's role."""
    chunks = Chunk.objects.using("owner").filter(document=document)
    live = chunks.filter(version=document.live_version_id or 0)
    spans = list(live.order_by("ordinal").values_list("ordinal", "start", "text"))
    found = []
    if [ordinal for ordinal, *_ in spans] != list(range(len(spans))):
        found.append("ordinals have holes or repeats")
    if len({(start, text) for _, start, text in spans}) != len(spans) or chunks.count() != len(spans):
        found.append("a chunk is there twice")
    vectors = ChunkVector.objects.using("owner").filter(document=document).count()
    if document.state == Document.State.READY and not (
        document.chunk_count == len(spans) == document.vector_count == vectors
    ):
        found.append("its counts differ from its rows")
    return found


def left_over() -> dict[str, int]:
    """Stored files without a row, and rows without a file or without a version."""
    root = Path(blobs.storage().path(""))
    files = {f"{path.parent.name}/{path.name}" for path in root.glob("[0-9a-f][0-9a-f]/*")}
    keys = set(Blob.objects.using("owner").values_list("key", flat=True))
    used = set(Version.objects.using("owner").filter(blob__isnull=False).values_list("blob__key", flat=True))
    return {"files": len(files - keys), "rows": len(keys - files) + len(keys - used)}
