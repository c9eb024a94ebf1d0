"""The list by meaning against all cosines: small collections whole, large ones by a scan that knows when it fell short."""

from __future__ import annotations

import random
from math import sqrt

import pytest
from django.db import connections

from documents.embedding.vector import Vector, as_text
from documents.models import Document, EmbeddingModel
from documents.worker import work_through
from portal.scope import principal
from retrieval import dense
from retrieval.lexical import Place, collections
from tests.documents.ingest.conftest import Shelf
from tests.fakes.openai_server import OpenAIServer

DIMS = 64
COUNT = 240


def unit(values: list[float]) -> Vector:
    length = sqrt(sum(value * value for value in values))
    return [value / length for value in values]


def near(rng: random.Random, centre: Vector, noise: float) -> Vector:
    return unit([value + rng.gauss(0, noise / sqrt(DIMS)) for value in centre])


@pytest.fixture
def vectors(shelf: Shelf, embedder: OpenAIServer) -> dict[int, Vector]:
    """By chunk id, vectors of ten topics under the live model, of one document that the shelf's people see."""
    rng = random.Random(4)
    shelf.put("topics.txt", "A text.")
    work_through()
    document = Document.objects.using("owner").get()
    model = EmbeddingModel.objects.using("owner").get(state="live")
    centres = [unit([rng.gauss(0, 1) for _ in range(DIMS)]) for _ in range(10)]
    place = [document.workspace_id, document.collection_id, document.pk]
    with connections["owner"].cursor() as cursor:
        cursor.execute("DELETE FROM documents_chunkvector")
        cursor.execute(
            "INSERT INTO documents_chunk (workspace_id, collection_id, document_id, version_id, ordinal, fingerprint, occurrence,"
            " kind, heading_path, start_at, end_at, text, prefix, language, term_count)"
            " SELECT %s, %s, %s, %s, n + 10, int8send(n), 0, 'prose', '{}', n, n + 1, 'made up', '', 'en', 2"
            " FROM generate_series(1, %s) n RETURNING id",
            [*place, document.live_version_id, COUNT],
        )
        made = {row[0]: near(rng, centres[number % 10], 0.8) for number, row in enumerate(cursor.fetchall())}
        cursor.execute(
            "INSERT INTO documents_chunkvector (workspace_id, collection_id, document_id, chunk_id, model_id, embedding)"
            " SELECT %s, %s, %s, p.chunk, %s, p.vector::halfvec FROM unnest(%s::bigint[], %s::text[]) p (chunk, vector)",
            [*place, model.pk, list(made), list(map(as_text, made.values()))],
        )
        cursor.execute("UPDATE documents_document SET vector_count = %s", [COUNT])
        cursor.execute("UPDATE documents_collectionstats SET chunk_count = %s", [COUNT])
    return made


def listed(shelf: Shelf, vector: Vector, *, reach: int, limit: int = 10) -> list[tuple[int, float]]:
    scope = shelf.cast.scope(shelf.cast.ada)
    model = EmbeddingModel.objects.using("owner").get(state="live").pk
    with principal(scope, using="serve"):
        place = Place("serve", scope.workspace_id, scope.collection_ids)
        return dense.search(place, vector, model_id=model, reach=reach, limit=limit, held=collections(place))


def by_cosine(vectors: dict[int, Vector], asked: Vector, count: int = 10) -> list[int]:
    return sorted(vectors, key=lambda chunk: -sum(a * b for a, b in zip(vectors[chunk], asked, strict=True)))[:count]


def test_a_small_collection_is_compared_whole(shelf: Shelf, vectors: dict[int, Vector]) -> None:
    asked = unit([random.Random(5).gauss(0, 1) for _ in range(DIMS)])

    got = listed(shelf, asked, reach=1)

    assert [chunk for chunk, _ in got] == by_cosine(vectors, asked)
    assert got == sorted(got, key=lambda pair: -pair[1])


def test_a_large_one_is_scanned_and_finds_the_nearest_of_a_topic(
    shelf: Shelf, vectors: dict[int, Vector], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(dense, "EXACT_UP_TO", 0)
    monkeypatch.setattr(dense, "EXACT", "SELECT 1 / 0, 0")
    asked = near(random.Random(6), vectors[min(vectors) + 3], 0.1)

    got = listed(shelf, asked, reach=COUNT)

    assert [chunk for chunk, _ in got] == by_cosine(vectors, asked)


def test_an_off_topic_question_is_compared_whole_where_the_scan_would_miss(
    shelf: Shelf, vectors: dict[int, Vector], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(dense, "EXACT_UP_TO", 0)
    rng = random.Random(7)
    strangers = [unit([rng.gauss(0, 1) for _ in range(DIMS)]) for _ in range(10)]

    got = [[chunk for chunk, _ in listed(shelf, asked, reach=30)] for asked in strangers]
    monkeypatch.setattr(dense, "SURE", float("-inf"))
    scanned = [[chunk for chunk, _ in listed(shelf, asked, reach=30)] for asked in strangers]

    assert got == [by_cosine(vectors, asked) for asked in strangers]
    assert scanned != got


@pytest.mark.parametrize("limit", [1, 5, COUNT + 5])
def test_as_many_come_as_are_asked_for_or_there(
    shelf: Shelf, vectors: dict[int, Vector], monkeypatch: pytest.MonkeyPatch, limit: int
) -> None:
    monkeypatch.setattr(dense, "EXACT_UP_TO", 0)

    got = listed(shelf, vectors[min(vectors)], reach=20, limit=limit)

    assert len(got) == min(limit, COUNT)
    assert got[0][0] == min(vectors)


ROW = (5, 0.5, 0.9, 0.05, 2_000)


@pytest.mark.parametrize(
    ("rows", "claim"),
    [
        ([], True),
        ([ROW], True),
        ([(5, 0.2, 0.9, 0.05, 2_000)], False),
        ([(5, 0.2, 0.9, 0.05, 1_999)], True),
        ([(5, 0.5, None, None, 2_000)], False),
        ([(5, 0.5, 0.9, 0.0, 2_000)], False),
        ([ROW] * 9 + [(5, 0.2, 0.9, 0.05, 2_000)] + [ROW], False),
    ],
)
def test_sure_is_what_lies_far_above_the_edge_or_saw_everything(rows: list[tuple[object, ...]], claim: bool) -> None:
    assert dense.is_sure(rows, reach=2_000) is claim
