"""The list by meaning: a flat scan of binary codes, then the exact cosine (docs/retrieval.md has the figures)."""

from __future__ import annotations

from collections.abc import Sequence

from django.db import connections

from documents.embedding.vector import Vector, binary_code
from retrieval.lexical import Place
from retrieval.sql import statement

SQL = statement("dense")


def as_text(vector: Vector) -> str:
    """A vector as pgvector reads it, six significant digits: more than half precision keeps."""
    return "[" + ",".join(map("{:.6g}".format, vector)) + "]"


def search(
    place: Place, vector: Vector, *, model_id: int, reach: int, limit: int, chunks: Sequence[int] | None = None
) -> list[tuple[int, float]]:
    """(chunk id, cosine similarity in [-1, 1]), most similar first: min(limit, visible chunks with a vector) rows.

    `reach` is how many the scan hands to the exact rerank; recall@10 is measured at search.REACH. With `chunks` only these
    are looked at.
    """
    with connections[place.alias].cursor() as cursor:
        cursor.execute(
            SQL,
            {
                **place.keys,
                "chunks": None if chunks is None else list(chunks),
                "model": model_id,
                "code": binary_code(vector),
                "vector": as_text(vector),
                "reach": max(reach, limit),
                "limit": limit,
            },
        )
        return [(chunk_id, float(similarity)) for chunk_id, similarity in cursor.fetchall()]
