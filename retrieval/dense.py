"""The list by meaning: every cosine of a small collection; of a large one a scan of sign bits, then the cosines of the nearest.

docs/retrieval.md has the figures.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.db import connections

from documents.embedding.vector import Vector, as_text, binary_code
from retrieval.lexical import Collections, Place, collections
from retrieval.sql import statement

SCAN, EXACT = statement("dense"), statement("exact")
EXACT_UP_TO = 100_000
"""Chunks of the searched collections up to which all are compared: 0.45 µs a vector against 0.2 for its bits and 4 for each that
is looked up. CPU milliseconds of either way: 5.0 and 4.0 at 10,806 chunks (a reach of 1,000), 43.5 and 40.3 at 100,000 (4,000)."""
SURE = 3.5
"""How many spreads the tenth cosine must lie above what the line through the nearest gives at their edge. At 100,000 made-up ones
and a reach of 4,000 it lay 3.63 to 11.4 above for questions on a topic of the collection, 2.5 to 3.57 for off-topic ones, to which
everything is equally far."""
JUDGED_AT = 10


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

    `reach` is how many the scan of a large collection hands to the exact cosine; where that is not surely enough, every cosine is
    taken. With `chunks` only these are looked at. `held` saves looking up what the collections hold.
    """
    held = held or collections(place)
    reach = max(reach, limit)
    values = {
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
    with connections[place.alias].cursor() as cursor:
        if held.chunks > EXACT_UP_TO:
            cursor.execute(SCAN, values)
            rows = cursor.fetchall()
            if is_sure(rows, reach=reach):
                return [(row[0], float(row[1])) for row in rows]
        cursor.execute(EXACT, values)
        return [(chunk_id, float(similarity)) for chunk_id, similarity in cursor.fetchall()]


def is_sure(rows: Sequence[Sequence[Any]], *, reach: int) -> bool:
    """Whether what lies beyond the scan's reach is surely farther than the first ten: rows of dense.sql, best first."""
    if not rows or rows[0][4] < reach:
        return True
    _, similarity, expected, spread, _ = rows[min(JUDGED_AT, len(rows)) - 1]
    return bool(spread) and expected - (1 - similarity) > SURE * spread
