"""The read walk: a question becomes passages, and the trace of how each stage placed them.

two lists side by side in one read-only transaction as the asker → one list (retrieval/ranking/fusion.py) → the passages' rows
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from django.db import connections

from documents.embedding.vector import Vector
from documents.models import CollectionStats, EmbeddingModel
from documents.text import analyse
from portal.scope import Scope, principal
from retrieval import dense, lexical
from retrieval.lexical import LexicalHit
from retrieval.ranking import bm25
from retrieval.ranking.evidence import Candidate, Passage, SearchResult, StageTrace
from retrieval.ranking.fusion import Leg, fuse, meaning_weight
from retrieval.sql import statement

ALIAS = "serve"
DEPTH = 100
REACH = 1000
"""Chunks that the scan of sign bits hands to the exact cosine. recall@10 on SciFact (10,806 chunks, 200 questions): 300 .9885,
400 .993, 600 .997, 1000 .9995. Some 2 to 5 ms more per question than 300."""
RARE = 10
"""An identifier that more of the list holds is a product's name rather than the thing asked for. SciFact train (809 questions):
none .729, 3 .730, 5 .730, 10 .732."""
PASSAGES = statement("passages")
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Query:
    """What is searched for. `vector` None leaves the dense list out; `note` then says why, on the trace and the page.

    `words` False leaves the lexical list out; `meaning_weight` replaces the weight that the languages call for.
    """

    text: str
    vector: Vector | None = None
    k: int = 8
    collection_ids: tuple[int, ...] | None = None
    language: str = ""
    note: str = ""
    words: bool = True
    meaning_weight: float | None = None


@dataclass(frozen=True, slots=True)
class _Index:
    """What the searched collections hold, as the asker sees it."""

    chunks: int
    languages: tuple[str, ...]
    model: EmbeddingModel | None


def search(scope: Scope, query: Query) -> SearchResult:
    """At most k passages, best first. Searches the asked collections that the scope sees; none of them gives no passages.

    With a vector the list holds min(k, visible chunks with a vector) passages or more; without one only what shares a word.
    """
    chosen = _collections(scope, query)
    if not chosen:
        return SearchResult((), (), ())
    with principal(scope, using=ALIAS):
        index = _index(scope, chosen)
        languages = dict.fromkeys((query.language, *index.languages))
        terms = analyse.query_terms(query.text, languages=[language for language in languages if language] or ["en"])
        words, words_ms = _timed(lambda: _by_words(scope, chosen, terms) if query.words else [])
        meaning, meaning_ms = _timed(lambda: _by_meaning(scope, chosen, query, index))
        started = time.perf_counter()
        named = _by_name(words, query.text)
        legs = [
            Leg("words", [(hit.chunk_id, hit.score) for hit in words], floor=0.0),
            Leg("meaning", meaning, weight=_weight(query, index)),
            *([Leg("names", named, floor=0.0)] if named else []),
        ]
        fused = fuse(legs)
        fused_ms = (time.perf_counter() - started) * 1000
        rows, rows_ms = _timed(
            lambda: _rows(scope, chosen, query, index, [chunk_id for chunk_id, _ in fused[: query.k]])
        )
    passages = _placed(rows, fused[: query.k], words, meaning, query.text)
    stages = (
        StageTrace("words", words_ms, _candidates((hit.chunk_id, hit.score) for hit in words)),
        StageTrace("meaning", meaning_ms, _candidates(meaning), _why_no_meaning(query, index)),
        StageTrace("fused", fused_ms, _candidates(fused[:DEPTH])),
        StageTrace("passages", rows_ms),
    )
    return SearchResult(passages, stages, tuple(terms), index.chunks)


def _collections(scope: Scope, query: Query) -> tuple[int, ...]:
    if query.collection_ids is None:
        return scope.collection_ids
    return tuple(sorted(set(query.collection_ids) & set(scope.collection_ids)))


def _timed(work: Callable[[], T]) -> tuple[T, float]:
    started = time.perf_counter()
    result = work()
    return result, (time.perf_counter() - started) * 1000


def _index(scope: Scope, chosen: Sequence[int]) -> _Index:
    stats = list(CollectionStats.objects.visible_to(scope).filter(pk__in=chosen))
    languages = dict.fromkeys(language for row in stats for language in row.languages)
    live = EmbeddingModel.objects.using(ALIAS).filter(state=EmbeddingModel.State.LIVE).first()
    return _Index(sum(row.chunk_count for row in stats), tuple(languages), live)


def _by_words(scope: Scope, chosen: Sequence[int], terms: Sequence[str]) -> list[LexicalHit]:
    ids = [analyse.term_id(term) for term in terms]
    return lexical.search(ALIAS, scope.workspace_id, chosen, ids, k1=bm25.K1, b=bm25.B, limit=DEPTH)


def _by_name(words: Sequence[LexicalHit], text: str) -> list[tuple[int, float]]:
    """Of the list by words, what holds an identifier that the question asks for, unless that identifier is common."""
    named: set[int] = set()
    for name in {analyse.term_id(term) for term in analyse.identifiers(text)}:
        holders = [hit.chunk_id for hit in words if name in hit.terms]
        if len(holders) <= RARE:
            named.update(holders)
    return [(hit.chunk_id, hit.score) for hit in words if hit.chunk_id in named]


def _by_meaning(scope: Scope, chosen: Sequence[int], query: Query, index: _Index) -> list[tuple[int, float]]:
    if query.vector is None or index.model is None:
        return []
    return dense.search(
        ALIAS, scope.workspace_id, chosen, query.vector, model_id=index.model.pk, reach=REACH, limit=DEPTH
    )


def _why_no_meaning(query: Query, index: _Index) -> str:
    if query.vector is None:
        return query.note or "no vector for the question"
    return "" if index.model else "no embedding model is live"


def _weight(query: Query, index: _Index) -> float:
    """A model is noise outside its languages; the question's own is counted when it is known."""
    if query.meaning_weight is not None:
        return query.meaning_weight
    declared = index.model.languages if index.model else []
    return meaning_weight(declared, [query.language] if query.language else index.languages)


