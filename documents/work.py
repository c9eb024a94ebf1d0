"""What a claimed job is about, read under its fence. As SQL: Django builds a query for 1 to 2 ms, and every batch asks again."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from django.db import connections, models

from documents.models import Document, EmbeddingModel, Version
from documents.queue import ALIAS, FenceLost, Lease
from documents.text.piece import ChunkProfile


@dataclass(frozen=True, slots=True)
class Work:
    """`version` is None for a removal, and knows its id and its document alone."""

    kind: str
    retries: int
    document: Document
    version: Version | None
    blob_key: str
    profile: ChunkProfile
    content_key: bytes
    stage: str = ""


def load(held: Lease) -> Work:
    """Needs an open fence."""
    ((kind, retries, stage, version_id, key, splitter, most, overlap, content_key),) = _rows(
        """
        SELECT j.kind, j.retries, j.stage, v.id, coalesce(b.key, ''), l.splitter, l.max_tokens, l.overlap_tokens, w.content_key
        FROM documents_ingestjob j
        JOIN portal_collection l ON l.id = j.collection_id
        JOIN portal_workspace w ON w.id = j.workspace_id
        LEFT JOIN documents_version v ON v.id = j.version_id
        LEFT JOIN documents_blob b ON b.id = v.blob_id
        WHERE j.id = %s
        """,
        [held.claim.job_id],
    )
    document = next(_documents("id = %s", held.claim.document_id))
    known = ("id", "document_id")
    version = None if version_id is None else Version.from_db(ALIAS, known, (version_id, document.pk))
    return Work(kind, retries, document, version, key, ChunkProfile(splitter, most, overlap), bytes(content_key), stage)


def held_document(work: Work) -> Document:
    """The document's row as it is now; the fence holds it locked. Raises FenceLost when it was deleted meanwhile."""
    document = next(_documents("id = %s AND deleted_at IS NULL", work.document.pk), None)
    if document is None:
        raise FenceLost
    return document


def models_to_fill() -> list[EmbeddingModel]:
    """The live one first."""
    where = "state <> 'retired' ORDER BY state = 'live' DESC, id"
    return [EmbeddingModel.from_db(ALIAS, _names(EmbeddingModel), row) for row in _rows(_select(EmbeddingModel, where))]


def _documents(where: str, key: int) -> Iterator[Document]:
    return (Document.from_db(ALIAS, _names(Document), row) for row in _rows(_select(Document, where), [key]))


def _rows(sql: str, values: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
    with connections[ALIAS].cursor() as cursor:
        cursor.execute(sql, values)
        return list(cursor.fetchall())


@cache
def _names(model: type[models.Model]) -> tuple[str, ...]:
    return tuple(field.attname for field in model._meta.concrete_fields)


@cache
def _select(model: type[models.Model], where: str) -> str:
    columns = ", ".join(f'"{field.column}"' for field in model._meta.concrete_fields)
    return f"SELECT {columns} FROM {model._meta.db_table} WHERE {where}"  # noqa: S608 (names of our own models)
