"""Filters as the database reads them, and the versions that were valid at a date."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.db import connections

from documents.text import analyse
from retrieval.lexical import LexicalHit, Place, Statistics
from retrieval.query import Filters, Ranker
from retrieval.ranking import bm25, tfidf
from retrieval.sql import statement

DOCUMENTS, EARLIER = statement("documents"), statement("earlier")
MOST_EARLIER = 5_000
"""Chunks of earlier versions that one search reads: they have no postings, so their words are counted while it waits."""


@dataclass(frozen=True, slots=True)
class Earlier:
    """Hits in versions that were valid then and are not live now; `is_cut` when there were more chunks than are read."""

    hits: tuple[LexicalHit, ...] = ()
    versions: tuple[int, ...] = ()
    is_cut: bool = False


NO_EARLIER = Earlier()


def matching(place: Place, filters: Filters) -> tuple[int, ...] | None:
    """Ids of the documents that fit; None when no filter is set, which is all of them."""
    if not filters.are_set:
        return None
    with connections[place.alias].cursor() as cursor:
        cursor.execute(DOCUMENTS, {**place.keys, **_values(filters)})
        return tuple(row[0] for row in cursor.fetchall())


def _values(filters: Filters) -> dict[str, Any]:
    return {
        "refs": list(filters.documents) or None,
        "kinds": list(filters.kinds) or None,
        "languages": list(filters.languages) or None,
        "tags": list(filters.tags) or None,
        "since": filters.since,
        "until": filters.until,
        "as_of": filters.as_of,
    }


def earlier(place: Place, filters: Filters, terms: Sequence[str], found: Statistics, ranker: Ranker) -> Earlier:
    """Chunks of the versions that were valid at `filters.as_of`, ranked by words; nothing when no date is asked for."""
    if filters.as_of is None:
        return NO_EARLIER
    with connections[place.alias].cursor() as cursor:
        cursor.execute(EARLIER, {**place.keys, **_values(filters), "limit": MOST_EARLIER + 1})
        rows = cursor.fetchall()
    held = {row[0]: _counted(row) for row in rows[:MOST_EARLIER]}
    ids = {analyse.term_id(term) for term in terms}
    hits = _ranked(held, ids, found, ranker)
    return Earlier(tuple(hits), tuple(sorted({row[1] for row in rows})), len(rows) > MOST_EARLIER)


def _counted(row: Sequence[Any]) -> tuple[Mapping[int, int], int]:
    _, _, title, path, prefix, text, language = row
    whole = "\n".join(part for part in (" › ".join(p for p in (title, *path) if p), prefix, text) if part)
    return analyse.frequencies(whole, language=language)


def _ranked(
    held: Mapping[int, tuple[Mapping[int, int], int]], ids: set[int], found: Statistics, ranker: Ranker
) -> list[LexicalHit]:
    """By the statistics of the live chunks and these together, best first, ties by chunk id."""
    counts = Counter(term for frequencies, _ in held.values() for term in ids & frequencies.keys())
    counts.update({term: count for term, count in found.counts.items() if term in ids})
    total = max(found.chunks + len(held), *counts.values(), 1) if counts else 1
    hits = []
    for chunk_id, (frequencies, length) in held.items():
        terms = frozenset(ids & frequencies.keys())
        if terms:
            score = sum(_worth(frequencies[term], length, total, counts[term], found, ranker) for term in terms)
            hits.append(LexicalHit(chunk_id, score, terms))
    return sorted(hits, key=lambda hit: (-hit.score, hit.chunk_id))


def _worth(frequency: int, length: int, total: int, count: int, found: Statistics, ranker: Ranker) -> float:
    if ranker == "tfidf":
        return tfidf.term_score(frequency, length, weight=tfidf.idf(total, count))
    return bm25.term_score(frequency, length, mean_length=found.mean_length, weight=bm25.idf(total, count))
