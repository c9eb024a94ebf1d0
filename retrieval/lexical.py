"""The list by words: BM25 in SQL, under the asker's row policies."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from django.db import connections

from retrieval.sql import statement

SQL = statement("lexical")


@dataclass(frozen=True, slots=True)
class LexicalHit:
    """`terms` are the ids of the query terms in the chunk."""

    chunk_id: int
    score: float
    terms: frozenset[int]


def search(
    alias: str,
    workspace_id: int,
    collection_ids: Sequence[int],
    term_ids: Sequence[int],
    *,
    k1: float,
    b: float,
    limit: int,
) -> list[LexicalHit]:
    """Chunks that hold any of the terms, best first, ties by chunk id. No terms give an empty list."""
    if not term_ids:
        return []
    with connections[alias].cursor() as cursor:
        cursor.execute(
            SQL,
            {
                "workspace": workspace_id,
                "collections": list(collection_ids),
                "terms": list(term_ids),
                "k1": k1,
                "b": b,
                "limit": limit,
            },
        )
        return [LexicalHit(chunk_id, float(score), frozenset(terms)) for chunk_id, score, terms in cursor.fetchall()]
