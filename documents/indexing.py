"""What makes a version searchable, written in one fenced transaction: chunks, postings, statistics, and later vectors.

All SQL of the write side is here. It runs through the ingest role, whose policies admit the claimed job's document alone.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from django.db import IntegrityError, connections, transaction

from documents.chunk_rows import columns_of
from documents.embedding.vector import Vector
from documents.models import Document, Version
from documents.queue import ALIAS
from documents.sandbox import Prepared, PreparedPiece

BLOCK = 100
"""Chunks whose postings share a row: an entry of the covering index has room for no more (documents/sql/0013_postings.sql)."""


@dataclass(frozen=True, slots=True)
class Place:
    """The keys that every row of a document carries."""

    workspace_id: int
    collection_id: int
    document_id: int


@dataclass(frozen=True, slots=True)
class Unembedded:
    """A chunk without a vector under a model, and the text that is embedded for it."""

    chunk_id: int
    model_id: int
    text: str


def place_of(document: Document) -> Place:
    return Place(document.workspace_id, document.collection_id, document.pk)


def publish(
    document: Document,
    version: Version,
    prepared: Prepared,
    *,
    content_key: bytes,
    suspects: Sequence[Sequence[int]] = (),
) -> int:
    """Make `prepared` the live text of the document; returns its number of chunks. Running it twice changes nothing.

    Replaces chunks and postings, carries over vectors of unchanged text, closes the version before it, and bumps the
    collection's statistics and epoch. `suspects` are spans of the canonical text (documents/suspects.py).
    """
    place = place_of(document)
    before = live_size(document)
    ids = _upsert_chunks(place, version, prepared, content_key)
    _replace_postings(place, prepared.pieces, ids)
    _open_version(version, prepared, suspects)
    reuse_vectors(place, version.pk)
    _drop_old_vectors(place, version.pk)
    after = (len(ids), sum(piece.length for piece in prepared.pieces))
    bump_statistics(place, chunks=after[0] - before[0], terms=after[1] - before[1], language=prepared.language)
    _go_live(document, version, prepared, size=after, suspects=len(suspects))
    return len(ids)


def live_size(document: Document) -> tuple[int, int]:
    """(chunks, terms) that the document adds to its collection's statistics now."""
    with connections[ALIAS].cursor() as cursor:
        cursor.execute(
            "SELECT count(*), coalesce(sum(term_count), 0) FROM documents_chunk WHERE document_id = %s AND version_id = %s",
            [document.pk, document.live_version_id],
        )
        chunks, terms = cursor.fetchone()
        return int(chunks), int(terms)


def _upsert_chunks(place: Place, version: Version, prepared: Prepared, content_key: bytes) -> list[int]:
    """Chunk ids in piece order. Rows of an earlier attempt are kept where the text is the same, removed where not."""
    columns = columns_of(prepared, content_key)
    with connections[ALIAS].cursor() as cursor:
        cursor.execute(
            """
            INSERT INTO documents_chunk (workspace_id, collection_id, document_id, version_id, language, fingerprint,
                occurrence, ordinal, kind, heading_path, page, start_at, end_at, text, prefix, term_count, entry_kind,
                entry_ident, source_url)
            SELECT %s, %s, %s, %s, %s, p.fingerprint, p.occurrence, p.ordinal, p.kind,
                ARRAY(SELECT jsonb_array_elements_text(p.headings::jsonb)), p.page, p.start_at, p.end_at, p.text, p.prefix, p.terms,
                p.entry_kind, p.entry_ident, p.source_url
            FROM unnest(%s::bytea[], %s::int[], %s::int[], %s::text[], %s::text[], %s::int[], %s::int[], %s::int[],
                %s::text[], %s::text[], %s::int[], %s::text[], %s::text[], %s::text[]) AS p (fingerprint, occurrence,
                ordinal, kind, headings, page, start_at, end_at, text, prefix, terms, entry_kind, entry_ident, source_url)
            ON CONFLICT (version_id, fingerprint, occurrence) DO UPDATE SET ordinal = excluded.ordinal,
                kind = excluded.kind, page = excluded.page, start_at = excluded.start_at, end_at = excluded.end_at,
                text = excluded.text, prefix = excluded.prefix, heading_path = excluded.heading_path,
                term_count = excluded.term_count, language = excluded.language, entry_kind = excluded.entry_kind,
                entry_ident = excluded.entry_ident, source_url = excluded.source_url
            RETURNING id, ordinal
            """,
            [place.workspace_id, place.collection_id, place.document_id, version.pk, prepared.language, *columns],
        )
        ids = [chunk_id for chunk_id, _ in sorted(cursor.fetchall(), key=lambda row: row[1])]
        cursor.execute(
            "DELETE FROM documents_chunk WHERE version_id = %s AND id <> ALL (%s::bigint[])", [version.pk, ids]
        )
    return ids


