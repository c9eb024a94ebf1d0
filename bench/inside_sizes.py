"""Called through bench.inside beside services: made-up collections of growing size, what is found in them and how fast."""

from __future__ import annotations

import io
import time
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import psutil
from django.core.management import call_command
from django.db import connections

from bench.bulk import Bulk, Shelf
from bench.inside_sets import Seat
from bench.inside_speed import OWNER, Ask, figures, share, timed, ways
from bench.made_up import Topics, Vectors, Vocabulary, Words, vocabulary, zipf_sizes
from bench.registry import say
from documents import embedding_models
from documents.embedding.vector import Vector, as_text
from portal.access import scope_of
from portal.models import Collection, Workspace
from portal.people import add_person, add_workspace
from portal.scope import principal
from retrieval import dense, promotion
from retrieval.lexical import Place
from retrieval.search import ALIAS, DEPTH, REACH, Query, search

SEED = 20_050
K = 10
QUESTIONS = 50
PARTS = 20
Asked = list[tuple[str, Vector]]


@dataclass(frozen=True, slots=True)
class World:
    """What the made-up rows of one run are drawn from."""

    random: np.random.Generator
    topics: Topics
    elsewhere: Topics
    vocabulary: Vocabulary


def world() -> World:
    random = np.random.default_rng(SEED)
    topics = Topics(random)
    return World(random, topics, Topics(random, mean=topics.mean), vocabulary(random))


def started() -> Bulk:
    call_command("bootstrap", verbosity=0, stdout=io.StringIO())
    bulk = Bulk()
    bulk.empty()
    return bulk


def workspace_named(name: str) -> Workspace:
    owner = add_person("bench@example.org", name="Bench")
    return Workspace.objects.using(OWNER).filter(name=name).first() or add_workspace(name, owner=owner)


def shelf_in(workspace: Workspace, name: str) -> Shelf:
    collection, _ = Collection.objects.using(OWNER).get_or_create(
        workspace=workspace, name=name, defaults={"kind": Collection.Kind.SHARED}
    )
    return Shelf(workspace.pk, collection.pk, embedding_models.ensure_live().pk)


def seat_of(shelf: Shelf) -> Seat:
    scope = scope_of(add_person("bench@example.org").pk, shelf.workspace)
    assert scope is not None
    return Seat(scope, shelf.collection)


def floats(vectors: Vectors) -> list[Vector]:
    found: list[Vector] = vectors.tolist()
    return found


def recall(sizes: Sequence[int]) -> dict[str, float]:
    """recall@10 and the fewest rows over 50 questions, per size, on-topic and off-topic, as the serve role."""
    bulk, made = started(), world()
    workspace = workspace_named("bench recall")
    found: dict[str, float] = {}
    shelves = {size: shelf_in(workspace, f"recall {size}") for size in sizes}
    for size, shelf in shelves.items():
        bulk.fill(shelf, made.topics.draw(made.random, size))
    bulk.settle()
    asked = {"on": made.topics.draw(made.random, QUESTIONS), "off": made.elsewhere.draw(made.random, QUESTIONS)}
    for size, shelf in shelves.items():
        for kind, vectors in asked.items():
            place = place_of(seat_of(shelf), (shelf.collection,))
            rows, share_found = judged(seat_of(shelf), place, shelf.model, floats(vectors), min(K, size))
            say(f"# {size} chunks, {kind}-topic: {rows} of {min(K, size)} rows, recall@{K} {share_found:.4f}")
            found[f"{kind}_{size}"], found[f"{kind}_{size}_rows"] = share_found, rows / min(K, size)
    return found


def place_of(seat: Seat, collections: tuple[int, ...]) -> Place:
    return Place(ALIAS, seat.scope.workspace_id, collections)


def judged(seat: Seat, place: Place, model: int, vectors: Sequence[Vector], k: int) -> tuple[int, float]:
    """(fewest rows, recall@k) of the list by meaning."""
    rows, hits = k, 0
    for vector in vectors:
        with principal(seat.scope, using=ALIAS):
            nearest = dense.search(place, vector, model_id=model, reach=REACH, limit=k)
        rows = min(rows, len(nearest))
        hits += len({chunk for chunk, _ in nearest} & exact(place, vector, k))
    return rows, hits / (k * len(vectors))


