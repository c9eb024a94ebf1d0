"""Another embedding model without a gap: filled beside the live one, switched to in one transaction, switched back as easily.

building → live → building → retired: what was live stays filled until it is retired, so that the way back is open.
Everything here but advice() runs as the owner role, for `manage.py embedding_models`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.conf import settings
from django.db import connections, transaction
from django.utils import timezone

from documents.embedders import address_of
from documents.embedding_models import known
from documents.models import EmbeddingModel
from portal.events import Log

log = Log("documents.models")
OWNER = "owner"
State = EmbeddingModel.State
PAGE = 5000
"""Vectors that one transaction of retire() removes."""


class CannotSwitch(Exception):
    """The words say why nothing was changed, and what to do."""


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a model is, over the live text of all documents. `waiting` jobs fill it; `troubled` of them were put off."""

    name: str
    state: str
    dims: int
    vectors: int
    chunks: int
    waiting: int = 0
    troubled: int = 0
    is_served: bool = True

    @property
    def missing(self) -> int:
        return self.chunks - self.vectors

    @property
    def percent(self) -> int:
        """Rounded down: 100 only when nothing is missing."""
        return 100 if self.missing <= 0 else 100 * self.vectors // self.chunks


FILLED = """
SELECT coalesce(sum(d.chunk_count), 0), coalesce(sum(least(d.chunk_count, coalesce(v.vectors, 0))), 0)
FROM documents_document d
LEFT JOIN (SELECT document_id, count(*) AS vectors FROM documents_chunkvector WHERE model_id = %s GROUP BY document_id) v
    ON v.document_id = d.id
WHERE d.deleted_at IS NULL AND d.live_version_id IS NOT NULL
"""
WAITING = """
SELECT count(*), count(*) FILTER (WHERE problem <> '') FROM documents_ingestjob
WHERE stage = 'beside' AND state IN ('queued', 'running')
"""
QUEUE = """
INSERT INTO documents_ingestjob (workspace_id, collection_id, document_id, ref, kind, state, stage, attempt, crashes, retries,
    claimed_by, next_try_at, problem, created_at)
SELECT d.workspace_id, d.collection_id, d.id, left(encode(sha256(convert_to(gen_random_uuid()::text, 'UTF8')), 'hex'), 18),
    'embed', 'queued', 'beside', 0, 0, 0, '', clock_timestamp(), '', clock_timestamp()
FROM documents_document d
WHERE d.deleted_at IS NULL AND d.live_version_id IS NOT NULL
  AND (SELECT count(*) FROM documents_chunkvector v WHERE v.document_id = d.id AND v.model_id = %s) < d.chunk_count
  AND NOT EXISTS (SELECT FROM documents_ingestjob j WHERE j.document_id = d.id AND j.state IN ('queued', 'running'))
"""
RECOUNT = """
UPDATE documents_document d SET vector_count = n.vectors,
    state = CASE WHEN d.state NOT IN ('ready', 'words') THEN d.state WHEN d.chunk_count > 0 AND n.vectors >= d.chunk_count
        THEN 'ready' ELSE 'words' END,
    problem = CASE WHEN d.state = 'words' THEN '' ELSE d.problem END,
    problem_detail = CASE WHEN d.state = 'words' THEN '' ELSE d.problem_detail END
FROM (SELECT o.id, (SELECT count(*) FROM documents_chunkvector v WHERE v.document_id = o.id AND v.model_id = %s) AS vectors
    FROM documents_document o WHERE o.live_version_id IS NOT NULL) n
WHERE d.id = n.id AND (d.vector_count <> n.vectors OR d.state = 'words')
"""


def progress() -> list[Progress]:
    """Of every model, the live one first, then in the order in which they came."""
    waiting, troubled = _row(WAITING)
    found = []
    for row in sorted(EmbeddingModel.objects.using(OWNER).order_by("id"), key=lambda row: row.state != State.LIVE):
        jobs = (waiting, troubled) if row.state == State.BUILDING else (0, 0)
        found.append(_progress(row, *jobs))
    return found


def start(name: str) -> int:
    """Fill the model beside the live one; returns how many documents were queued. Again: queues what is still missing.

    Raises CannotSwitch when the environment does not name it or it is live.
    """
    if address_of(name) is None:
        raise CannotSwitch(
            f"The environment names no embedder of {name}. Set EMBEDDER_NEXT_MODEL={name} (and EMBEDDER_NEXT_URL where another"
            " address serves it), restart web and worker, then start again."
        )
    with transaction.atomic(using=OWNER):
        row = EmbeddingModel.objects.using(OWNER).select_for_update().filter(name=name).first()
        if row is not None and row.state == State.LIVE:
            raise CannotSwitch(f"{name} is the live model already.")
        dims, languages = known(name)
        row, _ = EmbeddingModel.objects.using(OWNER).update_or_create(
            name=name, defaults={"dims": dims, "languages": languages, "state": State.BUILDING}
        )
        queued = _run(QUEUE, row.pk)
    log.info("model.started", model=name, documents=queued)
    return queued