def _replace_postings(place: Place, pieces: Sequence[PreparedPiece], ids: Sequence[int]) -> None:
    with connections[ALIAS].cursor() as cursor:
        cursor.execute("DELETE FROM documents_posting WHERE document_id = %s", [place.document_id])
        for block in _blocks(list(zip(ids, pieces, strict=True))):
            rows = [(t, i, tf, piece.length) for i, piece in block for t, tf in piece.terms.items()]
            if not rows:
                continue
            cursor.execute(
                """
                INSERT INTO documents_posting (workspace_id, collection_id, document_id, term, chunk_ids, frequencies, lengths)
                SELECT %s, %s, %s, p.term, array_agg(p.chunk_id ORDER BY p.chunk_id),
                    array_agg(least(p.frequency, 32767)::smallint ORDER BY p.chunk_id), array_agg(p.length ORDER BY p.chunk_id)
                FROM unnest(%s::text::bigint[], %s::text::bigint[], %s::text::int[], %s::text::int[])
                    AS p (term, chunk_id, frequency, length)
                GROUP BY p.term
                """,
                [
                    place.workspace_id,
                    place.collection_id,
                    place.document_id,
                    *(_array(column) for column in zip(*rows, strict=True)),
                ],
            )


def _array(numbers: Iterable[int]) -> str:
    """As PostgreSQL writes an array: psycopg takes a list apart number by number, at six times the time."""
    return "{" + ",".join(map(str, numbers)) + "}"


def _blocks(rows: list[tuple[int, PreparedPiece]]) -> Iterator[list[tuple[int, PreparedPiece]]]:
    iterator = iter(rows)
    while block := list(islice(iterator, BLOCK)):
        yield block


def _open_version(version: Version, prepared: Prepared, suspects: Sequence[Sequence[int]]) -> None:
    report = {**prepared.as_kept(), "suspects": suspects}
    with connections[ALIAS].cursor() as cursor:
        cursor.execute(
            "UPDATE documents_version SET valid_to = clock_timestamp() WHERE document_id = %s AND id <> %s AND valid_to IS NULL"
            " AND valid_from IS NOT NULL",
            [version.document_id, version.pk],
        )
        cursor.execute(
            "UPDATE documents_version SET text = %s, language = %s, report = %s, boxes = %s, pipeline = %s,"
            " valid_from = coalesce(valid_from, clock_timestamp()), valid_to = NULL WHERE id = %s",
            [prepared.canonical, prepared.language, json.dumps(report), prepared.boxes, PIPELINE, version.pk],
        )


PIPELINE = 3
"""Raised whenever the same bytes would give other chunks."""


def reuse_vectors(place: Place, version_id: int) -> int:
    """Copy vectors of equal text anywhere in the workspace to this version's chunks; returns how many.

    By distinct text first: a log of ten thousand equal lines would pair each of them with each.
    """
    with connections[ALIAS].cursor() as cursor:
        cursor.execute(
            """
            WITH wanted AS MATERIALIZED (SELECT DISTINCT fingerprint FROM documents_chunk WHERE version_id = %s),
            known AS MATERIALIZED (
                SELECT DISTINCT ON (same.fingerprint, v.model_id) same.fingerprint, v.model_id, v.embedding
                FROM wanted w
                JOIN documents_chunk same ON same.workspace_id = %s AND same.fingerprint = w.fingerprint
                JOIN documents_chunkvector v ON v.chunk_id = same.id
                JOIN documents_embeddingmodel m ON m.id = v.model_id AND m.state IN ('live', 'building')
                ORDER BY same.fingerprint, v.model_id)
            INSERT INTO documents_chunkvector (workspace_id, collection_id, document_id, chunk_id, model_id, embedding)
            SELECT %s, %s, %s, c.id, k.model_id, k.embedding
            FROM documents_chunk c JOIN known k ON k.fingerprint = c.fingerprint
            WHERE c.version_id = %s
            ON CONFLICT (chunk_id, model_id) DO NOTHING
            """,
            [version_id, place.workspace_id, place.workspace_id, place.collection_id, place.document_id, version_id],
        )
        return int(cursor.rowcount)


def _drop_old_vectors(place: Place, version_id: int) -> None:
    """Only the live version is searched by meaning; what it shares with the one before was carried over."""
    with connections[ALIAS].cursor() as cursor:
        cursor.execute(
            "DELETE FROM documents_chunkvector v USING documents_chunk c WHERE v.document_id = %s AND c.id = v.chunk_id"
            " AND c.document_id = %s AND c.version_id <> %s",
            [place.document_id, place.document_id, version_id],
        )