def exact(place: Place, vector: Vector, k: int) -> set[int]:
    """The k nearest by a full scan of the stored vectors, as the owner."""
    with connections[OWNER].cursor() as cursor:
        cursor.execute(
            "SELECT chunk_id FROM documents_chunkvector WHERE collection_id = ANY (%s)"
            " ORDER BY embedding <=> %s::halfvec, chunk_id LIMIT %s",
            [list(place.collection_ids), as_text(vector), k],
        )
        return {row[0] for row in cursor.fetchall()}


def latency(total: int, exponent: float, questions: int, words: bool = True) -> dict[str, float]:
    """p50 and p95 by way in the largest of 20 Zipf-sized collections, and over all of them at once; bytes a chunk; memory."""
    bulk, made = started(), world()
    sizes = zipf_sizes(total, PARTS, exponent)
    workspace = workspace_named(f"bench sizes {total}")
    began = time.monotonic()
    shelves = [shelf_in(workspace, f"part {number}") for number in range(PARTS)]
    drawn: Words | None = None
    for shelf, size in zip(shelves, sizes, strict=True):
        part = made.vocabulary.draw(made.random, size) if words else None
        bulk.fill(shelf, made.topics.draw(made.random, size), words=part, vocabulary=made.vocabulary)
        drawn = part if drawn is None else drawn
    bulk.settle()
    say(f"# {total} chunks, the largest collection has {sizes[0]}; loaded in {time.monotonic() - began:.0f} s")
    asked = questions_of(made, drawn, questions)
    seat = seat_of(shelves[0])
    found = measured(seat, asked, words)
    found |= everywhere(seat, asked) if words else {}
    found |= {
        f"kB a chunk: {table}": bulk.size_of(table) / total / 1024 for table in ("chunkvector", "posting", "chunk")
    }
    return found | {"largest": float(sizes[0]), "postgres_mb": postgres_mb(bulk)}


def questions_of(made: World, drawn: Words | None, count: int) -> Asked:
    """Vectors of the same topics; words of chunks of the largest collection."""
    vectors = floats(made.topics.draw(made.random, count))
    if drawn is None:
        return [("zyzzyva", vector) for vector in vectors]
    chunks = drawn[made.random.integers(0, len(drawn), count)]
    return [
        (made.vocabulary.question(made.random, chunk), vector) for chunk, vector in zip(chunks, vectors, strict=True)
    ]


def measured(seat: Seat, asked: Asked, words: bool) -> dict[str, float]:
    by_way = ways(seat)
    if not words:
        del by_way["hybrid search"]
    timed(by_way, asked[:10])
    return figures(*timed(by_way, asked))


def everywhere(seat: Seat, asked: Asked) -> dict[str, float]:
    """A search over every collection that the person sees."""
    by_way: dict[str, Ask] = {
        "all, vector search": lambda text, vector: search(
            seat.scope, Query(text, vector=vector, language="en", words=False)
        ),
        "all, hybrid search": lambda text, vector: search(seat.scope, Query(text, vector=vector, language="en")),
    }
    wall, cpu, _ = timed(by_way, asked)
    return figures(wall, cpu, {})


def postgres_mb(bulk: Bulk) -> float:
    """Proportional set size of the server and all its backends."""
    server = psutil.Process(bulk.connection.info.backend_pid).parent()
    assert server is not None
    family = [server, *server.children(recursive=True)]
    found = sum(process.memory_full_info().pss for process in family) / 1024 / 1024
    say(f"# PostgreSQL holds {found:.0f} MB (PSS) after these questions")
    return float(found)


