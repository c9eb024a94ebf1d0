"""The list by meaning: a flat scan of binary codes, then the exact cosine (docs/retrieval.md has the figures)."""

from __future__ import annotations

from collections.abc import Sequence

from django.db import connections

from documents.embedding.vector import Vector, binary_code
from retrieval.lexical import Collections, Place, collections
from retrieval.sql import statement

SQL, COSINES = statement("dense"), statement("cosines")


def as_text(vector: Vector) -> str:
    """A vector as pgvector reads it, six significant digits: more than half precision keeps."""
    return "[" + ",".join(map("{:.6g}".format, vector)) + "]"


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
    held = held or collections(place)
    values = {
        **place.keys,
        "chunks": None if chunks is None else list(chunks),
        "model": model_id,
        "code": binary_code(vector),
        "vector": as_text(vector),
        "reach": max(reach, limit),
        "limit": limit,
        "gone": list(held.gone),
        "gone_vectors": held.gone_vectors,
    }
    with connections[place.alias].cursor() as cursor:
        cursor.execute(SQL, values)
        return [(chunk_id, float(similarity)) for chunk_id, similarity in cursor.fetchall()]


def cosines(place: Place, vector: Vector, chunks: Sequence[int], *, model_id: int) -> list[tuple[int, float]]:
    """(chunk id, cosine similarity) of those of these chunks that have a vector, most similar first."""
    if not chunks:
        return []
    values = {**place.keys, "chunks": list(chunks), "model": model_id, "vector": as_text(vector)}
    with connections[place.alias].cursor() as cursor:
        cursor.execute(COSINES, values)
        return [(chunk_id, float(similarity)) for chunk_id, similarity in cursor.fetchall()]