def bump_statistics(place: Place, *, chunks: int, terms: int, language: str = "") -> None:
    """Add to the collection's counts and the languages a question must be stemmed in, and raise its epoch."""
    with connections[ALIAS].cursor() as cursor:
        cursor.execute(
            """
            INSERT INTO documents_collectionstats AS s (workspace_id, collection_id, chunk_count, term_count, languages, epoch)
            VALUES (%s, %s, %s, %s, %s::varchar[], 1)
            ON CONFLICT (collection_id) DO UPDATE SET chunk_count = s.chunk_count + excluded.chunk_count,
                term_count = s.term_count + excluded.term_count, epoch = s.epoch + 1,
                languages = CASE WHEN s.languages @> excluded.languages THEN s.languages
                    ELSE s.languages || excluded.languages END
            """,
            [place.workspace_id, place.collection_id, chunks, terms, [language] if language else []],
        )


def _go_live(document: Document, version: Version, prepared: Prepared, *, size: tuple[int, int], suspects: int) -> None:
    with connections[ALIAS].cursor() as cursor:
        cursor.execute(
            """
            UPDATE documents_document SET live_version_id = %s, title = %s, state = 'words', problem = '', problem_detail = '',
                chunk_count = %s, term_count = %s, page_count = %s, unread_pages = %s, skipped_count = %s, table_count = %s,
                hidden_characters = %s, suspect_count = %s, updated_at = clock_timestamp(),
                source_url = CASE WHEN source_url = '' THEN %s ELSE source_url END,
                vector_count = (SELECT count(*) FROM documents_chunkvector v WHERE v.document_id = %s
                    AND v.model_id = (SELECT m.id FROM documents_embeddingmodel m WHERE m.state = 'live'))
            WHERE id = %s
            """,
            [
                version.pk,
                prepared.title[:500],
                *size,
                prepared.report.pages,
                len(prepared.report.pages_without_text),
                len(prepared.report.skipped),
                sum(block.kind == "table" for block in prepared.blocks),
                prepared.report.hidden_characters,
                suspects,
                prepared.source_url,
                document.pk,
                document.pk,
            ],
        )


def unembedded(document: Document, *, limit: int, model_id: int, without: Collection[int] = ()) -> list[Unembedded]:
    """Live chunks without a vector under the model, one of each text, in reading order, at most `limit`, none of `without`.

    Looks each chunk up by itself: a join would read every vector of the workspace, since the planner takes a document for small.
    """
    with connections[ALIAS].cursor() as cursor:
        cursor.execute(
            """
            SELECT c.id, %s, held.title, c.heading_path, c.prefix, c.text
            FROM documents_document held
            CROSS JOIN LATERAL (SELECT DISTINCT ON (l.fingerprint) l.id, l.ordinal
                FROM documents_chunk l
                LEFT JOIN LATERAL (SELECT true AS found FROM documents_chunkvector v
                    WHERE v.chunk_id = l.id AND v.model_id = %s LIMIT 1) AS has ON true
                WHERE l.version_id = held.live_version_id AND l.id <> ALL (%s::bigint[]) AND has.found IS NULL
                ORDER BY l.fingerprint, l.ordinal) AS bare
            JOIN documents_chunk c ON c.id = bare.id
            WHERE held.id = %s
            ORDER BY bare.ordinal LIMIT %s
            """,
            [model_id, model_id, list(without), document.pk, limit],
        )
        return [
            Unembedded(
                chunk_id,
                model_id,
                "\n".join(part for part in (" › ".join(p for p in (title, *path) if p), prefix, text) if part),
            )
            for chunk_id, model_id, title, path, prefix, text in cursor.fetchall()
        ]


def dims_of(document: Document, model_id: int) -> int:
    """How many dimensions the workspace's vectors under the model have; 0 while there are none."""
    with connections[ALIAS].cursor() as cursor:
        cursor.execute(
            "SELECT vector_dims(embedding) FROM documents_chunkvector WHERE workspace_id = %s AND model_id = %s LIMIT 1",
            [document.workspace_id, model_id],
        )
        row = cursor.fetchone()
        return int(row[0]) if row else 0


