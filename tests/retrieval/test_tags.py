"""Search among tagged documents: the filter, the facet, and what stays hidden."""

from __future__ import annotations

from typing import Any

import pytest
from bs4 import BeautifulSoup
from django.test import Client

from documents.models import Document
from documents.worker import work_through
from retrieval.query import Filters
from tests.documents.ingest.conftest import Shelf
from tests.documents.making import signed_in
from tests.retrieval.conftest import Find

OWNER = "owner"


@pytest.fixture
def client(shelf: Shelf, find: Find) -> Client:
    """Three documents about filters: two of ada's tagged, ben's private one under a tag that nobody else may learn of."""
    for name in ("pump", "valve", "plain"):
        shelf.put(f"{name}.txt", f"The filter of the {name} is cleaned by a technician.")
    shelf.put(
        "ben.txt", "The filter of ben is hidden.", user=shelf.cast.ben, collection=shelf.cast.private(shelf.cast.ben)
    )
    work_through()
    tags = {"pump.txt": ["care", "water"], "valve.txt": ["care"], "ben.txt": ["bens-secret"]}
    for name, held in tags.items():
        Document.objects.using(OWNER).filter(name=name).update(tags=held)
    return signed_in(shelf.cast.ada)


def names(shelf: Shelf, found: Any) -> set[str]:
    documents = {passage.document_id for passage in found.passages}
    return set(Document.objects.using(OWNER).filter(pk__in=documents).values_list("name", flat=True))


def pills(page: BeautifulSoup) -> list[str]:
    return [pill.get_text(" ", strip=True) for pill in page.select('label:has([name="tag"])')]


@pytest.mark.parametrize(
    ("tags", "expected"),
    [
        (("water",), {"pump.txt"}),
        (("care",), {"pump.txt", "valve.txt"}),
        (("water", "care"), {"pump.txt", "valve.txt"}),
        (("nobodys",), set()),
        (("bens-secret",), set()),
        ((), {"pump.txt", "valve.txt", "plain.txt"}),
    ],
)
@pytest.mark.parametrize("meaning", [False, True])
def test_only_documents_with_one_of_the_tags_are_searched(
    client: Client, shelf: Shelf, find: Find, tags: tuple[str, ...], expected: set[str], meaning: bool
) -> None:
    assert names(shelf, find("filter", meaning=meaning, filters=Filters(tags=tags))) == expected


def test_the_page_counts_tags_that_the_asker_sees_and_narrows_by_them(client: Client, shelf: Shelf) -> None:
    page = BeautifulSoup(client.post("/search/", {"q": "filter"}).content, "html.parser")
    narrowed = BeautifulSoup(client.post("/search/", {"q": "filter", "tag": ["Water"]}).content, "html.parser")
    bens = BeautifulSoup(signed_in(shelf.cast.ben).post("/search/", {"q": "filter"}).content, "html.parser")

    assert pills(page) == ["care 2", "water 1"]
    assert [hit.get_text() for hit in narrowed.select(".hit h3")] == ["pump"]
    assert [box["value"] for box in narrowed.select('[name="tag"][checked]')] == ["water"]
    assert "bens-secret" not in page.get_text()
    assert pills(bens) == ["care 2", "bens-secret 1", "water 1"]


def test_a_tags_address_ticks_it_and_waits_for_words(client: Client) -> None:
    page = BeautifulSoup(client.get("/search/?tag=care").content, "html.parser")

    assert [box["value"] for box in page.select('[name="tag"][checked]')] == ["care"]
    assert page.select_one(".narrow-by[open]")
    assert not page.select(".hit")


def test_a_question_in_the_address_fills_the_field_and_the_page_says_that_it_waits(client: Client) -> None:
    page = BeautifulSoup(client.get("/search/?q=filter").content, "html.parser")
    bare = BeautifulSoup(client.get("/search/").content, "html.parser")
    searched = BeautifulSoup(client.post("/search/", {"q": "filter"}).content, "html.parser")

    said = page.select_one("#not-searched")
    assert page.select_one("#q")["value"] == "filter"  # type: ignore[index]
    assert said is not None
    assert "Nothing was searched yet: press Search." in said.get_text()
    assert not page.select(".hit")
    assert bare.select_one("#not-searched") is None
    assert searched.select_one("#not-searched") is None


def test_a_deleted_documents_tags_are_no_choice(client: Client, shelf: Shelf) -> None:
    Document.objects.using(OWNER).filter(name="pump.txt").update(disabled_at="2026-01-01T00:00:00Z")

    page = BeautifulSoup(client.post("/search/", {"q": "filter"}).content, "html.parser")

    assert pills(page) == ["care 1"]
