"""The search page: words marked, facets of visible documents, words for everything that cannot be searched."""

from __future__ import annotations

from typing import Any

import pytest
from bs4 import BeautifulSoup
from django.test import Client

from documents.models import Document
from documents.worker import work_through
from retrieval import embedding
from tests.documents.ingest.conftest import Shelf, forget_embedder
from tests.documents.making import signed_in
from tests.retrieval.conftest import Find

GUIDE = """# Pump guide

## Care

The inlet filter is cleaned monthly. Only a trained technician may open the motor housing.

## Errors

| Code | Meaning |
|---|---|
| E4304 | The motor is too hot |
| E4305 | The filter is blocked |
"""
SECRET = "# Payroll\n\nThe canary filter of the payroll is cleaned by nobody."


@pytest.fixture
def client(shelf: Shelf, find: Find) -> Client:
    shelf.put("pump.md", GUIDE)
    shelf.put("ventil.txt", "Der Filter des Ventils wird jedes Jahr von einem Techniker gereinigt und geprüft.")
    shelf.put("payroll.md", SECRET, user=shelf.cast.ben, collection=shelf.cast.private(shelf.cast.ben))
    work_through()
    return signed_in(shelf.cast.ada)


def page_of(answer: Any) -> BeautifulSoup:
    return BeautifulSoup(answer.content, "html.parser")


def titles(page: BeautifulSoup) -> list[str]:
    return [link.get_text() for link in page.select(".hit h3")]


def test_a_result_shows_its_words_marked_and_leads_to_them_in_the_document(client: Client) -> None:
    page = page_of(client.post("/search/", {"q": "how is the filter cleaned?"}))

    assert titles(page)[0] == "Pump guide"
    assert [mark.get_text() for mark in page.select("#hit-1 .passage mark")][:2] == ["filter", "cleaned"]
    assert not {"the", "is", "how"} & {mark.get_text().lower() for mark in page.select(".hit mark")}
    link = str(page.select_one("#hit-1 a[data-hit]")["href"])  # type: ignore[index]
    opened = page_of(client.get(link, follow=True))
    assert [mark.get_text() for mark in opened.select("mark")][:2] == ["filter", "cleaned"]


def test_the_page_says_how_long_each_stage_took_and_where_each_stood(client: Client) -> None:
    page = page_of(client.post("/search/", {"q": "filter"}))

    stages = [row.get_text() for row in page.select(".found > details tbody th")]
    assert stages == [
        "Question embedded", "By words", "By meaning", "Each list's score of the other", "Together", "Passages read", "Made whole",
    ]  # fmt: skip
    assert "passages searched in" in page.get_text()
    assert [row.get_text() for row in page.select("#hit-1 details tbody th")] == [
        "Words", "Meaning (cosine)", "Together",
    ]  # fmt: skip


def test_facets_count_what_the_asker_sees_and_nothing_else(client: Client, shelf: Shelf) -> None:
    page = page_of(client.post("/search/", {"q": "filter canary payroll"}))

    kinds = {pill.get_text(" ", strip=True) for pill in page.select('label:has([name="kind"])')}
    assert kinds == {"Markdown 1", "plain text 1"}
    assert "payroll" not in page.get_text().lower().replace("filter canary payroll", "")
    bens = page_of(signed_in(shelf.cast.ben).post("/search/", {"q": "filter canary payroll"}))
    assert "Payroll" in titles(bens)
    assert {p.get_text(" ", strip=True) for p in bens.select('label:has([name="kind"])')} == {
        "Markdown 2",
        "plain text 1",
    }


