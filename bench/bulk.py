"""Rows in bulk, as the database's superuser: COPY is not for roles that row policies bind. For benches alone."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import count, islice, pairwise
from typing import Any

import numpy as np
import psycopg
from numpy.typing import NDArray
from psycopg import sql

from bench.made_up import CHUNK_WORDS, DIMS, Vectors, Vocabulary, Words, postings
from portal import env

BLOCK = 20_000
DOCUMENT_CHUNKS = 20
TABLES = ("posting", "chunkvector", "chunk", "version", "document", "collectionstats")
COLUMNS = {
    "document": "id, workspace_id, collection_id, ref, name, name_key, title, kind, source_url, state, problem, problem_detail,"
    " live_version_id, chunk_count, vector_count, unread_pages, created_at, updated_at",
    "version": "id, workspace_id, collection_id, document_id, ref, number, file_name, sha256, size_bytes, text, language, report,"
    " pipeline, created_at",
    "chunk": "id, workspace_id, collection_id, document_id, version_id, ordinal, fingerprint, occurrence, kind, heading_path,"
    " start_at, end_at, text, prefix, source_url, language, term_count",
    "posting": "workspace_id, collection_id, document_id, term, chunk_ids, frequencies, lengths",
}
VECTOR_ROW = np.dtype(
    [("fields", ">i2")]
    + [
        part
        for name in ("workspace", "collection", "document", "chunk", "model")
        for part in ((f"{name}_size", ">i4"), (name, ">i8"))
    ]
    + [("vector_size", ">i4"), ("dims", ">i2"), ("unused", ">i2"), ("vector", ">f2", (DIMS,))]
)
"""A row of documents_chunkvector as PostgreSQL's binary COPY spells it."""


@dataclass(frozen=True, slots=True)
class Shelf:
    """Where rows go, and the first ids that are free there."""

    workspace: int
    collection: int
    model: int


class Bulk:
    """Writes whole collections; `settle` makes PostgreSQL's own counters and statistics right again."""

    def __init__(self) -> None:
        self.connection = psycopg.connect(os.environ[env.ADMIN_URL], autocommit=True)
        # Foreign keys are not looked up row by row: a document names its version before that is written, and five million
        # postings their documents.
        self.connection.execute("SET session_replication_role = replica")

    def empty(self) -> None:
        """Remove every document of every workspace."""
        names = sql.SQL(", ").join(sql.Identifier(f"documents_{name}") for name in TABLES)
        self.connection.execute(sql.SQL("TRUNCATE {} CASCADE").format(names))

    def fill(
        self, shelf: Shelf, vectors: Vectors, *, words: Words | None = None, vocabulary: Vocabulary | None = None
    ) -> None:
        """A document for every 20 chunks; without words its chunks say "made up" and no posting is written."""
        ends = np.minimum(np.arange(DOCUMENT_CHUNKS, len(vectors) + DOCUMENT_CHUNKS, DOCUMENT_CHUNKS), len(vectors))
        document, chunk = self._next("document"), self._next("chunk")
        self._copy("document", documents(shelf, document, ends))
        self._copy("version", versions(shelf, document, ends))
        self._copy("chunk", chunks(shelf, document, chunk, ends, words, vocabulary))
        self._vectors(shelf, document, chunk, vectors)
        if words is not None and vocabulary is not None:
            self._copy("posting", posting_rows(shelf, document, chunk, words, vocabulary, ends))
        self._counted(shelf, len(vectors))

    def settle(self) -> None:
        """As autovacuum leaves it."""
        for name in TABLES:
            self.connection.execute(sql.SQL("VACUUM ANALYZE {}").format(sql.Identifier(f"documents_{name}")))
        for name in ("document", "version", "chunk"):
            self.connection.execute(
                f"SELECT setval(pg_get_serial_sequence('documents_{name}', 'id'), (SELECT max(id) FROM documents_{name}))"
            )

    def size_of(self, table: str) -> int:
        """Bytes on disk with all indexes."""
        row = self.connection.execute("SELECT pg_total_relation_size(%s::regclass)", [f"documents_{table}"]).fetchone()
        return int(row[0]) if row else 0

    def _next(self, table: str) -> int:
        row = self.connection.execute(
            sql.SQL("SELECT coalesce(max(id), 0) + 1 FROM {}").format(sql.Identifier(f"documents_{table}"))
        ).fetchone()
        return int(row[0]) if row else 1

    def _copy(self, table: str, rows: Iterator[str]) -> None:
        with self.connection.cursor().copy(f"COPY documents_{table} ({COLUMNS[table]}) FROM STDIN") as copy:
            while block := "".join(islice(rows, BLOCK)):
                copy.write(block)

    def _vectors(self, shelf: Shelf, document: int, chunk: int, vectors: Vectors) -> None:
        columns = "workspace_id, collection_id, document_id, chunk_id, model_id, embedding"
        with self.connection.cursor().copy(
            f"COPY documents_chunkvector ({columns}) FROM STDIN (FORMAT binary)"
        ) as copy:
            copy.write(b"PGCOPY\n\xff\r\n\0" + bytes(8))
            for start in range(0, len(vectors), BLOCK):
                copy.write(vector_rows(shelf, document, chunk, start, vectors[start : start + BLOCK]).tobytes())
            copy.write(b"\xff\xff")

    def _counted(self, shelf: Shelf, chunks: int) -> None:
        self.connection.execute(
            "INSERT INTO documents_collectionstats (workspace_id, collection_id, chunk_count, term_count, languages, epoch)"
            " VALUES (%s, %s, %s, %s, '{en}', 1)",
            [shelf.workspace, shelf.collection, chunks, chunks * CHUNK_WORDS],
        )


