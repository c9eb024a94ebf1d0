"""The list by words: BM25 or TF-IDF in SQL, under the asker's row policies."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from django.db import connections

from retrieval.query import Ranker
from retrieval.ranking import bm25, tfidf
from retrieval.sql import statement

STATISTICS, TERMS, HOLDERS = statement("statistics"), statement("terms"), statement("holders")
SCORES = statement("scores")
SQL: Mapping[Ranker, str] = {"bm25": statement("lexical"), "tfidf": statement("tfidf")}
SPARE = 0.3
"""Share of what all terms are worth together that the common ones may come to, so that they are looked up for few chunks."""


@dataclass(frozen=True, slots=True)
class LexicalHit:
    """`terms` are the ids of the query terms in the chunk."""

    chunk_id: int
    score: float
    terms: frozenset[int]


@dataclass(frozen=True, slots=True)
class Place:
    """Where is searched: the collections, of their documents those in `documents`, of their chunks those in `chunks`.

    None is all of them.
    """

    alias: str
    workspace_id: int
    collection_ids: tuple[int, ...]
    documents: tuple[int, ...] | None = None
    chunks: tuple[int, ...] | None = None

    @property
    def keys(self) -> dict[str, Any]:
        return {
            "workspace": self.workspace_id,
            "collections": list(self.collection_ids),
            "documents": None if self.documents is None else list(self.documents),
            "chunks": None if self.chunks is None else list(self.chunks),
        }


@dataclass(frozen=True, slots=True)
class Statistics:
    """Of the searched collections: `gone` are documents that are deleted and not yet removed."""

    chunks: int
    mean_length: float
    gone: tuple[int, ...]
    counts: Mapping[int, int]
    """Live chunks that hold each term of the question that any holds."""


def statistics(place: Place, term_ids: Sequence[int]) -> Statistics:
    """What the weights of the terms rest on: the visible, live chunks alone."""
    with connections[place.alias].cursor() as cursor:
        cursor.execute(STATISTICS, place.keys)
        chunks, mean_length, gone = cursor.fetchone()
        counts: dict[int, int] = {}
        if term_ids:
            cursor.execute(TERMS, {**place.keys, "terms": list(term_ids), "gone": gone})
            counts = dict(cursor.fetchall())
    return Statistics(max(chunks, *counts.values(), 0), float(mean_length), tuple(gone), counts)


def holding_all(place: Place, found: Statistics, term_ids: Sequence[int], *, limit: int) -> list[int]:
    """Ids of chunks that hold every one of the terms, in the order of ids; no terms are held by none."""
    if not term_ids:
        return []
    with connections[place.alias].cursor() as cursor:
        values = {**place.keys, "terms": list(term_ids), "gone": list(found.gone), "limit": limit}
        cursor.execute(HOLDERS, values)
        return [row[0] for row in cursor.fetchall()]


def search(
    place: Place,
    found: Statistics,
    *,
    ranker: Ranker = "bm25",
    limit: int,
    chunks: Sequence[int] | None = None,
) -> list[LexicalHit]:
    """Chunks that hold any of the terms, best first, ties by chunk id. No terms give an empty list.

    With `chunks` only these are ranked.
    """
    if not found.counts or (chunks is not None and not chunks):
        return []
    place = replace(place, chunks=None if chunks is None else tuple(chunks))
    weights = _weights(found, ranker)
    if ranker == "tfidf":
        return _run(ranker, place, found, weights, {}, limit)[0]
    common = _common(weights)
    telling = {term: weight for term, weight in weights.items() if term not in common}
    hits, least = _run(ranker, place, found, telling, common, limit)
    if common and least < _worth(common):
        hits, _ = _run(ranker, place, found, weights, {}, limit)
    return hits


def scores(place: Place, found: Statistics, chunks: Sequence[int], *, ranker: Ranker = "bm25") -> dict[int, float]:
    """The score of each of these chunks that holds a term: what `search` would give it, wherever it stands in that list."""
    if not found.counts or not chunks:
        return {}
    weights = _weights(found, ranker)
    values = {
        **place.keys,
        "chunks": list(chunks),
        "terms": list(weights),
        "weights": list(weights.values()),
        "tfidf": ranker == "tfidf",
        "mean_length": found.mean_length,
        "k1": bm25.K1,
        "b": bm25.B,
    }
    with connections[place.alias].cursor() as cursor:
        cursor.execute(SCORES, values)
        return {chunk_id: float(score) for chunk_id, score in cursor.fetchall()}


def _weights(found: Statistics, ranker: Ranker) -> dict[int, float]:
    idf = tfidf.idf if ranker == "tfidf" else bm25.idf
    return {term: idf(found.chunks, count) for term, count in found.counts.items()}


def _common(weights: Mapping[int, float]) -> dict[int, float]:
    """The terms of the least weight that together cannot be worth much; never all of them."""
    spare = SPARE * sum(weights.values())
    common: dict[int, float] = {}
    for term, weight in sorted(weights.items(), key=lambda pair: pair[1])[:-1]:
        spare -= weight
        if spare < 0:
            break
        common[term] = weight
    return common


def _worth(weights: Mapping[int, float]) -> float:
    """More than a chunk can gain by these terms: a frequency without end in a chunk without length."""
    return (bm25.K1 + 1) * sum(weights.values())


def _run(
    ranker: Ranker,
    place: Place,
    found: Statistics,
    weights: Mapping[int, float],
    common: Mapping[int, float],
    limit: int,
) -> tuple[list[LexicalHit], float]:
    """The hits, and the least score of the first `limit` by `weights` alone (0 when there are fewer)."""
    values = {
        **place.keys,
        "gone": list(found.gone),
        "terms": list(weights),
        "weights": list(weights.values()),
        "common": list(common),
        "common_weights": list(common.values()),
        "spare": _worth(common),
        "mean_length": found.mean_length,
        "k1": bm25.K1,
        "b": bm25.B,
        "limit": limit,
    }
    with connections[place.alias].cursor() as cursor:
        cursor.execute(SQL[ranker], values)
        rows = cursor.fetchall()
    hits = [
        LexicalHit(chunk_id, float(score), frozenset(map(int, terms.split(",")))) for chunk_id, score, terms, _ in rows
    ]
    return hits, float(rows[0][3]) if rows else 0.0