def tenants(own: int, others: Sequence[int], chunks: int, questions: int) -> dict[str, float]:
    """CPU milliseconds of one hybrid search in a collection of `own` chunks, beside each number of other workspaces in turn."""
    bulk, made = started(), world()
    part = made.vocabulary.draw(made.random, own)
    shelf = shelf_in(workspace_named("bench tenant"), "own")
    bulk.fill(shelf, made.topics.draw(made.random, own), words=part, vocabulary=made.vocabulary)
    asked = questions_of(made, part, questions)
    found: dict[str, float] = {}
    present = 0
    for number in others:
        strangers(bulk, made, range(present, number), chunks)
        present = number
        bulk.settle()
        cpu_of(seat_of(shelf), asked[:20])
        found[str(number)] = min(cpu_of(seat_of(shelf), asked) for _ in range(3))
        say(f"# {number} other workspaces: {found[str(number)]:.2f} CPU-ms a hybrid search, client and server")
    return found


def strangers(bulk: Bulk, made: World, numbers: range, chunks: int) -> None:
    """Workspaces of `chunks` chunks each, written as one block so that a thousand take a minute."""
    for number in numbers:
        shelf = shelf_in(workspace_named(f"bench stranger {number}"), "theirs")
        words = made.vocabulary.draw(made.random, chunks)
        bulk.fill(shelf, made.topics.draw(made.random, chunks), words=words, vocabulary=made.vocabulary)


def cpu_of(seat: Seat, asked: Asked) -> float:
    """CPU milliseconds of a hybrid search at p50, of this process and of the backend that serves it."""
    way: dict[str, Ask] = {
        "hybrid": lambda text, vector: search(
            seat.scope, Query(text, vector=vector, collection_ids=(seat.collection,), language="en")
        )
    }
    _, cpu, _ = timed(way, asked)
    return share(cpu["hybrid"], 0.5)


def promoted(sizes: Sequence[int]) -> dict[str, float]:
    """The list by meaning with and without an index of its own, per size: p50, p95, recall@10, seconds to build."""
    bulk, made = started(), world()
    workspace = workspace_named("bench promoted")
    found: dict[str, float] = {}
    for size in sizes:
        shelf = shelf_in(workspace, f"promoted {size}")
        bulk.fill(shelf, made.topics.draw(made.random, size))
        bulk.settle()
        seat, model = seat_of(shelf), embedding_models.ensure_live()
        began = time.monotonic()
        promotion.promote(shelf.collection, model)
        found[f"build_s_{size}"] = time.monotonic() - began
        say(f"# {size} chunks: index built in {found[f'build_s_{size}']:.0f} s")
        asked = {"on": made.topics.draw(made.random, QUESTIONS), "off": made.elsewhere.draw(made.random, QUESTIONS)}
        for kind, vectors in asked.items():
            found |= {
                f"{kind}_{name}_{size}": value for name, value in compared(seat, model.pk, floats(vectors)).items()
            }
    return found


def compared(seat: Seat, model_id: int, vectors: Sequence[Vector]) -> dict[str, float]:
    """Both ways, each question once each way in turn."""
    place = place_of(seat, (seat.collection,))
    model = embedding_models.ensure_live()
    times: dict[str, list[float]] = {"flat": [], "index": []}
    hits = {"flat": 0, "index": 0}
    for vector in vectors:
        want = exact(place, vector, K)
        for name, taken in times.items():
            began = time.perf_counter()
            with principal(seat.scope, using=ALIAS):
                if name == "flat":
                    got = dense.search(place, vector, model_id=model_id, reach=REACH, limit=DEPTH)
                else:
                    got = promotion.nearest(place, seat.collection, model, vector, limit=DEPTH)
            taken.append((time.perf_counter() - began) * 1000)
            hits[name] += len({chunk for chunk, _ in got[:K]} & want)
    three_of = {
        name: (share(found, 0.5), share(found, 0.95), hits[name] / K / len(vectors)) for name, found in times.items()
    }
    for name, (middle, high, share_found) in three_of.items():
        say(f"#   {name}: {middle:.1f} ms at p50, {high:.1f} at p95, recall@{K} {share_found:.4f}")
    return {
        f"{name}_{part}": value
        for name, three in three_of.items()
        for part, value in zip(("p50", "p95", "recall"), three, strict=True)
    }
