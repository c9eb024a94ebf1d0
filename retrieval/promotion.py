"""A large collection's own HNSW index: made and dropped by an operator as the owner role, used by the list by meaning."""

from __future__ import annotations

from collections.abc import Sequence

from django.db import connections

from documents.embedding.vector import as_text
from documents.models import EmbeddingModel
from portal.problems import SystemProblem
from retrieval.lexical import Place
from retrieval.sql import statement

PROMOTED, NEAREST = statement("promoted"), statement("hnsw")
OWNER = "owner"
MOST_DIMS = 4_000
"""pgvector's limit for an HNSW index over halfvec."""
WORTH_IT = 20_000
"""Chunks of the searched collections below which no index is looked for: the flat scan takes some 8 ms for 10,000."""
EF_SEARCH = 400
M, EF_CONSTRUCTION = 16, 64


def index_name(collection_id: int, model_id: int) -> str:
    return f"vector_hnsw_{int(collection_id)}_{int(model_id)}"


def promote(collection_id: int, model: EmbeddingModel) -> str:
    """Build the index beside running searches and return its name. Raises SystemProblem for a model of too many dimensions.

    What an interrupted build left behind is dropped first. No transaction may be open.
    """
    if model.dims > MOST_DIMS:
        raise SystemProblem("retrieval.too_many_dims", f"{model.dims} of at most {MOST_DIMS}")
    name = index_name(collection_id, model.pk)
    demote(collection_id, model)
    with connections[OWNER].cursor() as cursor:
        cursor.execute(
            f"CREATE INDEX CONCURRENTLY {name} ON documents_chunkvector"
            f" USING hnsw ((embedding::halfvec({int(model.dims)})) halfvec_cosine_ops)"
            f" WITH (m = {M}, ef_construction = {EF_CONSTRUCTION})"
            f" WHERE collection_id = {int(collection_id)} AND model_id = {int(model.pk)}"
        )
    return name


def demote(collection_id: int, model: EmbeddingModel) -> None:
    """Drop the index, if there is one: the flat scan needs none."""
    with connections[OWNER].cursor() as cursor:
        cursor.execute(f"DROP INDEX CONCURRENTLY IF EXISTS {index_name(collection_id, model.pk)}")


def promoted(place: Place, model_id: int) -> tuple[int, ...]:
    """Of the place's collections, those with an index that can be used."""
    with connections[place.alias].cursor() as cursor:
        cursor.execute(PROMOTED, {"collections": list(place.collection_ids), "model": model_id})
        return tuple(row[0] for row in cursor.fetchall())


def nearest(
    place: Place, collection_id: int, model: EmbeddingModel, vector: Sequence[float], *, limit: int
) -> list[tuple[int, float]]:
    """(chunk id, cosine similarity) of one promoted collection, most similar first, at most `limit`, perhaps fewer."""
    numbers = {"dims": int(model.dims), "collection": int(collection_id), "model": int(model.pk)}
    values: dict[str, int | str] = {
        "workspace": place.workspace_id,
        "vector": as_text(vector),
        "reach": EF_SEARCH,
        "limit": limit,
    }
    with connections[place.alias].cursor() as cursor:
        cursor.execute(f"SET LOCAL hnsw.ef_search = {EF_SEARCH}; SET LOCAL enable_sort = off")
        cursor.execute(NEAREST.format(**numbers), values)
        rows = [(chunk_id, float(similarity)) for chunk_id, similarity in cursor.fetchall()]
        cursor.execute("SET LOCAL enable_sort = on")
    return rows
