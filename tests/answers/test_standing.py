"""A cited source that changes, is switched off or goes: the answer's page, the history and the API say so."""

from __future__ import annotations

from typing import Any

import pytest
from bs4 import BeautifulSoup
from django.db import connections
from django.test.utils import CaptureQueriesContext

from answers.models import Answer
from answers.standing import Standing
from documents import lifecycle
from documents.models import Document
from portal.scope import principal
from tests.answers.conftest import Ask, answer_of
from tests.documents.api.conftest import program  # noqa: F401  (fixture)
from tests.documents.ingest.conftest import Shelf
from tests.documents.making import signed_in

QUESTION = "What does E4304 mean for the motor?"
NOTHING = {"changed": 0, "disabled": 0, "removed": 0}


def change(shelf: Shelf) -> None:
    shelf.put_and_read("pump.md", "# Pump guide\n\n## Errors\n\nE4304 means the motor lacks oil.\n")


def disable(shelf: Shelf) -> None:
    scope = shelf.cast.scope(shelf.cast.ada)
    with principal(scope):
        lifecycle.disable(scope, Document.objects.visible_to(scope).get(name="pump.md"))


def delete(shelf: Shelf) -> None:
    scope = shelf.cast.scope(shelf.cast.ada)
    with principal(scope):
        lifecycle.delete(scope, Document.objects.visible_to(scope).get(name="pump.md"))


def hide(shelf: Shelf) -> None:
    """Into a collection of ben's own, where ada sees it no more."""
    scope = shelf.cast.scope(shelf.cast.ben)
    with principal(scope):
        found = Document.objects.visible_to(scope).get(name="pump.md")
        lifecycle.move(scope, found, shelf.cast.private(shelf.cast.ben))


CASES: list[Any] = [
    (change, "changed", "Source changed since", "has a newer version"),
    (disable, "disabled", "Source switched off", "is switched off"),
    (delete, "removed", "Source removed", "was removed or is out of your sight"),
    (hide, "removed", "Source removed", "was removed or is out of your sight"),
]


def on_pages(shelf: Shelf, answer: Answer) -> tuple[str, str]:
    """The answer's page and the history."""
    client = signed_in(shelf.cast.ada)
    pages = (client.get(f"/answers/{answer.ref}/"), client.get("/history/"))
    first, second = (BeautifulSoup(page.content, "html.parser") for page in pages)
    return " ".join(first.get_text(" ").split()), " ".join(second.get_text(" ").split())


@pytest.mark.parametrize(("happens", "fate", "line", "sentence"), CASES)
def test_what_became_of_a_source_is_said_everywhere(
    ask: Ask,
    shelf: Shelf,
    program: Any,  # noqa: F811
    happens: Any,
    fate: str,
    line: str,
    sentence: str,
) -> None:
    answer = answer_of(shelf, ask(QUESTION))
    before = on_pages(shelf, answer)

    happens(shelf)

    page, history = on_pages(shelf, answer)
    api = program(shelf.cast.ada)
    listed = api.get("/questions/").json()["results"]
    since = api.get(f"/questions/{listed[0]['ref']}/").json()["answer"]["sources_since"]
    assert "Since this answer" not in before[0] and "Source" not in before[1]
    assert "Since this answer, of its" in page and sentence in page and "See what would change today" in page
    assert line in history
    assert [one["is_stale"] for one in listed] == [True]
    assert (since["cited"] >= 1, {name: bool(since[name]) for name in NOTHING}) == (
        True,
        {name: name == fate for name in NOTHING},
    )


def test_an_untouched_answer_says_nothing(ask: Ask, shelf: Shelf, program: Any) -> None:  # noqa: F811
    answer = answer_of(shelf, ask(QUESTION))

    listed = program(shelf.cast.ada).get("/questions/").json()["results"]

    assert "Since this answer" not in on_pages(shelf, answer)[0]
    assert [one["is_stale"] for one in listed] == [False]


def test_another_document_s_change_does_not_matter(ask: Ask, shelf: Shelf) -> None:
    answer = answer_of(shelf, ask(QUESTION))
    shelf.put_and_read("other.md", "# Other\n\nBicycles need oil.\n")
    shelf.put_and_read("other.md", "# Other\n\nBicycles need air.\n")

    assert "Source" not in on_pages(shelf, answer)[1]


def test_a_disabled_source_that_is_enabled_again_is_as_before(ask: Ask, shelf: Shelf) -> None:
    answer = answer_of(shelf, ask(QUESTION))
    disable(shelf)
    scope = shelf.cast.scope(shelf.cast.ada)
    with principal(scope):
        lifecycle.enable(scope, Document.objects.visible_to(scope).get(name="pump.md"))

    assert "Source" not in on_pages(shelf, answer)[1]


def test_a_longer_history_costs_no_more_queries(ask: Ask, shelf: Shelf, program: Any) -> None:  # noqa: F811
    api, client = program(shelf.cast.ada), signed_in(shelf.cast.ada)
    costs = []
    for more in (1, 6):
        for _ in range(more):
            ask(QUESTION)
        for read in (lambda: api.get("/questions/"), lambda: client.get("/history/")):
            read()
            with CaptureQueriesContext(connections["default"]) as queries:
                read()
            costs.append(len(queries))

    assert costs[:2] == costs[2:]


@pytest.mark.parametrize(
    ("standing", "label", "sentence"),
    [
        (Standing(3), "", ""),
        (
            Standing(1, changed=1),
            "Source changed since",
            "Since this answer, of its 1 cited passage: 1 has a newer version.",
        ),
        (
            Standing(4, changed=2, disabled=1, removed=1),
            "Source removed",
            (
                "Since this answer, of its 4 cited passages: 2 have a newer version; 1 is switched off; "
                "1 was removed or is out of your sight."
            ),
        ),
    ],
)
def test_the_words_say_how_many_and_the_gravest_first(standing: Standing, label: str, sentence: str) -> None:
    assert (standing.label, standing.sentence, standing.is_stale) == (label, sentence, bool(label))
