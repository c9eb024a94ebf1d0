"""Links of a site's pages are kept with their words, lead to their neighbours, and never into a script."""

from __future__ import annotations

from typing import Any

import pytest
from bs4 import BeautifulSoup
from django.test import Client

from documents.models import Document
from documents.text.section import Parsed
from portal.keys import make_key
from tests.documents.ingest.conftest import Shelf
from tests.documents.making import signed_in
from tests.documents.parsers.conftest import Read, attempt, read

__all__ = ["attempt", "read"]

PAGE = """<html><head><title>Start</title></head><body><nav><a href="menu.html">Menu</a></nav><main>
<h1>Start<a href="#start">¶</a></h1>
<p>Read <em><a href="end.html#x">the end</a></em>, the <a href="https://example.org/out"><img alt="picture" src="p.png"> page</a>
and <a href="javascript:alert(1)">this</a>, or <a href="nowhere.html">that</a>.</p>
<ul><li>An <a href="../index.html">item</a></li></ul>
<table><tr><th>Name</th></tr><tr><td><a href="end.html">Cell</a></td></tr></table>
</main></body></html>"""


def links(found: Parsed) -> list[tuple[str, str]]:
    return [link for section in found.sections for link in section.links]


def test_html_keeps_links_of_paragraphs_lists_and_tables(read: Read) -> None:
    assert links(read("html", PAGE)) == [
        ("the end", "end.html#x"), ("page", "https://example.org/out"), ("that", "nowhere.html"),
        ("item", "../index.html"), ("Cell", "end.html"),
    ]  # fmt: skip


def test_markdown_keeps_links_too(read: Read) -> None:
    found = read(
        "markdown",
        "# T\n\nSee [the *end*](end.md) and [ref][r], [x](javascript:y).\n\n- [item](a.md)\n\n[r]: https://example.org/r\n",
    )

    assert links(found) == [("the end", "end.md"), ("ref", "https://example.org/r"), ("item", "a.md")]


@pytest.fixture
def site(shelf: Shelf) -> Document:
    for name in ("guide/end.html", "index.html"):
        shelf.put_and_read(name, PAGE.replace("Start", name))
    return shelf.put_and_read("guide/start.html", PAGE)


def shown(page: Any) -> list[tuple[str, str]]:
    return [
        (link.get_text(), str(link["href"]))
        for link in BeautifulSoup(page.content, "html.parser").select(".piece-links a")
    ]


def test_the_page_leads_to_the_neighbours_that_are_here(shelf: Shelf, site: Document) -> None:
    refs = dict(Document.objects.using("owner").values_list("name", "ref"))

    found = shown(signed_in(shelf.cast.ada).get(f"/documents/{site.ref}/"))

    assert found == [
        ("the end", f"/documents/{refs['guide/end.html']}/"),
        ("https://example.org/out", "https://example.org/out"),
        ("item", f"/documents/{refs['index.html']}/"),
        ("Cell", f"/documents/{refs['guide/end.html']}/"),
    ]


def test_a_neighbour_that_somebody_may_not_see_is_not_told_of(shelf: Shelf, site: Document) -> None:
    """The same path in a private collection of another member is no neighbour."""
    shelf.put_and_read("guide/nowhere.html", PAGE, user=shelf.cast.ben, collection=shelf.cast.private(shelf.cast.ben))

    found = shown(signed_in(shelf.cast.ada).get(f"/documents/{site.ref}/"))

    assert "that" not in [label for label, _ in found]


def test_with_an_address_every_link_has_one(shelf: Shelf, site: Document) -> None:
    Document.objects.using("owner").filter(pk=site.pk).update(source_url="https://docs.example.org/guide/start.html")
    _, key = make_key(shelf.cast.scope(shelf.cast.ada), "test", scopes=("read",))

    answer = Client().get(f"/api/v1/documents/{site.ref}/chunks/", headers={"Authorization": f"Bearer {key}"})

    assert [(link["text"], link["url"]) for chunk in answer.json()["results"] for link in chunk["links"]][:3] == [
        ("the end", "https://docs.example.org/guide/end.html#x"),
        ("page", "https://example.org/out"),
        ("that", "https://docs.example.org/guide/nowhere.html"),
    ]


def test_text_without_links_has_none(shelf: Shelf) -> None:
    document = shelf.put_and_read("a.md", "# A\n\nNo link.")

    page = signed_in(shelf.cast.ada).get(f"/documents/{document.ref}/")

    assert shown(page) == []
