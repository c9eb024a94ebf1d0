"""The chosen chunks as passages: their rows, and each one's place in every list."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from django.db import connections

from documents.text import analyse
from documents.text.codes import named_in
from retrieval.lexical import LexicalHit, Place
from retrieval.ranking.evidence import Passage
from retrieval.sql import statement

SQL = statement("passages")


@dataclass(frozen=True, slots=True)
class Lists:
    """The lists that were fused, each best first, what the question called by name, and every cosine that is known."""

    words: Sequence[LexicalHit]
    meaning: Sequence[tuple[int, float]]
    names: frozenset[int] = frozenset()
    cosines: Mapping[int, float] = field(default_factory=dict)


def rows(place: Place, chunk_ids: Sequence[int], *, versions: Sequence[int] = ()) -> dict[int, Passage]:
    """By chunk id, the chunks that are evidence: of live versions, and of `versions` that were asked for by their date."""
    with connections[place.alias].cursor() as cursor:
        cursor.execute(SQL, {**place.keys, "chunks": list(chunk_ids), "versions": list(versions)})
        return {row[0]: _passage(row) for row in cursor.fetchall()}


def _passage(row: Sequence[object]) -> Passage:
    fields = (
        "chunk_id", "document_id", "version_id", "collection_id", "text", "start", "end", "title", "document_ref",
        "heading_path", "page", "prefix", "kind", "language", "source_url", "ordinal",
    )  # fmt: skip
    values = dict(zip(fields, row, strict=True))
    values["heading_path"] = tuple(values["heading_path"])  # type: ignore[arg-type]
    return Passage(**values)  # type: ignore[arg-type]


def placed(found: dict[int, Passage], fused: Sequence[tuple[int, float]], lists: Lists) -> list[Passage]:
    """The rows in fused order, each with its place in every list. What is no evidence any more is left out."""
    by_words = {hit.chunk_id: (rank, hit) for rank, hit in enumerate(lists.words, 1)}
    by_meaning = {chunk_id: rank for rank, (chunk_id, _) in enumerate(lists.meaning, 1)}
    passages: list[Passage] = []
    for chunk_id, score in fused:
        if (row := found.get(chunk_id)) is None:
            continue
        lexical_rank, hit = by_words.get(chunk_id, (None, None))
        passages.append(
            replace(
                row,
                rank=len(passages) + 1,
                fused=score,
                similarity=lists.cosines.get(chunk_id),
                dense_rank=by_meaning.get(chunk_id),
                bm25=hit.score if hit else None,
                lexical_rank=lexical_rank,
                matched_terms=len(hit.terms) if hit else 0,
                identifier_hits=len(hit.terms & lists.names) if hit else 0,
            )
        )
    return passages


def names_in(text: str) -> frozenset[int]:
    """Term ids of what a question names exactly."""
    return frozenset(analyse.term_id(term) for term in named_in(text))
