"""The list by meaning: a flat scan of binary codes, then the exact cosine (docs/retrieval.md has the figures)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.db import connections

from documents.embedding.vector import Vector, as_text, binary_code
from retrieval.lexical import Collections, Place, collections
from retrieval.sql import statement

SQL = statement("dense")


def search(
    place: Place,
    vector: Vector,
    *,
    model_id: int,
    reach: int,
    limit: int,
    chunks: Sequence[int] | None = None,
    held: Collections | None = None,
) -> list[tuple[int, float]]:
    """(chunk id, cosine similarity in [-1, 1]), most similar first: min(limit, visible chunks with a vector) rows.

    `reach` is how many the scan hands to the exact rerank; recall@10 is measured at search.REACH. With `chunks` only these
    are looked at. `held` saves looking up what is gone from the collections.
    """
    sql, values = statement_of(
        place,
        vector,
        model_id=model_id,
        reach=max(reach, limit),
        limit=limit,
        held=held or collections(place),
        chunks=chunks,
    )
    with connections[place.alias].cursor() as cursor:
        cursor.execute(sql, values)
        return [(chunk_id, float(similarity)) for chunk_id, similarity in cursor.fetchall()]


def statement_of(
    place: Place,
    vector: Vector,
    *,
    model_id: int,
    reach: int,
    limit: int,
    held: Collections,
    chunks: Sequence[int] | None = None,
) -> tuple[str, dict[str, Any]]:
    """The SQL of the list and its values."""
    return SQL, {
        **place.keys,
        "chunks": None if chunks is None else list(chunks),
        "model": model_id,
        "code": binary_code(vector),
        "vector": as_text(vector),
        "reach": reach,
        "limit": limit,
        "gone": list(held.gone),
        "gone_vectors": held.gone_vectors,
    }
