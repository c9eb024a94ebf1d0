"""What cannot be searched, for people and for programs alike: bounded, in words, never an error, and nothing of it in a log."""

from __future__ import annotations

from typing import Any

import pytest
from bs4 import BeautifulSoup
from django.test import Client

from documents.worker import work_through
from retrieval import embedding
from tests.documents.api.conftest import Program, ProgramFor, program  # noqa: F401
from tests.documents.ingest.conftest import Shelf, forget_embedder
from tests.documents.making import signed_in
from tests.retrieval.conftest import Find

WORD = "zweckentfremdet"


@pytest.fixture
def client(shelf: Shelf, find: Find) -> Client:
    shelf.put("pump.txt", "The filter of the pump is cleaned by a technician. E4304 means that the motor is too hot.")
    work_through()
    return signed_in(shelf.cast.ada)


@pytest.fixture
def reads(client: Client, shelf: Shelf, program: ProgramFor) -> Program:  # noqa: F811
    return program(shelf.cast.ada, "read")


def said(answer: Any) -> str:
    return BeautifulSoup(answer.content, "html.parser").get_text(" ", strip=True)


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("", "retrieval.empty"),
        (" \n\t ", "retrieval.empty"),
        ("🙂🙃🎉", "retrieval.no_words"),
        ("?!… —", "retrieval.no_words"),
        ("what is the", "retrieval.only_stop_words"),
        ("was ist das", "retrieval.only_stop_words"),
        (f"{WORD} " * 4_000, "retrieval.too_long"),
    ],
)
def test_a_page_and_a_program_are_told_why_nothing_was_searched(
    client: Client, reads: Program, text: str, code: str, caplog: pytest.LogCaptureFixture
) -> None:
    page = client.post("/search/", {"q": text})
    answer = reads.post("/search/", {"question": text})

    assert page.status_code == 422
    assert BeautifulSoup(page.content, "html.parser").select_one("#search-error")
    assert answer.status_code in (400, 422)
    assert code in answer.content.decode() or answer.json()["code"] == "portal.invalid"
    assert WORD not in caplog.text


@pytest.mark.parametrize("text", ['"filter of the', 'filter "', "“filter", '"filter" "technician'])
def test_unbalanced_quotes_are_searched_and_said(client: Client, text: str) -> None:
    page = client.post("/search/", {"q": text})

    assert page.status_code == 200
    assert "filter" in said(page)
    assert "quotation mark" in said(page).lower()


@pytest.mark.parametrize(
    "text",
    [
        "a\x00b filter",
        "\u202efilter\u2066",
        "filter'; DROP TABLE documents_document; --",
        "filter {{ 7*7 }} %s %(x)s",
        "<img src=x onerror=alert(1)> filter",
        "\ud83d filter".encode("utf-16", "surrogatepass").decode("utf-16", "replace"),
        "((((((filter))))))[[[[",
        "filter " + "é\u0301" * 500,
    ],
)
def test_odd_characters_find_what_they_say_and_nothing_is_run(client: Client, reads: Program, text: str) -> None:
    page = client.post("/search/", {"q": text})
    answer = reads.post("/search/", {"question": text})

    assert page.status_code == 200
    assert BeautifulSoup(page.content, "html.parser").select(".hit")
    assert not BeautifulSoup(page.content, "html.parser").select("#main img, .hit script")
    assert answer.status_code in (200, 400)  # NUL is no character for the API
    assert "49" not in said(page).replace("7*7", "")


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("kinds", ["floppy"]),
        ("languages", ["klingon"]),
        ("mode", "magic"),
        ("ranker", "dice"),
        ("since", "yesterday"),
        ("k", 0),
        ("k", 10_000),
        ("per_document", -1),
        ("tags", ["x" * 41]),
        ("collections", "not-a-list"),
    ],
)
def test_a_filter_that_is_none_is_named(reads: Program, field: str, value: Any) -> None:
    answer = reads.post("/search/", {"question": "filter", field: value})

    assert answer.status_code == 400
    assert field in answer.content.decode()


@pytest.mark.parametrize("field", ["collections", "documents", "tags"])
def test_a_filter_that_nothing_has_leaves_nothing_and_says_so(reads: Program, field: str) -> None:
    answer = reads.post("/search/", {"question": "filter", field: ["nobodys"]}).json()

    assert answer["passages"] == []
    assert [note["code"] for note in answer["notes"]] in (
        ["retrieval.filters_leave_nothing"],
        ["retrieval.no_collection"],
    )


def test_with_the_embedder_down_words_alone_answer_and_both_say_so(
    client: Client, reads: Program, settings: Any
) -> None:
    settings.EMBEDDER_URL = "http://127.0.0.1:9"
    forget_embedder(embedding.question_embedder)

    page = client.post("/search/", {"q": "filter technician"})
    answer = reads.post("/search/", {"question": "filter technician"}).json()

    assert len(answer["passages"]) == 1
    assert [note["code"] for note in answer["notes"]] == ["retrieval.embedder_down"]
    assert answer["notes"][0]["title"] in said(page)
    assert BeautifulSoup(page.content, "html.parser").select(".hit")
