"""Limits as people and programs meet them: 429, when to come back, what is left, and the draft where it was."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from bs4 import BeautifulSoup
from django.test import Client
from django.utils import timezone

from answers import ask as walk
from answers.models import Question
from portal import counting, limits
from retrieval import api as retrieval_api
from tests.answers.conftest import Ask, ask  # noqa: F401  (fixture)
from tests.conftest import PASSWORD, Cast
from tests.documents.api.conftest import program  # noqa: F401  (fixture)
from tests.documents.ingest.conftest import Shelf, embedder, forget_embedder, shelf  # noqa: F401  (fixtures)
from tests.documents.making import signed_in

ASKED = "What does E4304 mean for the motor?"


@pytest.fixture(autouse=True)
def close_the_search_s_embedder() -> Iterator[None]:
    yield
    forget_embedder(retrieval_api.embedder)


@pytest.fixture(autouse=True)
def own_counter(monkeypatch: pytest.MonkeyPatch) -> None:
    """A counter that begins at nothing; the broker's is tested in test_counting.py."""
    fresh = counting.OwnMemory()
    monkeypatch.setattr(limits, "counter", lambda: fresh)


def test_a_question_too_many_gets_429_with_the_draft_kept_and_nothing_asked(
    ask: Ask,  # noqa: F811
    shelf: Shelf,  # noqa: F811
    settings: Any,
) -> None:
    settings.LIMIT_USER = 2
    client = signed_in(shelf.cast.ada)

    answers = [client.post("/", {"question": ASKED}) for _ in range(3)]

    page = BeautifulSoup(answers[2].content, "html.parser")
    assert [answer.status_code for answer in answers] == [302, 302, 429]
    assert [answer.headers["RateLimit-Remaining"] for answer in answers] == ["1", "0", "0"]
    assert 0 < int(answers[2].headers["Retry-After"]) <= 60
    assert answers[2].headers["Retry-After"] == answers[2].headers["RateLimit-Reset"]
    assert page.select_one("textarea").get_text() == ASKED  # type: ignore[union-attr]
    assert "That was a lot at once." in page.select_one("#question-error").get_text()  # type: ignore[union-attr]
    assert page.select_one("[data-countdown]") is not None
    assert shelf.rows("SELECT count(*) FROM answers_question") == [(2,)]


def test_htmx_gets_the_words_alone_so_that_the_form_stays_as_it_is(
    ask: Ask,  # noqa: F811
    shelf: Shelf,  # noqa: F811
    settings: Any,
) -> None:
    settings.LIMIT_USER = 1
    client = signed_in(shelf.cast.ada)
    client.post("/", {"question": ASKED})

    answer = client.post("/", {"question": ASKED}, headers={"HX-Request": "true"})

    page = BeautifulSoup(answer.content, "html.parser")
    assert (answer.status_code, page.select_one("textarea")) == (429, None)
    assert "what you typed is still here" in page.select_one("#problem").get_text()  # type: ignore[union-attr]
    assert page.select_one("#problem [data-countdown]") is not None


def test_one_member_s_haste_costs_another_nothing(ask: Ask, shelf: Shelf, settings: Any) -> None:  # noqa: F811
    settings.LIMIT_USER = 1
    ada, ben = signed_in(shelf.cast.ada), signed_in(shelf.cast.ben)
    ada.post("/", {"question": ASKED})

    assert ada.post("/", {"question": ASKED}).status_code == 429
    assert ben.post("/", {"question": ASKED}).status_code == 302


def test_what_is_no_question_is_not_counted(ask: Ask, shelf: Shelf, settings: Any) -> None:  # noqa: F811
    settings.LIMIT_USER = 1
    client = signed_in(shelf.cast.ada)

    empty = client.post("/", {"question": "  "})

    assert (empty.status_code, "RateLimit-Limit" in empty.headers) == (422, False)
    assert client.post("/", {"question": ASKED}).status_code == 302


