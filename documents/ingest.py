"""A claimed job to its end: read the file in the cage, make it searchable by words, fill in the vectors.

claim → parse (no transaction) → publish (fenced) → embed a batch (no transaction) → add it (fenced) → … → ready
"""

from __future__ import annotations

import functools
import time
from collections.abc import Sequence
from dataclasses import dataclass

from django.db import connections

from documents import blobs, filling, indexing, queue, requeue
from documents.breaker import Breaker
from documents.embedders import Embedders
from documents.embedding.client import DOWN, REFUSED, Embedder, EmbedderUnavailable, embedder_from
from documents.embedding.vector import Vector
from documents.filling import Next
from documents.models import Document, EmbeddingModel, IngestJob
from documents.queue import ALIAS, Claim, FenceLost, Lease, fenced
from documents.sandbox import Outcome, Prepared, prepare
from documents.scanner import Trouble, scan
from documents.suspects import found_in
from documents.work import Work, held_document, load, models_to_fill
from portal.events import Log

log = Log("documents.ingest")
BATCH = 32
TURN_S = 5.0
"""How long a document has its vectors made while others wait."""
LONGEST_ASKED_WAIT_S = 3600.0
WRONG_SIZE = "documents.embedder_wrong_size"
PART_REFUSED = "documents.passages_refused"
MOST_REFUSED = 3
"""Texts in a row, and none taken: then it is not the texts."""
READER_GONE = ("SIGKILL", "The reading process does not start.")
embedder_breaker = Breaker()
beside_breaker = Breaker()
"""Of the models that are not live: their embedder's faults hold up nothing else."""


class ReaderKilled(Exception):
    """Somebody or the kernel killed the caged reader: not the file's fault the first time, perhaps the third."""

    code = "documents.reader_crashed"


Batch = list[indexing.Unembedded]


@dataclass(frozen=True, slots=True)
class Made:
    """Vectors of the chunks `batch`, and the ids of those of `found` whose texts the provider will not take."""

    found: Next
    batch: Batch
    vectors: list[Vector]
    refused: set[int]


def run(claimed: Claim) -> str:
    """Carry the claimed job to an end; returns its outcome as a word for the log. Never raises for a lost fence."""
    _at(claimed, "claimed")
    with queue.lease(claimed) as held:
        try:
            outcome = _carry_out(held)
        except FenceLost:
            outcome = "fence_lost"
        except Exception as error:  # noqa: BLE001 (the boundary of a job)
            outcome = requeue.after_fault(held, error)
    log.info("ingest.done", job=claimed.job_id, attempt=claimed.attempt, outcome=outcome)
    return outcome


def _at(claimed: Claim, stage: str, **more: int) -> None:
    """Where a job is, for who looks at LOG_LEVEL=debug, and for the bar that kills everything at every stage (bench/faults.py)."""
    log.debug("ingest.stage", job=claimed.job_id, stage=stage, **more)


def _carry_out(held: Lease) -> str:
    if queue.HELD.is_closed:  # claimed at the moment when the worker was told to end
        requeue.hand_back(held)
        raise FenceLost
    work = _load(held)
    if work.kind == IngestJob.Kind.REMOVE:
        return _remove(held, work)
    if work.document.deleted_at is not None:
        raise FenceLost
    if work.kind == IngestJob.Kind.INGEST and (trouble := _read(held, work)):
        return trouble
    if work.kind == IngestJob.Kind.EMBED:
        _drop_originals(held, work)
    return _fill(held, work)


def _load(held: Lease) -> Work:
    with fenced(held):
        work = load(held)
        if work.kind == IngestJob.Kind.INGEST:
            Document.objects.using(ALIAS).filter(pk=work.document.pk).update(state=Document.State.READING)
    return work


def _read(held: Lease, work: Work) -> str:
    """Parse and publish; "" when the document is searchable by words, else the code of what it needs attention for."""
    _at(held.claim, "reading")
    try:
        with blobs.as_path(work.blob_key) as path:
            if trouble := scan(path):
                return _not_passed(held, work, trouble)
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
        if outcome.code == ReaderKilled.code and outcome.detail in READER_GONE:
            raise ReaderKilled
        return _needs_attention(held, work, outcome.code, outcome.detail)
    if not outcome.pieces:
        return _needs_attention(held, work, "documents.no_text", "")
    _at(held.claim, "chunked", chunks=len(outcome.pieces))
    suspects = found_in(outcome.canonical)
    with fenced(held, may_be_long=True):
        document = held_document(work)
        if work.version is None:
            raise FenceLost
        _at(held.claim, "writing")
        indexing.publish(document, work.version, outcome, content_key=work.content_key, suspects=suspects)
        keys = indexing.drop_originals(document)
        queue.went_on(held)
    _at(held.claim, "committed")
    _remove_files(keys)
    return ""