def switch(name: str, *, force: bool = False) -> Progress:
    """Make the model live in one transaction; the one before it stays filled. Returns how far the new one is.

    Raises CannotSwitch unless every chunk has a vector under it; `force` switches all the same: what is missing is found by its
    words until it is filled.
    """
    with transaction.atomic(using=OWNER):
        _hold_documents()
        row = EmbeddingModel.objects.using(OWNER).select_for_update().filter(name=name).first()
        if row is None or row.state == State.RETIRED:
            raise CannotSwitch(f"{name} has no vectors. `manage.py embedding_models start {name}` fills it.")
        if row.state == State.LIVE:
            raise CannotSwitch(f"{name} is the live model already.")
        if address_of(name) is None:
            raise CannotSwitch(f"The environment names no embedder of {name}, so no question could be embedded.")
        now = _progress(row)
        if now.missing and not force:
            raise CannotSwitch(
                f"{name} lacks {now.missing:,} of {now.chunks:,} vectors. Wait until `manage.py embedding_models` says 100 %,"
                " or give --force: then these passages are found by their words alone until they are filled."
            )
        _make_live(row)
        if now.missing:
            _run(QUEUE, row.pk)
            _run("UPDATE documents_ingestjob SET stage = '' WHERE stage = 'beside' AND state = 'queued'")
    log.info("model.switched", model=name, missing=now.missing)
    return now


def rollback(*, force: bool = False) -> Progress:
    """Switch to the model that was live before this one. Raises CannotSwitch when there is none or its vectors are gone."""
    before = EmbeddingModel.objects.using(OWNER).filter(state=State.BUILDING, live_until__isnull=False)
    last = before.order_by("-live_until").first()
    if last is None:
        raise CannotSwitch("No model was live before this one, or it was retired and its vectors are gone.")
    return switch(last.name, force=force)


def retire(name: str) -> int:
    """Stop filling a model and remove its vectors; returns how many. Raises CannotSwitch for the live one."""
    with transaction.atomic(using=OWNER):
        row = EmbeddingModel.objects.using(OWNER).select_for_update().filter(name=name).first()
        if row is None:
            raise CannotSwitch(f"There is no model {name}.")
        if row.state == State.LIVE:
            raise CannotSwitch(f"{name} is live. Switch to another one first.")
        row.state, row.live_until = State.RETIRED, None
        row.save(using=OWNER, update_fields=["state", "live_until"])
    removed = 0
    while gone := _run(
        "DELETE FROM documents_chunkvector WHERE id IN"
        " (SELECT id FROM documents_chunkvector WHERE model_id = %s LIMIT %s)",
        row.pk,
        PAGE,
    ):
        removed += gone
    log.info("model.retired", model=name, vectors=removed)
    return removed


def advice() -> str:
    """What to do when the environment and the live model differ; "" while questions are embedded by the live one."""
    live = EmbeddingModel.objects.using("default").filter(state=State.LIVE).values_list("name", flat=True).first()
    if live is None or live == settings.EMBEDDER_MODEL or address_of(live) is not None:
        return ""
    return (
        f"The live model is {live}, and EMBEDDER_MODEL says {settings.EMBEDDER_MODEL}: nothing was changed, and questions are"
        f" searched by words alone. Set EMBEDDER_MODEL={live} again. To change the model, set"
        f" EMBEDDER_NEXT_MODEL={settings.EMBEDDER_MODEL} beside it and run"
        f" `manage.py embedding_models start {settings.EMBEDDER_MODEL}`."
    )


def _hold_documents() -> None:
    """No vector is written until the transaction ends, and no statement after this one misses one that was."""
    _run("SELECT FROM documents_document ORDER BY id FOR NO KEY UPDATE")


def _make_live(row: EmbeddingModel) -> None:
    rows = EmbeddingModel.objects.using(OWNER)
    rows.filter(state=State.LIVE).update(state=State.BUILDING, live_until=timezone.now())
    rows.filter(pk=row.pk).update(state=State.LIVE, live_until=None)
    _run(RECOUNT, row.pk)
    _run("UPDATE documents_collectionstats SET epoch = epoch + 1")


def _progress(row: EmbeddingModel, waiting: int = 0, troubled: int = 0) -> Progress:
    chunks, vectors = _row(FILLED, row.pk)
    is_served = address_of(row.name) is not None
    return Progress(row.name, row.state, row.dims, int(vectors), int(chunks), waiting, troubled, is_served)


def _row(sql: str, *params: Any) -> tuple[Any, ...]:
    with connections[OWNER].cursor() as cursor:
        cursor.execute(sql, list(params))
        found: tuple[Any, ...] = cursor.fetchone()
    return found


def _run(sql: str, *params: Any) -> int:
    with connections[OWNER].cursor() as cursor:
        cursor.execute(sql, list(params))
        return int(cursor.rowcount)
