"""The page that explains an answer, and the same question asked again beside it."""

from __future__ import annotations

import pytest
from bs4 import BeautifulSoup
from django.db import connections
from django.test.utils import CaptureQueriesContext

from answers.models import Answer, Question, Trace
from answers.trace import Placed, read
from documents import lifecycle
from documents.models import Chunk, Document
from portal.scope import principal
from tests.answers.conftest import Ask, answer_of
from tests.documents.ingest.conftest import Shelf
from tests.documents.making import signed_in

QUESTION = "What does E4304 mean for the motor?"


def page_of(shelf: Shelf, answer: Answer, path: str = "why/", *, method: str = "get", **form: str) -> BeautifulSoup:
    client = signed_in(shelf.cast.ada)
    response = getattr(client, method)(f"/answers/{answer.ref}/{path}", form)
    assert response.status_code == 200
    return BeautifulSoup(response.content, "html.parser")


def test_the_page_shows_stages_lists_passages_gate_and_configuration(ask: Ask, shelf: Shelf) -> None:
    answer = answer_of(shelf, ask(QUESTION))

    text = " ".join(page_of(shelf, answer).get_text(" ").split())

    for words in (
        "Words (BM25)", "Meaning (cosine)", "Together", "quoted as source 1", "version 1", "Gates", "Confidence",
        "Citation audit", answer.config_hash, "extractive-1", "Prompt version", "Replay now", "ms",
    ):  # fmt: skip
        assert words in text, words


def test_the_answer_leads_to_it(ask: Ask, shelf: Shelf) -> None:
    answer = answer_of(shelf, ask(QUESTION))

    page = page_of(shelf, answer, "")

    assert page.select_one(f'a[href="/answers/{answer.ref}/why/"]') is not None


def test_a_trace_is_read_as_it_was_stored_and_holds_no_text(ask: Ask, shelf: Shelf) -> None:
    answer = answer_of(shelf, ask(QUESTION))
    stored = Trace.objects.using("owner").get(answer=answer).stages

    traced = read(stored)

    chunks = {row.pk: row for row in Chunk.objects.using("owner").all()}
    assert traced.kept and set(traced.given) <= set(traced.kept)
    assert all(Placed(c.pk, c.version_id, c.start, c.end) in traced.kept for c in [chunks[traced.kept[0].chunk_id]])
    assert [name for name, _ in traced.walked][:3] == ["validate", "guard", "fingerprint"]
    assert traced.configuration["model"] == "toy" and 0 <= (traced.gate.confidence or -1) <= 1
    assert "motor" not in str(stored).lower() and "pump" not in str(stored).lower()


def test_a_trace_of_an_older_release_is_shown_too(ask: Ask, shelf: Shelf) -> None:
    answer = answer_of(shelf, ask(QUESTION))
    trace = Trace.objects.using("owner").get(answer=answer)
    trace.stages = [stage for stage in trace.stages if stage["name"].startswith(("search", "embed"))]
    trace.save(using="owner")

    assert "quoted as source 1" in page_of(shelf, answer).get_text()


def test_a_deleted_document_leaves_its_numbers_and_nothing_else(ask: Ask, shelf: Shelf) -> None:
    answer = answer_of(shelf, ask(QUESTION))
    scope = shelf.cast.scope(shelf.cast.ada)
    with principal(scope):
        lifecycle.delete(scope, Document.objects.visible_to(scope).get(name="pump.md"))

    text = page_of(shelf, answer).get_text()

    assert "Source removed" in text
    assert "Pump guide" not in text and "Errors" not in text


def test_small_talk_and_a_question_without_a_trace_have_a_page(ask: Ask, shelf: Shelf) -> None:
    answer = answer_of(shelf, ask("Thanks!"))
    Trace.objects.using("owner").all().delete()

    page = page_of(shelf, answer)

    assert "No gate was reached." in page.get_text()
    assert "Replay now" not in page.get_text()