def _not_passed(held: Lease, work: Work, trouble: Trouble) -> str:
    """A file that the virus scanner did not pass: removed, set aside, or kept waiting."""
    if trouble.may_pass:
        with fenced(held):
            document = held_document(work)
            Document.objects.using(ALIAS).filter(pk=document.pk).update(state=Document.State.QUEUED)
            return _later(held, document, trouble.code, retries=work.retries + 1)
    return _needs_attention(held, work, trouble.code, trouble.detail, keeps_file=not trouble.is_infected)


def _needs_attention(held: Lease, work: Work, code: str, detail: str, *, keeps_file: bool = True) -> str:
    keys: list[str] = []
    with fenced(held):
        held_document(work)
        if work.version is not None and not keeps_file:
            keys = indexing.drop_original(work.version.pk)
        Document.objects.using(ALIAS).filter(pk=work.document.pk).update(
            state=Document.State.ATTENTION, problem=code, problem_detail=detail[:500]
        )
        queue.finish(held, state=IngestJob.State.FAILED, problem=code)
    _remove_files(keys)
    return code


def _fill(held: Lease, work: Work) -> str:
    """Embed what has no vector yet, as soon as no other thread of this process does; what waits for it waits in the queue."""
    is_mine = queue.FILLING.acquire(blocking=False)
    try:
        return _fill_in(held, work, may_embed=is_mine)
    finally:
        if is_mine:
            queue.FILLING.release()


def _fill_in(held: Lease, work: Work, *, may_embed: bool) -> str:
    """Batch by batch, until every chunk has a vector: of the live model first, of those beside it in a job of their own.

    One transaction stores a batch and finds the next one.
    """
    until = time.monotonic() + TURN_S
    refused: dict[int, set[int]] = {}
    page, made = filling.Page(), None
    while True:
        with fenced(held):
            document = held_document(work)
            if made and (outcome := _add(held, work, document, made, until)):
                return outcome
            models = models_to_fill()
            if why := filling.why_none(models, local_embedder()):
                return _without_model(held, document, work, why)
            found = filling.next_batch(document, models, local_embedder(), refused, page, limit=BATCH)
            if found is None:
                return _at_end(held, document, work, models, refused)
            if outcome := _not_now(held, document, work, found, may_embed=may_embed):
                return outcome
        _at(held.claim, "embedding", done=document.vector_count)
        try:
            made = Made(found, *_embedded(found.embedder, found.batch))
        except EmbedderUnavailable as trouble:
            return _embedder_down(held, work, found, trouble)
        _breaker(found).succeeded()
        refused.setdefault(found.model.pk, set()).update(made.refused)


def _not_now(held: Lease, document: Document, work: Work, found: Next, *, may_embed: bool) -> str:
    """Why a batch is left to another time, as the job's outcome; "" to embed it."""
    if found.is_beside and work.stage != IngestJob.BESIDE:
        return _go_beside(held, document)
    if not may_embed:
        requeue.give_way(held)
        return "gave_way"
    if wait_s := _breaker(found).wait_s():
        return _later(held, document, DOWN, retries=work.retries, at_least_s=wait_s, beside=found.is_beside)
    return ""


def _add(held: Lease, work: Work, document: Document, made: Made, until: float) -> str:
    """Store one batch; "" to go on, else the job's outcome."""
    if not made.batch:
        return ""
    if misfit := _misfit(document, made.found.model, made.vectors):
        is_beside = made.found.is_beside
        return _later(held, document, WRONG_SIZE, retries=work.retries, detail=misfit, beside=is_beside)
    document.vector_count = indexing.add_vectors(document, made.batch, made.vectors)
    queue.went_on(held)
    if time.monotonic() > until and queue.state().waiting:
        requeue.give_way(held)
        return "gave_way"
    return ""


def _breaker(found: Next) -> Breaker:
    return beside_breaker if found.is_beside else embedder_breaker


def _at_end(
    held: Lease, document: Document, work: Work, models: Sequence[EmbeddingModel], refused: dict[int, set[int]]
) -> str:
    """Nothing is left to send; what a provider would not take is sent again in an hour."""
    first, *others = models
    if turned_down := refused.get(first.pk):
        return _but_for(held, document, work, len(turned_down))
    if any(refused.get(other.pk) for other in others):
        retries = work.retries + 1
        return _later(held, document, PART_REFUSED, retries=retries, at_least_s=LONGEST_ASKED_WAIT_S, beside=True)
    return _ready(held, document)


def _go_beside(held: Lease, document: Document) -> str:
    _say_ready(document)
    requeue.go_beside(held)
    return "beside"


