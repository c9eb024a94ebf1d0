"""Called through bench.inside beside services: two collections of made-up vectors, and what the asker finds in each.

The vectors imitate an embedding model's: a shared mean, 200 topics of Zipf sizes in 48 latent dimensions, noise on top,
so that neighbours are nearer than strangers but never much. Isotropic noise, which no model gives, is measured beside it.
"""

from __future__ import annotations

import io
from dataclasses import dataclass
from typing import Any

import numpy as np
from django.core.management import call_command
from django.db import connections
from numpy.typing import NDArray

from bench.registry import say
from documents import embedding_models
from documents.embedding.vector import Vector
from documents.models import Document, Version
from portal.access import scope_of
from portal.models import Collection, Workspace
from portal.people import add_person, add_workspace
from portal.scope import Scope, principal
from retrieval import dense
from retrieval.lexical import Place
from retrieval.search import ALIAS, REACH, Query, search

Vectors = NDArray[np.float32]
DIMS = 384
LATENT = 48
TOPICS = 200
QUERIES = 50
K = 10
BLOCK = 2_000
SEED = 20_050


@dataclass(frozen=True, slots=True)
class Seat:
    scope: Scope
    collection: int
    model: int


def measure(small: int, large: int) -> dict[str, float]:
    """Rows for k=10 (the least over all questions) and recall@10 against exact, per size and kind of vectors."""
    call_command("bootstrap", verbosity=0, stdout=io.StringIO())
    found: dict[str, float] = {}
    for kind, make in {"topics": topical, "isotropic": isotropic}.items():
        random = np.random.default_rng(SEED)
        workspace = fresh_workspace(f"bench neighbours {kind}")
        stored = make(random, small + large + QUERIES)
        asked = stored[-QUERIES:]
        for name, size, vectors in (("small", small, stored[:small]), ("large", large, stored[small:-QUERIES])):
            seat = filled(workspace, name, vectors)
            rows, recall = judge(seat, asked)
            say(f"# {kind}, {name} ({size}): rows {rows} of {K}, recall@{K} {recall:.4f}")
            found[f"{kind}_{name}_rows"], found[f"{kind}_{name}_recall"] = rows, recall
    return found


def topical(random: np.random.Generator, count: int) -> Vectors:
    mean = random.normal(size=DIMS) * 0.6
    lift = random.normal(size=(LATENT, DIMS)) / np.sqrt(LATENT)
    centres = random.normal(size=(TOPICS, LATENT))
    weights = 1 / np.arange(1, TOPICS + 1)
    topics = random.choice(TOPICS, size=count, p=weights / weights.sum())
    latent = centres[topics] + random.normal(size=(count, LATENT)) * 0.7
    return normed(latent @ lift + mean + random.normal(size=(count, DIMS)) * 0.15)


def isotropic(random: np.random.Generator, count: int) -> Vectors:
    return normed(random.normal(size=(count, DIMS)))


def normed(vectors: NDArray[Any]) -> Vectors:
    unit: Vectors = (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32)
    return unit


def fresh_workspace(name: str) -> Workspace:
    """The workspace, emptied of what an earlier run put there."""
    owner = add_person("bench@example.org", name="Bench")
    found: Workspace = Workspace.objects.using("owner").filter(name=name).first() or add_workspace(name, owner=owner)
    with connections["owner"].cursor() as cursor:
        cursor.execute("UPDATE documents_document SET live_version_id = NULL WHERE workspace_id = %s", [found.pk])
        for table in ("chunkvector", "chunk", "version", "document", "collectionstats"):
            cursor.execute(f"DELETE FROM documents_{table} WHERE workspace_id = %s", [found.pk])
    return found


def filled(workspace: Workspace, name: str, vectors: Vectors) -> Seat:
    """A collection with one document whose chunks carry these vectors, written in bulk by the owner role."""
    collection, _ = Collection.objects.using("owner").get_or_create(workspace=workspace, name=name)
    place = {"workspace_id": workspace.pk, "collection_id": collection.pk}
    document = Document.objects.using("owner").create(
        **place, name=name, name_key=name, title=name, kind="text", state="ready"
    )
    version = Version.objects.using("owner").create(
        **place, document_id=document.pk, number=1, sha256=b"", size_bytes=0, file_name=name
    )
    model = embedding_models.ensure_live()
    with connections["owner"].cursor() as cursor:
        keys = [workspace.pk, collection.pk, document.pk]
        cursor.execute(
            "INSERT INTO documents_chunk (workspace_id, collection_id, document_id, version_id, ordinal, fingerprint, occurrence,"
            " kind, heading_path, start_at, end_at, text, prefix, language, term_count)"
            " SELECT %s, %s, %s, %s, n, int8send(n), 0, 'prose', '{}', n, n + 1, 'made up', '', 'en', 2"
            " FROM generate_series(0, %s) n RETURNING id",
            [*keys, version.pk, len(vectors) - 1],
        )
        ids = [row[0] for row in cursor.fetchall()]
        for start in range(0, len(ids), BLOCK):
            part = slice(start, start + BLOCK)
            cursor.execute(
                "INSERT INTO documents_chunkvector (workspace_id, collection_id, document_id, chunk_id, model_id, embedding)"
                " SELECT %s, %s, %s, p.chunk_id, %s, p.vector::halfvec FROM unnest(%s::bigint[], %s::text[]) p (chunk_id, vector)",
                [*keys, model.pk, ids[part], [as_text(vector) for vector in vectors[part]]],
            )
        cursor.execute(
            "UPDATE documents_document SET live_version_id = %s, chunk_count = %s, vector_count = %s WHERE id = %s",
            [version.pk, len(ids), len(ids), document.pk],
        )
        cursor.execute(
            "INSERT INTO documents_collectionstats (workspace_id, collection_id, chunk_count, term_count, languages, epoch)"
            " VALUES (%s, %s, %s, %s, '{en}', 1)",
            [workspace.pk, collection.pk, len(ids), 2 * len(ids)],
        )
        cursor.execute("ANALYZE documents_chunkvector, documents_chunk")
    scope = scope_of(add_person("bench@example.org").pk, workspace.pk)
    assert scope is not None
    return Seat(scope, collection.pk, model.pk)


def as_text(vector: Vectors) -> str:
    return "[" + ",".join(f"{value:.6g}" for value in vector) + "]"


def judge(seat: Seat, asked: Vectors) -> tuple[int, float]:
    """(least rows for k, recall@k), each question through search() and the dense list as the serve role."""
    rows, hits = K, 0
    for vector in asked:
        query: Vector = [float(value) for value in vector]
        result = search(seat.scope, Query("zyzzyva", vector=query, k=K, collection_ids=(seat.collection,)))
        rows = min(rows, len(result.passages))
        with principal(seat.scope, using=ALIAS):
            place = Place(ALIAS, seat.scope.workspace_id, (seat.collection,))
            nearest = dense.search(place, query, model_id=seat.model, reach=REACH, limit=K)
        hits += len({chunk for chunk, _ in nearest} & exact(seat, query))
    return rows, hits / (K * len(asked))


def exact(seat: Seat, vector: Vector) -> set[int]:
    """The k nearest by a full scan of the stored vectors, as the owner."""
    with connections["owner"].cursor() as cursor:
        cursor.execute(
            "SELECT chunk_id FROM documents_chunkvector WHERE collection_id = %s ORDER BY embedding <=> %s::halfvec LIMIT %s",
            [seat.collection, as_text(np.array(vector)), K],
        )
        return {row[0] for row in cursor.fetchall()}