def test_a_facet_narrows_and_stays_ticked(client: Client) -> None:
    page = page_of(client.post("/search/", {"q": "filter", "kind": "text"}))

    assert titles(page) == ["ventil"]
    assert [box["value"] for box in page.select('[name="kind"][checked]')] == ["text"]
    assert page.select_one(".narrow-by[open]")


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"q": ""}, "There is nothing to search for yet."),
        ({"q": "  \n "}, "There is nothing to search for yet."),
        ({"q": "x" * 50_000}, "longer than a search can be"),
        ({"q": "🙂🙃 !!"}, "no words in this search"),
        ({"q": "what is the"}, "These words stand in nearly every text."),
        ({"q": "是什么"}, "These words stand in nearly every text."),
        ({"q": "filter", "kind": "floppy"}, "does not know. Nothing was searched. Correct what is named. (Kind)"),
        ({"q": "filter", "since": "yesterday", "language": "klingon"}, "(From, Language)"),
        ({"q": "filter", "since": "2026-05-02", "until": "2026-05-01"}, "(To)"),
        ({"q": "filter", "mode": "magic", "ranker": "dice", "year": "0000"}, "(Year, Mode, Ranker)"),
    ],
)
def test_what_cannot_be_searched_has_words_and_keeps_the_form(
    client: Client, fields: dict[str, str], said: str
) -> None:
    answer = client.post("/search/", fields, headers={"HX-Request": "true"})

    page = page_of(answer)
    assert answer.status_code == 422
    assert said in page.select_one("#search-error").get_text()  # type: ignore[union-attr]
    assert page.select_one("#q")["aria-invalid"] == "true"  # type: ignore[index]
    assert page.find("html") is None
    assert not page.select(".hit")


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"q": '"filter inlet"'}, "No passage holds these words as they stand."),
        ({"q": 'filter "inlet'}, "A quotation mark has no partner"),
        ({"q": "filter", "collection": "nobody-knows-this"}, "No collection that you can open is chosen."),
        ({"q": "filter", "document": "nobody-knows-this"}, "Nothing that you can open fits"),
        ({"q": "filter", "until": "1999-12-31"}, "Nothing that you can open fits"),
        ({"q": "zyzzyva", "mode": "words"}, "No passage shares a word or a meaning"),
    ],
)
def test_what_is_found_by_no_one_has_words(client: Client, fields: dict[str, str], said: str) -> None:
    answer = client.post("/search/", fields)

    assert answer.status_code == 200
    assert said in " ".join(note.get_text() for note in page_of(answer).select(".found .note"))


def test_stop_words_in_quotation_marks_are_found_as_they_stand(client: Client) -> None:
    page = page_of(client.post("/search/", {"q": '"is too"', "mode": "words"}))

    assert titles(page) == ["Pump guide"]


def test_without_an_embedder_words_alone_answer_and_the_page_says_so(client: Client, settings: Any) -> None:
    settings.EMBEDDER_URL = "http://127.0.0.1:9"
    forget_embedder(embedding.question_embedder)

    page = page_of(client.post("/search/", {"q": "filter"}))

    assert titles(page)
    assert "Search by meaning is not available right now." in page.select_one(".found .note").get_text()  # type: ignore[union-attr]


def test_words_alone_ask_no_embedder(client: Client, settings: Any) -> None:
    settings.EMBEDDER_URL, settings.SEARCH_MODE, settings.SEARCH_RANKER = "http://127.0.0.1:9", "words", "tfidf"
    forget_embedder(embedding.question_embedder)

    page = page_of(client.post("/search/", {"q": "filter"}))

    assert titles(page)
    assert not page.select(".found .note")
    assert page.select_one('[name="ranker"][checked]')["value"] == ""  # type: ignore[index]
    assert [row.get_text() for row in page.select(".found table:not(.hit table) th[scope=row]")][:1] == ["By words"]


def test_the_page_is_reached_from_every_other_one_and_asks_nothing_in_its_address(client: Client) -> None:
    ask = page_of(client.get("/"))

    assert ask.select_one('nav a[href="/search/"]')
    assert page_of(client.get("/search/?q=filter")).select(".hit") == []


def test_a_hostile_text_is_shown_as_text(client: Client, shelf: Shelf) -> None:
    shelf.put_and_read("evil.txt", 'The filter <img src=x onerror=alert(1)> and "><script>alert(2)</script> filter.')

    answer = client.post("/search/", {"q": "filter onerror <script>alert(3)</script>"})

    assert b"<img" not in answer.content
    assert b"<script>alert" not in answer.content


def test_search_of_another_ones_document_says_no_more_than_of_none(client: Client) -> None:
    bens = Document.objects.using("owner").get(name="payroll.md").ref

    def said(ref: str) -> str:
        page = page_of(client.post("/search/", {"q": "canary payroll", "document": ref, "mode": "words"}))
        return page.select_one(".found .note").get_text()  # type: ignore[union-attr]

    assert said(bens) == said("nobody-knows-this")