def _embedded(embedder: Embedder, batch: Batch) -> tuple[Batch, list[Vector], set[int]]:
    """The chunks that got a vector, these, and the ids of chunks whose text the provider will not take.

    A batch that is turned down for its texts is sent once more text by text, so that one of them holds up no other. Raises
    EmbedderUnavailable.
    """
    try:
        return batch, embedder.embed([chunk.text for chunk in batch], priority="bulk"), set()
    except EmbedderUnavailable as trouble:
        if trouble.reason != "text":
            raise
        taken, vectors, refused = list(batch[: len(trouble.done)]), list(trouble.done), set[int]()
    for chunk in batch[len(taken) :]:
        try:
            vectors += embedder.embed([chunk.text], priority="bulk")
        except EmbedderUnavailable as alone:
            if alone.reason != "text" or (not taken and len(refused) >= MOST_REFUSED):
                raise
            refused.add(chunk.chunk_id)
        else:
            taken.append(chunk)
    return taken, vectors, refused


def _but_for(held: Lease, document: Document, work: Work, count: int) -> str:
    """All vectors are there but for those of texts that the provider will not take; it is asked again in an hour."""
    said = f"{count:,} of {document.chunk_count:,} passages."
    return _later(held, document, PART_REFUSED, retries=work.retries + 1, detail=said, at_least_s=LONGEST_ASKED_WAIT_S)


def _without_model(held: Lease, document: Document, work: Work, why: str) -> str:
    if why == "other":
        return _later(held, document, REFUSED, retries=work.retries, detail="Another model is the live one.")
    queue.finish(held, state=IngestJob.State.DONE)
    return "words"


def _misfit(document: Document, model: EmbeddingModel, vectors: list[Vector]) -> str:
    """What is wrong with the number of dimensions, or ""."""
    expected = model.dims or indexing.dims_of(document, model.pk) or len(vectors[0])
    found = {len(vector) for vector in vectors}
    return "" if found == {expected} else f"Expected {expected}, got {', '.join(map(str, sorted(found)))}."


def _ready(held: Lease, document: Document) -> str:
    """Ready is said only of a document whose every chunk has words and a vector under the live model."""
    if document.state == Document.State.ATTENTION:  # a newer version's; the live one is whole
        queue.finish(held, state=IngestJob.State.DONE)
        return "attention"
    complete = _say_ready(document)
    if not complete and EmbeddingModel.objects.using(ALIAS).filter(state=EmbeddingModel.State.LIVE).exists():
        raise RuntimeError("chunks and vectors do not add up")
    queue.finish(held, state=IngestJob.State.DONE)
    return "ready" if complete else "words"


def _say_ready(document: Document) -> bool:
    """False when it lacks vectors of the live model."""
    if document.state in (Document.State.READY, Document.State.ATTENTION):
        return True
    with connections[ALIAS].cursor() as cursor:
        cursor.execute(
            "UPDATE documents_document SET state = 'ready', problem = '', problem_detail = '', updated_at = clock_timestamp()"
            " WHERE id = %s AND chunk_count > 0 AND vector_count = chunk_count",
            [document.pk],
        )
        return int(cursor.rowcount) == 1


def _embedder_down(held: Lease, work: Work, found: Next, trouble: EmbedderUnavailable) -> str:
    """Keep the vectors that were made, say so on the document, and come back later."""
    if trouble.may_pass:
        _breaker(found).failed()
    with fenced(held):
        document = held_document(work)
        if trouble.done and not _misfit(document, found.model, trouble.done):
            indexing.add_vectors(document, found.batch, trouble.done)
            queue.went_on(held)
        return _later(
            held,
            document,
            trouble.code,
            retries=0 if trouble.done else work.retries + 1,
            at_least_s=min(trouble.retry_after_s or 0.0, LONGEST_ASKED_WAIT_S),
            beside=found.is_beside,
        )


def _later(
    held: Lease,
    document: Document,
    code: str,
    *,
    retries: int,
    detail: str = "",
    at_least_s: float = 0.0,
    beside: bool = False,
) -> str:
    """The document says what its vectors wait for; the job comes back by itself. Of a model beside the live one the job says it."""
    if not beside:
        waiting = Document.objects.using(ALIAS).filter(pk=document.pk).exclude(state=Document.State.ATTENTION)
        waiting.update(problem=code, problem_detail=detail)
    requeue.try_later(held, retries=retries, problem=code, at_least_s=at_least_s)
    return code.partition(".")[2]


def _remove(held: Lease, work: Work) -> str:
    with fenced(held, may_be_long=True):
        keys = indexing.erase(Document.objects.using(ALIAS).select_for_update().get(pk=work.document.pk))
        queue.finish(held, state=IngestJob.State.DONE)
    _remove_files(keys)
    return "removed"


def _drop_originals(held: Lease, work: Work) -> None:
    """Where the collection came to keep the text alone after its documents were read."""
    with fenced(held):
        keys = indexing.drop_originals(held_document(work))
    _remove_files(keys)


def _remove_files(keys: Sequence[str]) -> None:
    """After the commit; what a killed worker leaves behind is swept (documents/sweep.py)."""
    for key in keys:
        blobs.remove(key)


@functools.cache
def local_embedder() -> Embedders:
    return Embedders(embedder_from, alias=ALIAS)
