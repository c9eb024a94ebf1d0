"""A collection says how it is searched: by its setting when nobody says otherwise, together where all are set alike."""

from __future__ import annotations

from typing import Any

import pytest
from bs4 import BeautifulSoup

from documents.models import CollectionStats
from documents.worker import work_through
from portal.models import Collection
from retrieval.query import Query
from retrieval.search import BY_WORDS, as_set
from tests.documents.api.conftest import ProgramFor, program  # noqa: F401
from tests.documents.ingest.conftest import Shelf
from tests.documents.making import signed_in
from tests.retrieval.conftest import Find

OWNER = "owner"


@pytest.fixture
def filled(shelf: Shelf, find: Find) -> Shelf:
    """A shared collection and ada's own, with something in each."""
    shelf.put("pump.txt", "The filter of the pump is cleaned by a technician.")
    shelf.put("own.txt", "The filter of the car is cleaned at home.", collection=shelf.cast.private(shelf.cast.ada))
    work_through()
    return shelf


def set_to(shelf: Shelf, ranker: str, *, shared: bool = True, own: bool = True) -> None:
    cast = shelf.cast
    chosen = [cast.shared(cast.north).pk] * shared + [cast.private(cast.ada).pk] * own
    Collection.objects.using(OWNER).filter(pk__in=chosen).update(ranker=ranker)


def stage(found: Any, name: str) -> Any:
    return next(stage for stage in found.stages if stage.name == name)


@pytest.mark.parametrize("ranker", ["bm25", "tfidf"])
def test_words_alone_are_searched_where_all_collections_say_so(filled: Shelf, find: Find, ranker: str) -> None:
    set_to(filled, ranker)

    found = find("filter technician", meaning=True, as_set=True)
    asked_for = find("filter technician", ranker=ranker)

    assert stage(found, "meaning").note == BY_WORDS
    assert stage(found, "meaning").candidates == ()
    assert stage(found, "words").candidates == stage(asked_for, "words").candidates
    assert all(passage.similarity is None for passage in found.passages)


def test_the_rankers_differ(filled: Shelf, find: Find) -> None:
    scores = {}
    for ranker in ("bm25", "tfidf"):
        set_to(filled, ranker)
        scores[ranker] = [c.score for c in stage(find("filter technician", as_set=True), "words").candidates]

    assert scores["bm25"] != scores["tfidf"]


@pytest.mark.parametrize("mixed", [{"own": False}, {"shared": False}])
def test_collections_that_are_not_set_alike_are_searched_as_the_installation_does(
    filled: Shelf, find: Find, mixed: dict[str, bool]
) -> None:
    set_to(filled, "tfidf", **mixed)

    assert stage(find("filter", meaning=True, as_set=True), "meaning").candidates


def test_a_collection_alone_is_searched_by_its_own_setting(filled: Shelf, find: Find) -> None:
    set_to(filled, "bm25", own=False)
    shared = filled.cast.shared(filled.cast.north).pk

    alone = find("filter", meaning=True, as_set=True, collection_ids=(shared,))

    assert stage(alone, "meaning").note == BY_WORDS
    assert len(alone.passages) == 1


def test_an_empty_collection_has_no_say(filled: Shelf, find: Find) -> None:
    set_to(filled, "bm25", own=False)
    CollectionStats.objects.using(OWNER).filter(pk=filled.cast.private(filled.cast.ada).pk).update(chunk_count=0)

    assert stage(find("filter", meaning=True, as_set=True), "meaning").note == BY_WORDS


def test_a_search_that_says_otherwise_is_obeyed(filled: Shelf, find: Find) -> None:
    set_to(filled, "tfidf")
    client = signed_in(filled.cast.ada)

    page = BeautifulSoup(client.post("/search/", {"q": "filter", "mode": "", "ranker": ""}).content, "html.parser")
    set_way = page.get_text()
    otherwise = BeautifulSoup(
        client.post("/search/", {"q": "filter", "mode": "hybrid"}).content, "html.parser"
    ).get_text()

    assert page.select_one("#mode-as-set[checked]"), "the form's own first choice sends nothing"
    assert stage(find("filter", meaning=True), "meaning").candidates
    assert "Each list's score of the other" not in set_way
    assert "Each list's score of the other" in otherwise


@pytest.mark.parametrize(
    ("ranker", "expected"),
    [
        ("", Query("q", [1.0], words=False, as_set=True)),
        ("hybrid", Query("q", [1.0], words=True, as_set=True)),
        ("bm25", Query("q", None, words=True, as_set=True, note=BY_WORDS)),
        ("tfidf", Query("q", None, words=True, as_set=True, note=BY_WORDS, ranker="tfidf")),
    ],
)
def test_what_a_setting_makes_of_a_query(ranker: str, expected: Query) -> None:
    assert as_set(Query("q", [1.0], words=False, as_set=True), ranker) == expected
    assert as_set(Query("q", [1.0], words=False), ranker) == Query("q", [1.0], words=False)


def test_the_page_and_programs_change_it_and_earlier_answers_end(filled: Shelf, program: ProgramFor) -> None:  # noqa: F811
    cast, place = filled.cast, filled.cast.shared(filled.cast.north)
    profile = {"splitter": "structure", "max_tokens": "250", "overlap_tokens": "30", "keeps_original": "yes"}
    epochs = [CollectionStats.objects.using(OWNER).get(pk=place.pk).epoch]
    client, writes = signed_in(cast.ada), program(cast.ada, "read", "ingest")

    saved = client.post(f"/library/collections/{place.ref}/", {**profile, "ranker": "tfidf"}, follow=True)
    epochs.append(CollectionStats.objects.using(OWNER).get(pk=place.pk).epoch)
    refused = client.post(f"/library/collections/{place.ref}/", {**profile, "ranker": "dice"})
    body = {"splitter": "structure", "max_tokens": 250, "overlap_tokens": 30, "keeps_original": True}
    left = writes.call("PUT", f"/collections/{place.ref}/profile/", body).json()
    changed = writes.call("PUT", f"/collections/{place.ref}/profile/", {**body, "ranker": "bm25"}).json()
    wrong = writes.call("PUT", f"/collections/{place.ref}/profile/", {**body, "ranker": "dice"})

    assert "The settings were saved." in saved.content.decode()
    assert "will be read again" not in saved.content.decode()
    assert epochs[1] == epochs[0] + 1
    assert refused.status_code == 422
    assert (left["ranker"], changed["ranker"], wrong.status_code) == ("tfidf", "bm25", 400)