def _candidates(scored: object) -> tuple[Candidate, ...]:
    return tuple(Candidate(chunk_id, rank, score) for rank, (chunk_id, score) in enumerate(scored, 1))  # type: ignore[arg-type,var-annotated]


def _rows(
    scope: Scope, chosen: Sequence[int], query: Query, index: _Index, chunk_ids: Sequence[int]
) -> dict[int, Passage]:
    with connections[ALIAS].cursor() as cursor:
        cursor.execute(
            PASSAGES,
            {
                "workspace": scope.workspace_id,
                "collections": list(chosen),
                "chunks": list(chunk_ids),
                "model": index.model.pk if index.model else None,
                "vector": dense.as_text(query.vector) if query.vector else None,
            },
        )
        return {
            row[0]: Passage(
                chunk_id=row[0],
                document_id=row[1],
                version_id=row[2],
                collection_id=row[3],
                text=row[4],
                start=row[5],
                end=row[6],
                title=row[7],
                document_ref=row[8],
                heading_path=tuple(row[9]),
                page=row[10],
                prefix=row[11],
                kind=row[12],
                language=row[13],
                source_url=row[14],
                similarity=None if row[15] is None else float(row[15]),
            )
            for row in cursor.fetchall()
        }


def _placed(
    rows: dict[int, Passage],
    fused: Sequence[tuple[int, float]],
    words: Sequence[LexicalHit],
    meaning: Sequence[tuple[int, float]],
    text: str,
) -> tuple[Passage, ...]:
    """The rows in fused order, each with its place in every list."""
    by_words = {hit.chunk_id: (rank, hit) for rank, hit in enumerate(words, 1)}
    by_meaning = {chunk_id: (rank, score) for rank, (chunk_id, score) in enumerate(meaning, 1)}
    names = frozenset(analyse.term_id(term) for term in analyse.identifiers(text))
    placed: list[Passage] = []
    for chunk_id, score in fused:
        if (row := rows.get(chunk_id)) is None:
            continue
        lexical_rank, hit = by_words.get(chunk_id, (None, None))
        dense_rank, _ = by_meaning.get(chunk_id, (None, None))
        placed.append(
            replace(
                row,
                rank=len(placed) + 1,
                fused=score,
                dense_rank=dense_rank,
                bm25=hit.score if hit else None,
                lexical_rank=lexical_rank,
                matched_terms=len(hit.terms) if hit else 0,
                identifier_hits=len(hit.terms & names) if hit else 0,
            )
        )
    return tuple(placed)
