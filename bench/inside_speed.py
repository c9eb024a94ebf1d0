"""Called through bench.inside beside services: how long a search takes beside the bare SQL of the same question."""

from __future__ import annotations

import io
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from django.core.management import call_command
from django.db import connections

from answers.ask import question_embedder
from bench.inside_sets import Seat, chunk_count, ingested, rows
from bench.registry import say
from documents.embedding.vector import Vector
from documents.models import EmbeddingModel
from portal.scope import principal
from retrieval import dense
from retrieval.dense import as_text
from retrieval.lexical import Place
from retrieval.search import ALIAS, DEPTH, REACH, Query, search

K = 8
BARE = (
    "SELECT chunk_id FROM documents_chunkvector WHERE collection_id = %s AND model_id = %s"
    " ORDER BY embedding <=> %s::halfvec LIMIT %s"
)
Ask = Callable[[str, Vector], object]


def measure(folder: str, count: int) -> dict[str, float]:
    """Milliseconds at p50 and p95, each question once each way in turn, the question's vector made before the clock starts."""
    call_command("bootstrap", verbosity=0, stdout=io.StringIO())
    root = Path(folder)
    seat = ingested(root)
    questions = [row["text"] for row in rows(root / "queries.jsonl")][:count]
    vectors = [question_embedder().embed([text], priority="questions")[0] for text in questions]
    times: dict[str, list[float]] = {}
    for text, vector in zip(questions, vectors, strict=True):
        for name, ask in ways(seat).items():
            started = time.perf_counter()
            ask(text, vector)
            times.setdefault(name, []).append((time.perf_counter() - started) * 1000)
    for name, found in times.items():
        say(f"# {name}: {share(found, 0.5):.1f} ms at p50, {share(found, 0.95):.1f} ms at p95")
    return {name: share(found, 0.95) for name, found in times.items()} | {"chunks": float(chunk_count(seat))}


def ways(seat: Seat) -> dict[str, Ask]:
    model = EmbeddingModel.objects.using("owner").get(state=EmbeddingModel.State.LIVE).pk
    here = (seat.collection,)
    return {
        "plain pgvector": lambda text, vector: plain(seat, model, vector),
        "bare SQL": lambda text, vector: listed("owner", seat, model, vector),
        "list by meaning": lambda text, vector: as_asker(seat, model, vector),
        "vector search": lambda text, vector: search(
            seat.scope, Query(text, vector=vector, k=K, collection_ids=here, language="en", words=False)
        ),
        "hybrid search": lambda text, vector: search(
            seat.scope, Query(text, vector=vector, k=K, collection_ids=here, language="en")
        ),
    }


def plain(seat: Seat, model: int, vector: Vector) -> list[tuple[int]]:
    """What a first portal on pgvector does: exact cosine over the collection, as the tables' owner, without row security."""
    with connections["owner"].cursor() as cursor:
        cursor.execute(BARE, [seat.collection, model, as_text(vector), DEPTH])
        found: list[tuple[int]] = cursor.fetchall()
        return found


def listed(alias: str, seat: Seat, model: int, vector: Vector) -> list[tuple[int, float]]:
    place = Place(alias, seat.scope.workspace_id, (seat.collection,))
    return dense.search(place, vector, model_id=model, reach=REACH, limit=DEPTH)


def as_asker(seat: Seat, model: int, vector: Vector) -> list[tuple[int, float]]:
    with principal(seat.scope, using=ALIAS):
        return listed(ALIAS, seat, model, vector)


def share(found: Sequence[float], part: float) -> float:
    """The value at or below which this part of the times lies; of none 0."""
    ordered = sorted(found)
    return ordered[min(len(ordered) - 1, int(len(ordered) * part))] if ordered else 0.0