def test_a_key_has_a_limit_of_its_own_and_counts_for_its_person(
    ask: Ask,  # noqa: F811
    shelf: Shelf,  # noqa: F811
    program: Any,  # noqa: F811
    settings: Any,
) -> None:
    settings.LIMIT_USER, settings.LIMIT_PROGRAM = 3, 2
    first, second = program(shelf.cast.ada), program(shelf.cast.ada)
    question = {"question": ASKED}

    by_first = [first.post("/questions/", question).status_code for _ in range(3)]
    by_second = [second.post("/search/", question) for _ in range(2)]

    refused = by_second[1]
    assert by_first == [201, 201, 429]
    assert [answer.status_code for answer in by_second] == [200, 429]
    assert refused.json()["code"] == "portal.rate_limited"
    assert refused.headers["Content-Type"] == "application/problem+json"
    assert (refused.headers["RateLimit-Limit"], 0 < int(refused.headers["Retry-After"]) <= 60) == ("3", True)


def test_the_search_page_counts_too_and_htmx_keeps_its_form(
    ask: Ask,  # noqa: F811
    shelf: Shelf,  # noqa: F811
    settings: Any,
) -> None:
    settings.LIMIT_USER = 1
    client = signed_in(shelf.cast.ada)

    first, second = (client.post("/search/", {"q": ASKED}, headers={"HX-Request": "true"}) for _ in range(2))

    assert (first.status_code, second.status_code) == (200, 429)
    assert "what you typed is still here" in second.content.decode()
    assert int(second.headers["Retry-After"]) > 0


def test_wrong_passwords_of_an_address_are_limited_and_right_ones_are_not(cast: Cast, settings: Any) -> None:
    settings.LIMIT_SIGN_IN = 3
    right = {"email": cast.ada.email, "password": PASSWORD}
    for _ in range(5):
        assert Client().post("/sign-in/", right).status_code == 302

    wrong = [Client().post("/sign-in/", {**right, "password": f"guess {n}"}).status_code for n in range(4)]
    locked = Client().post("/sign-in/", right)
    elsewhere = Client(REMOTE_ADDR="198.51.100.7").post("/sign-in/", right)

    assert wrong == [422, 422, 422, 429]
    assert (locked.status_code, int(locked.headers["Retry-After"]) > 0) == (429, True)
    assert elsewhere.status_code == 302


def test_a_guest_is_counted_by_address(settings: Any) -> None:
    settings.LIMIT_GUEST = 10
    scope: Any = None
    limits._call.set(limits._Call("2001:db8:1:2::1"))
    for _ in range(10):
        limits.admit_guest(scope)
    limits._call.set(limits._Call("2001:db8:1:2:ffff::9"))

    with pytest.raises(limits.RateLimited):
        limits.admit_guest(scope)

    limits._call.set(limits._Call("2001:db8:1:3::1"))
    limits.admit_guest(scope)
    limits._call.set(None)


@pytest.mark.parametrize(
    ("address", "network"),
    [
        ("203.0.113.9", "203.0.113.9"),
        ("::ffff:203.0.113.9", "203.0.113.9"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
        ("unix:", ""),
        ("", ""),
    ],
)
def test_an_address_counts_as_its_network(address: str, network: str) -> None:
    assert limits.network_of(address) == network


def test_evaluation_runs_are_not_limited(ask: Ask, shelf: Shelf, settings: Any) -> None:  # noqa: F811
    settings.LIMIT_USER = 1
    scope = shelf.cast.scope(shelf.cast.ada)
    options = walk.AskSettings()

    for _ in range(3):
        list(walk.ask(scope, ASKED, settings=options, now=timezone.now(), admit=limits.admit_freely))
    list(walk.ask(scope, ASKED, settings=options, now=timezone.now()))

    with pytest.raises(limits.RateLimited):
        list(walk.ask(scope, ASKED, settings=options, now=timezone.now()))
    assert Question.objects.using("owner").count() == 4
