"""A collection's own index: the same list as the flat scan's, never fewer rows, never another one's."""

from __future__ import annotations

import io

import pytest
from django.core.management import CommandError, call_command
from django.db import connections

from documents.models import Document, EmbeddingModel
from documents.worker import work_through
from portal.problems import SystemProblem
from portal.scope import principal
from retrieval import promotion, search
from retrieval.embedding import question_vector
from retrieval.lexical import Place
from tests.documents.ingest.conftest import Shelf
from tests.retrieval.conftest import Find

DOCUMENTS = 12


@pytest.fixture
def promoted(shelf: Shelf, find: Find, monkeypatch: pytest.MonkeyPatch) -> Shelf:
    """The shared collection with its index, which is looked for and filled at this size too."""
    monkeypatch.setattr(promotion, "WORTH_IT", 1)
    for number in range(DOCUMENTS):
        shelf.put(f"{number}.txt", f"The filter number {number} of the pump is cleaned every month.")
    shelf.put("secret.txt", "The filter of the vault is cleaned by nobody.", user=shelf.cast.cy)
    work_through()
    out = io.StringIO()
    call_command("promote_index", shelf.cast.shared(shelf.cast.north).ref, stdout=out)
    assert f"is built over {DOCUMENTS} passages" in out.getvalue()
    return shelf


def nearest(shelf: Shelf, text: str, limit: int) -> list[int]:
    """Straight from the index."""
    vector, *_ = question_vector(text)
    assert vector is not None
    model = EmbeddingModel.objects.using("owner").get(state="live")
    scope = shelf.cast.scope(shelf.cast.ada)
    with principal(scope, using="serve"):
        place = Place("serve", scope.workspace_id, scope.collection_ids)
        [collection] = promotion.promoted(place, model.pk)
        return [chunk for chunk, _ in promotion.nearest(place, collection, model, vector, limit=limit)]


def drop(shelf: Shelf) -> None:
    call_command("promote_index", shelf.cast.shared(shelf.cast.north).ref, "--demote", stdout=io.StringIO())


def test_the_index_lists_what_the_flat_scan_lists(promoted: Shelf, find: Find, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(search, "DEPTH", 5)
    by_index = find("filter number 3", meaning=True, words=False, k=5)
    straight = nearest(promoted, "filter number 3", 5)
    drop(promoted)
    flat = find("filter number 3", meaning=True, words=False, k=5)

    assert [p.chunk_id for p in by_index.passages] == [p.chunk_id for p in flat.passages] == straight


def test_too_few_of_the_index_give_way_to_the_flat_scan(promoted: Shelf, find: Find) -> None:
    Document.objects.using("owner").filter(name="3.txt").update(disabled_at="2026-01-01T00:00:00Z")

    found = find("filter number 3", meaning=True, words=False, k=50)

    assert len(found.passages) == DOCUMENTS - 1
    drop(promoted)


def test_another_workspace_finds_its_own_alone(promoted: Shelf, find: Find) -> None:
    found = find("filter", promoted.cast.cy, meaning=True, words=False, k=50)

    assert [passage.text for passage in found.passages] == ["The filter of the vault is cleaned by nobody."]
    drop(promoted)


def test_the_plan_uses_the_index_under_row_security(promoted: Shelf) -> None:
    vector, *_ = question_vector("filter")
    model = EmbeddingModel.objects.using("owner").get(state="live")
    scope = promoted.cast.scope(promoted.cast.ada)
    collection = promoted.cast.shared(promoted.cast.north).pk
    statement = promotion.NEAREST.format(dims=model.dims, collection=collection, model=model.pk)
    values: dict[str, int | str] = {"workspace": scope.workspace_id, "vector": str(vector), "reach": 400, "limit": 5}

    with principal(scope, using="serve"), connections["serve"].cursor() as cursor:
        cursor.execute("SET LOCAL enable_sort = off")
        cursor.execute(f"EXPLAIN {statement}", values)
        plan = "\n".join(row[0] for row in cursor.fetchall())

    assert f"Index Scan using {promotion.index_name(collection, model.pk)}" in plan
    drop(promoted)


def test_what_cannot_be_promoted_has_words(shelf: Shelf) -> None:
    with pytest.raises(CommandError, match="no collection with this ref"):
        call_command("promote_index", "nobody-knows-this")
    with pytest.raises(SystemProblem) as caught:
        promotion.promote(1, EmbeddingModel(name="wide", dims=5_000))
    assert caught.value.detail == "5000 of at most 4000"
