"""Called through bench.inside against a running stack: are the chunks of a collection whole, and whole once."""

from __future__ import annotations

import time
from typing import Any

from bench.inside_corpus import demo_scope
from documents.models import Chunk, ChunkVector, Document, IngestJob
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