def spans(ends: NDArray[np.int64]) -> Iterator[tuple[int, int, int]]:
    """(number, first chunk, end) of each document."""
    for number, (start, end) in enumerate(pairwise([0, *ends.tolist()])):
        yield number, start, end


def documents(shelf: Shelf, first: int, ends: NDArray[np.int64]) -> Iterator[str]:
    for number, start, end in spans(ends):
        pk, size = first + number, end - start
        name = f"{pk}.txt"
        yield (
            f"{pk}\t{shelf.workspace}\t{shelf.collection}\tb{pk}\t{name}\t{name}\t{name}\ttext\t\tready\t\t\t{pk}\t{size}\t{size}\t0"
            "\tnow\tnow\n"
        )


def versions(shelf: Shelf, first: int, ends: NDArray[np.int64]) -> Iterator[str]:
    """A document's version has its document's number."""
    for number, _, _ in spans(ends):
        pk = first + number
        yield f"{pk}\t{shelf.workspace}\t{shelf.collection}\t{pk}\tb{pk}\t1\t{pk}.txt\t\t0\t\ten\t{{}}\t1\tnow\n"


def chunks(
    shelf: Shelf, document: int, chunk: int, ends: NDArray[np.int64], words: Words | None, vocabulary: Vocabulary | None
) -> Iterator[str]:
    places = count(chunk)
    for number, start, end in spans(ends):
        pk = document + number
        for ordinal in range(end - start):
            text = (
                vocabulary.text(words[start + ordinal]) if words is not None and vocabulary is not None else "made up"
            )
            chunk_id = next(places)
            yield (
                f"{chunk_id}\t{shelf.workspace}\t{shelf.collection}\t{pk}\t{pk}\t{ordinal}\t\\\\x{chunk_id:016x}\t0\tprose\t{{}}"
                f"\t{ordinal}\t{ordinal + 1}\t{text}\t\t\ten\t{CHUNK_WORDS}\n"
            )


def vector_rows(shelf: Shelf, document: int, chunk: int, start: int, vectors: Vectors) -> NDArray[Any]:
    rows = np.zeros(len(vectors), dtype=VECTOR_ROW)
    place = np.arange(start, start + len(vectors))
    rows["fields"] = 6
    values = {"workspace": shelf.workspace, "collection": shelf.collection, "model": shelf.model}
    for name, value in {**values, "document": document + place // DOCUMENT_CHUNKS, "chunk": chunk + place}.items():
        rows[f"{name}_size"], rows[name] = 8, value
    rows["vector_size"], rows["dims"], rows["vector"] = 4 + 2 * DIMS, DIMS, vectors
    return rows


def posting_rows(
    shelf: Shelf, document: int, chunk: int, words: Words, vocabulary: Vocabulary, ends: NDArray[np.int64]
) -> Iterator[str]:
    """A row for each term of each document, in the order of documents as the ingest writes them."""
    ids: Sequence[int] = vocabulary.ids.tolist()
    step = BLOCK // DOCUMENT_CHUNKS * DOCUMENT_CHUNKS
    for start in range(0, len(words), step):
        part = words[start : start + step]
        inside = ends[(ends > start) & (ends <= start + len(part))] - start
        first_document = document + start // DOCUMENT_CHUNKS
        lead = f"{shelf.workspace}\t{shelf.collection}\t"
        for number, rank, held, frequencies in postings(part, inside):
            numbers = ",".join([str(chunk + start + place) for place in held])
            lengths = ",".join([str(CHUNK_WORDS)] * len(held))
            counted = ",".join(map(str, frequencies))
            yield f"{lead}{first_document + number}\t{ids[rank]}\t{{{numbers}}}\t{{{counted}}}\t{{{lengths}}}\n"