def add_vectors(document: Document, chunks: Sequence[Unembedded], vectors: Sequence[Vector]) -> int:
    """Store vectors of the first len(vectors) chunks, and of those with the same text in their version; return how many live
    chunks of the document have one.
    """
    place = place_of(document)
    rows = list(zip(chunks, vectors, strict=False))
    with connections[ALIAS].cursor() as cursor:
        cursor.execute(
            """
            INSERT INTO documents_chunkvector (workspace_id, collection_id, document_id, chunk_id, model_id, embedding)
            SELECT %s, %s, %s, c.id, p.model_id, p.vector::halfvec
            FROM unnest(%s::bigint[], %s::bigint[], %s::text[]) AS p (chunk_id, model_id, vector)
            JOIN documents_chunk one ON one.id = p.chunk_id
            JOIN documents_chunk c ON c.version_id = one.version_id AND c.fingerprint = one.fingerprint
            ON CONFLICT (chunk_id, model_id) DO NOTHING
            """,
            [
                place.workspace_id,
                place.collection_id,
                place.document_id,
                [chunk.chunk_id for chunk, _ in rows],
                [chunk.model_id for chunk, _ in rows],
                ["[" + ",".join(map("{:.6g}".format, vector)) + "]" for _, vector in rows],
            ],
        )
        cursor.execute(
            """
            UPDATE documents_document d SET problem = CASE state WHEN 'attention' THEN problem ELSE '' END,
                problem_detail = CASE state WHEN 'attention' THEN problem_detail ELSE '' END,
                vector_count = (SELECT count(*) FROM documents_chunkvector v
                JOIN documents_embeddingmodel m ON m.id = v.model_id AND m.state = 'live' WHERE v.document_id = d.id)
            WHERE d.id = %s RETURNING vector_count
            """,
            [document.pk],
        )
        return int(cursor.fetchone()[0])


def erase(document: Document) -> list[str]:
    """Remove everything a deleted document was cut into, and its text; returns the keys of blobs that nothing uses any more."""
    place = place_of(document)
    chunks, terms = live_size(document)
    with connections[ALIAS].cursor() as cursor:
        cursor.execute("DELETE FROM documents_posting WHERE document_id = %s", [document.pk])
        cursor.execute("DELETE FROM documents_chunk WHERE document_id = %s", [document.pk])
        cursor.execute(
            "WITH was AS (SELECT id, blob_id FROM documents_version WHERE document_id = %s)"
            " UPDATE documents_version v SET text = '', report = '{}', boxes = '', blob_id = NULL,"
            " valid_to = coalesce(valid_to, clock_timestamp()), file_name = CASE WHEN %s THEN '' ELSE file_name END"
            " FROM was WHERE v.id = was.id RETURNING was.blob_id",
            [document.pk, document.purged_at is not None],
        )
        blob_ids = [blob_id for (blob_id,) in cursor.fetchall() if blob_id is not None]
        cursor.execute(
            "UPDATE documents_document SET live_version_id = NULL, chunk_count = 0, term_count = 0, vector_count = 0, title = ''"
            " WHERE id = %s",
            [document.pk],
        )
        keys = [key for blob_id in blob_ids if (key := _drop_blob(blob_id))]
    if document.live_version_id is not None:
        bump_statistics(place, chunks=-chunks, terms=-terms)
    return keys


def drop_originals(document: Document) -> list[str]:
    """Forget the files of what was read of a document whose collection keeps the text alone; returns keys as erase() does."""
    with connections[ALIAS].cursor() as cursor:
        cursor.execute(
            "WITH was AS (SELECT v.id, v.blob_id FROM documents_version v"
            " JOIN portal_collection l ON l.id = v.collection_id AND NOT l.keeps_original"
            " WHERE v.document_id = %s AND v.blob_id IS NOT NULL AND v.valid_from IS NOT NULL)"
            " UPDATE documents_version v SET blob_id = NULL FROM was WHERE v.id = was.id RETURNING was.blob_id",
            [document.pk],
        )
        return [key for (blob_id,) in cursor.fetchall() if (key := _drop_blob(blob_id))]


def drop_original(version_id: int) -> list[str]:
    """Forget the file of one version; returns keys as erase() does."""
    with connections[ALIAS].cursor() as cursor:
        cursor.execute(
            "WITH was AS (SELECT id, blob_id FROM documents_version WHERE id = %s AND blob_id IS NOT NULL)"
            " UPDATE documents_version v SET blob_id = NULL FROM was WHERE v.id = was.id RETURNING was.blob_id",
            [version_id],
        )
        return [key for (blob_id,) in cursor.fetchall() if (key := _drop_blob(blob_id))]


def _drop_blob(blob_id: int) -> str:
    """The key of the blob when nothing used it any more and it was removed, else ""."""
    try:
        with transaction.atomic(using=ALIAS), connections[ALIAS].cursor() as cursor:
            cursor.execute(
                "DELETE FROM documents_blob b WHERE b.id = %s"
                " AND NOT EXISTS (SELECT FROM documents_version v WHERE v.blob_id = b.id) RETURNING key",
                [blob_id],
            )
            row = cursor.fetchone()
    except IntegrityError:  # the same bytes were uploaded again a moment before: the blob stays
        return ""
    return str(row[0]) if row else ""
