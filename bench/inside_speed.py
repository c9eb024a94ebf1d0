"""Called through bench.inside beside services: how long a search takes beside the bare SQL of the same question."""

from __future__ import annotations

import io
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from django.core.management import call_command
from django.db import connections

from answers.ask import question_embedder
from bench.inside_sets import Seat, chunk_count, ingested, rows
from bench.registry import say
from documents.embedding.vector import Vector, as_text
from documents.models import EmbeddingModel
from portal.scope import principal
from retrieval import dense, passages
from retrieval.lexical import Collections, Place, collections
from retrieval.search import ALIAS, DEPTH, REACH, Query, search

K = 8
OWNER = "owner"
PLAIN = (
    "SELECT chunk_id FROM documents_chunkvector WHERE collection_id = %s AND model_id = %s"
    " ORDER BY embedding <=> %s::halfvec LIMIT %s"
)
Ask = Callable[[str, Vector], object]
Times = dict[str, list[float]]


def measure(folder: str, count: int) -> dict[str, float]:
    """Milliseconds by way (`figures`), the question's vector made before the clock starts."""
    call_command("bootstrap", verbosity=0, stdout=io.StringIO())
    root = Path(folder)
    seat = ingested(root)
    settled()
    questions = [row["text"] for row in rows(root / "queries.jsonl")][:count]
    vectors = [question_embedder().embed([text], priority="questions")[0] for text in questions]
    asked = list(zip(questions, vectors, strict=True))
    timed(ways(seat), asked[:10])
    return figures(*timed(ways(seat), asked)) | {"chunks": float(chunk_count(seat))}


def settled() -> None:
    """What autovacuum does within a minute of an ingest."""
    with connections[OWNER].cursor() as cursor:
        for table in ("posting", "chunkvector", "chunk", "document", "collectionstats"):
            cursor.execute(f"VACUUM ANALYZE documents_{table}")


def timed(by_way: Mapping[str, Ask], questions: Iterable[tuple[str, Vector]]) -> tuple[Times, Times, Times]:
    """(wall milliseconds by way, CPU milliseconds by way, wall milliseconds of the hybrid search by stage).

    Every question goes once each way in turn. A search runs on one core at a time, so its CPU time, here and in its backend,
    is what it would take on an idle machine; the wall time is what it took on this one.
    """
    wall: Times = {}
    cpu: Times = {}
    stages: Times = {}
    backends = backend_pids()
    for text, vector in questions:
        for name, ask in by_way.items():
            spent, started = cpu_ms(backends), time.perf_counter()
            result = ask(text, vector)
            wall.setdefault(name, []).append((time.perf_counter() - started) * 1000)
            cpu.setdefault(name, []).append(cpu_ms(backends) - spent)
            for stage in getattr(result, "stages", ()) if name == "hybrid search" else ():
                stages.setdefault(stage.name, []).append(stage.ms)
    return wall, cpu, stages


def backend_pids() -> tuple[int, ...]:
    """The server's processes that this one talks to."""
    for alias in (OWNER, ALIAS):
        connections[alias].ensure_connection()
    return tuple(connections[alias].connection.info.backend_pid for alias in (OWNER, ALIAS))


def cpu_ms(backends: Iterable[int]) -> float:
    """CPU milliseconds that this process and these have used so far; the kernel counts in nanoseconds."""
    served = sum(int(Path(f"/proc/{pid}/schedstat").read_text().split()[0]) for pid in backends)
    return served / 1e6 + time.process_time() * 1000


def figures(wall: Times, cpu: Times, stages: Times) -> dict[str, float]:
    """By "way part" and "way part cpu", noted as it goes."""
    told({**wall, **{f"{name}, CPU": found for name, found in cpu.items()}})
    told({f"hybrid stage {name}": found for name, found in stages.items()})
    parts = (("p50", 0.5), ("p95", 0.95))
    found = {f"{name} {part}": share(times, at) for name, times in wall.items() for part, at in parts}
    return found | {f"{name} {part} cpu": share(times, at) for name, times in cpu.items() for part, at in parts}


def told(times: Times) -> None:
    for name, found in times.items():
        say(f"# {name}: {share(found, 0.5):.1f} ms at p50, {share(found, 0.95):.1f} ms at p95")


def ways(seat: Seat) -> dict[str, Ask]:
    model = EmbeddingModel.objects.using(OWNER).get(state=EmbeddingModel.State.LIVE).pk
    here = (seat.collection,)
    bare = Place(OWNER, seat.scope.workspace_id, here)
    held = collections(bare)

    def query(text: str, vector: Vector, **more: Any) -> Query:
        return Query(text, vector=vector, k=K, collection_ids=here, language="en", **more)

    return {
        "plain pgvector": lambda text, vector: plain(seat, model, vector),
        "bare SQL": lambda text, vector: listed(bare, model, vector, held),
        "bare SQL with passages": lambda text, vector: with_passages(bare, model, vector, held),
        "list by meaning": lambda text, vector: as_asker(seat, model, vector),
        "vector search": lambda text, vector: search(seat.scope, query(text, vector, words=False)),
        "hybrid search": lambda text, vector: search(seat.scope, query(text, vector)),
    }


def plain(seat: Seat, model: int, vector: Vector) -> list[tuple[int]]:
    """What a first portal on pgvector does: exact cosine over the collection, as the tables' owner, without row security."""
    with connections[OWNER].cursor() as cursor:
        cursor.execute(PLAIN, [seat.collection, model, as_text(vector), DEPTH])
        found: list[tuple[int]] = cursor.fetchall()
        return found


def listed(place: Place, model: int, vector: Vector, held: Collections | None = None) -> list[tuple[int, float]]:
    return dense.search(place, vector, model_id=model, reach=REACH, limit=DEPTH, held=held)


def with_passages(place: Place, model: int, vector: Vector, held: Collections) -> list[tuple[Any, ...]]:
    """Both statements of a vector search, as the owner, with nothing else around them."""
    nearest = [chunk_id for chunk_id, _ in listed(place, model, vector, held)[:K]]
    values = {**place.keys, "chunks": nearest, "versions": []}
    with connections[place.alias].cursor() as cursor:
        cursor.execute(passages.SQL, values)
        found: list[tuple[Any, ...]] = cursor.fetchall()
        return found


def as_asker(seat: Seat, model: int, vector: Vector) -> list[tuple[int, float]]:
    with principal(seat.scope, using=ALIAS):
        return listed(Place(ALIAS, seat.scope.workspace_id, (seat.collection,)), model, vector)


def share(found: Sequence[float], part: float) -> float:
    """The value at or below which this part of the times lies; of none 0."""
    ordered = sorted(found)
    return ordered[min(len(ordered) - 1, int(len(ordered) * part))] if ordered else 0.0