def test_nobody_else_sees_it(ask: Ask, shelf: Shelf) -> None:
    ref = answer_of(shelf, ask(QUESTION)).ref

    for who in (shelf.cast.ben, shelf.cast.cy):
        client = signed_in(who)
        assert client.get(f"/answers/{ref}/why/").status_code == 404
        assert client.post(f"/answers/{ref}/why-not/", {"words": "motor"}).status_code == 404
        assert client.post(f"/answers/{ref}/replay/").status_code == 404


def test_the_page_costs_the_same_however_much_it_shows(ask: Ask, shelf: Shelf) -> None:
    client = signed_in(shelf.cast.ada)
    costs = []
    for more in (0, 6):
        for number in range(more):
            shelf.put_and_read(f"more-{number}.md", f"# More {number}\n\nE4304 and the motor, part {number}.\n")
        address = f"/answers/{answer_of(shelf, ask(QUESTION)).ref}/why/"
        client.get(address)
        with CaptureQueriesContext(connections["default"]) as queries:
            client.get(address)
        costs.append(len(queries))

    assert costs[0] == costs[1] <= 30


def test_a_replay_of_an_unchanged_shelf_says_that_nothing_changed_and_keeps_nothing(ask: Ask, shelf: Shelf) -> None:
    answer = answer_of(shelf, ask(QUESTION))

    page = page_of(shelf, answer, "replay/", method="post")

    assert "Nothing: the same passages, the same words, the same verdict." in page.get_text()
    assert [h.get_text() for h in page.select("section > h2")] == ["What would change today", "Then", "Today"]
    assert Question.objects.using("owner").count() == 1


def test_a_replay_says_what_a_new_version_would_change(ask: Ask, shelf: Shelf) -> None:
    answer = answer_of(shelf, ask(QUESTION))
    shelf.put_and_read("pump.md", "# Pump guide\n\n## Errors\n\nE4304 means the motor lacks oil. Add some.\n")

    page = page_of(shelf, answer, "replay/", method="post")

    text = page.get_text()
    assert "Replaced by a newer version since: pump.md." in text
    assert "Other passages:" in text
    then, today = (section.get_text() for section in page.select(".beside > section"))
    assert "too hot" in then and "lacks oil" not in then
    assert "lacks oil" in today and "too hot" not in today


def test_a_replay_after_a_deletion_would_decline(ask: Ask, shelf: Shelf) -> None:
    answer = answer_of(shelf, ask(QUESTION))
    scope = shelf.cast.scope(shelf.cast.ada)
    with principal(scope):
        lifecycle.delete(scope, Document.objects.visible_to(scope).get(name="pump.md"))

    text = page_of(shelf, answer, "replay/", method="post").get_text()

    assert "The verdict would be “Not found in your documents”, it was “Supported”." in text
    assert "too hot" not in text


def test_a_document_without_words_leads_to_where_its_passage_is_chosen(ask: Ask, shelf: Shelf) -> None:
    answer = answer_of(shelf, ask(QUESTION))
    client = signed_in(shelf.cast.ada)

    opened = client.post(f"/answers/{answer.ref}/why-not/", {"document": "pump.md"}, follow=True)
    page = BeautifulSoup(opened.content, "html.parser")
    form = page.select_one("form[data-choose]")
    assert form is not None
    chunk = str(form.select_one("[name=chunk]")["value"])  # type: ignore[index]
    verdict = client.post(str(form["action"]), {"chunk": chunk, "words": "motor is too hot"})

    assert 'data-verdict="used"' in verdict.content.decode()


@pytest.mark.parametrize("odd", ["../../x", "0" * 40, "zz", "%00"])
def test_a_document_page_ignores_an_answer_that_is_no_ref(ask: Ask, shelf: Shelf, odd: str) -> None:
    document = Document.objects.using("owner").get(name="pump.md")

    response = signed_in(shelf.cast.ada).get(f"/documents/{document.ref}/", {"for": odd})

    assert response.status_code == 200
    assert "data-choose" not in response.content.decode()


def test_marking_nothing_says_so(ask: Ask, shelf: Shelf) -> None:
    answer = answer_of(shelf, ask(QUESTION))

    assert "Mark something first" in page_of(shelf, answer, "why-not/", method="post").get_text()
