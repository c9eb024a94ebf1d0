"""A question answered by a model, end to end: the walk, the audit, what is kept and shown; and every way that it fails."""

from __future__ import annotations

from typing import Any

import pytest
from django.utils import timezone

from answers import ask as walk
from answers import shown
from answers.model_writer import writer_for
from answers.models import Answer
from answers.programs import show_question
from answers.router import call
from answers.writers import ExtractiveWriter, Void
from documents import lifecycle
from documents.models import Document
from portal.scope import principal
from tests.answers.conftest import Ask, Name, answer_of
from tests.documents.ingest.conftest import Shelf
from tests.documents.making import signed_in
from tests.fakes.model_server import Act, Body, CutAfter, Endless, Events, ModelServer, Says, Silence, Status

ASKED = "What does E4304 mean for the motor?"
SOUND = "E4304 means the motor is too hot [1]."


def answered(shelf: Shelf) -> tuple[Answer, list[walk.Event]]:
    scope = shelf.cast.scope(shelf.cast.ada)
    events = list(walk.ask(scope, ASKED, settings=walk.AskSettings(), now=timezone.now(), writer=writer_for(scope)))
    return answer_of(shelf, events), events


def page_of(shelf: Shelf, answer: Answer) -> shown.ShownAnswer:
    scope = shelf.cast.scope(shelf.cast.ada)
    with principal(scope):
        return shown.show(scope, answer, permalink="https://f.example/answers/x/")


def program_of(shelf: Shelf, answer: Answer) -> dict[str, Any]:
    scope = shelf.cast.scope(shelf.cast.ada)
    with principal(scope):
        body: dict[str, Any] = show_question(scope, answer.question, answer)["answer"]
    return body


@pytest.fixture
def asked(ask: Ask, shelf: Shelf) -> Shelf:
    """The shelf with the guide on it."""
    return shelf


def test_without_a_provider_quotes_are_written(asked: Shelf) -> None:
    assert isinstance(writer_for(asked.cast.scope(asked.cast.ada)), ExtractiveWriter)


def test_a_models_answer_is_audited_kept_and_shown(asked: Shelf, model: ModelServer, operator_names: Name) -> None:
    operator_names(model, price_out_usd=1.0)
    model.script(Says.text(SOUND))

    answer, events = answered(asked)

    assert "".join(event.text for event in events if isinstance(event, walk.Token)) == SOUND
    assert (answer.outcome, answer.verdict, answer.mode, answer.model, answer.provider) == (
        "answered", "supported", "model", "toy", "model 1",
    )  # fmt: skip
    assert (answer.tokens_in, answer.tokens_out, answer.prompt_version) == (100, 8, "answer-1")
    assert answer.first_token_ms is not None and answer.cost_usd > 0
    page = page_of(asked, answer)
    assert page.prose is not None and page.prose.text == SOUND and page.prose.flagged == 0
    assert page.mode_label == "written by toy" and "tokens" in page.cost_label
    assert [source.number for source in page.sources] == [1] and page.sources[0].used_label == "Used in sentence 1"
    body = program_of(asked, answer)
    assert (body["text"], body["sentences"][0]["support"]) == (SOUND, "supported")


def test_a_fake_citation_is_removed_counted_and_never_streamed(
    asked: Shelf,
    model: ModelServer,
    operator_names: Name,
) -> None:
    operator_names(model)
    model.script(Says.text("E4304 means the motor is too hot [1]. It is blue [99]. See **[7]** and 【42】."))

    answer, events = answered(asked)

    streamed = "".join(event.text for event in events if isinstance(event, walk.Token))
    page = page_of(asked, answer)
    assert page.prose is not None and answer.removed_markers == 3
    assert not any(number in streamed + page.prose.text for number in ("99", "[7]", "42"))
    assert page.audit_label == "3 citations removed: not in the sources" and page.prose.flagged >= 1


FAILURES: dict[str, tuple[Act, ...]] = {
    "429": (Status(429, retry_after="600"),),
    "500": (Status(500), Status(500)),
    "wrong key": (Status(401),),
    "silence": (Silence(30),),
    "cut in the middle": (CutAfter(("E4304 means ",)), CutAfter(("E4304 means ",))),
    "garbage": (Body(b"\xff\xfe garbage"), Body(b"\xff\xfe garbage")),
    "invalid JSON": (Events(("data: {\n",)), Events(("data: {\n",))),
    "empty": (Says(()), Says(())),
}


@pytest.mark.parametrize("name", FAILURES)
def test_a_failing_model_is_a_note_and_the_answer_is_quoted(
    asked: Shelf,
    model: ModelServer,
    operator_names: Name,
    name: str,
) -> None:
    operator_names(model)
    model.script(*FAILURES[name])

    answer, events = answered(asked)

    page = page_of(asked, answer)
    assert (answer.outcome, answer.mode, answer.verdict) == ("answered", "extractive", "supported")
    assert "answers.model_down" in answer.notes and any("No model could write" in note.text for note in page.notes)
    assert page.quotes and page.prose is None
    void = [place for place, event in enumerate(events) if isinstance(event, Void)]
    rest = events[void[-1] + 1 :] if void else events
    assert "motor is too hot" in "".join(event.text for event in rest if isinstance(event, walk.Token))


def test_an_endless_model_is_capped_with_a_note(asked: Shelf, model: ModelServer, operator_names: Name) -> None:
    operator_names(model, max_output_tokens=40)
    model.script(Endless("The motor is too hot [1]. "))

    answer, events = answered(asked)

    text = program_of(asked, answer)["text"]
    assert answer.notes == ["answers.model_capped"] and text.endswith("[1].")
    assert len("".join(e.text for e in events if isinstance(e, walk.Token))) <= 40 * call.CHARACTERS_A_TOKEN


def test_a_model_that_finds_nothing_declines(asked: Shelf, model: ModelServer, operator_names: Name) -> None:
    operator_names(model)
    model.script(Says(("NOT ", "FOUND")))

    answer, events = answered(asked)

    assert (answer.outcome, answer.reason) == ("declined", "answers.writer_found_nothing")
    assert not any(isinstance(event, walk.Token) for event in events)
    assert page_of(asked, answer).prose is None


def test_a_spent_budget_degrades_and_says_so(
    asked: Shelf,
    model: ModelServer,
    operator_names: Name,
    settings: Any,
) -> None:
    operator_names(model)
    settings.BUDGET_MEMBER_USD = 0.0

    answer, _ = answered(asked)

    assert (answer.mode, answer.notes, model.calls) == ("extractive", ["answers.budget_spent"], [])


def test_what_the_model_is_sent_is_what_may_be_cited_and_nothing_of_the_key_is_logged(
    asked: Shelf,
    model: ModelServer,
    operator_names: Name,
    capfd: Any,
    caplog: Any,
) -> None:
    operator_names(model)
    model.script(Status(500), Says.text(SOUND))

    answered(asked)

    out, err = capfd.readouterr()
    logged = out + err + caplog.text + str([getattr(record, "fields", "") for record in caplog.records])
    assert "motor is too hot" in model.calls[0].prompt and ASKED in model.calls[0].prompt
    assert not any(secret in logged for secret in ("sk-own", "sk-secret", "too hot", "E4304"))


def test_deleting_a_source_takes_the_models_text_with_it(
    asked: Shelf,
    model: ModelServer,
    operator_names: Name,
) -> None:
    operator_names(model)
    model.script(Says.text(SOUND))
    answer, _ = answered(asked)
    scope = asked.cast.scope(asked.cast.ben)
    with principal(scope):
        lifecycle.delete(scope, Document.objects.visible_to(scope).get(name="pump.md"))

    page = page_of(asked, answer)

    assert page.prose is not None and page.prose.is_removed and page.prose.text == ""
    assert program_of(asked, answer)["text"] == "(a source of this answer was removed)"


def test_a_text_hides_when_a_collection_that_it_was_read_from_goes_out_of_sight(
    asked: Shelf,
    model: ModelServer,
    operator_names: Name,
) -> None:
    operator_names(model)
    model.script(Says.text(SOUND))
    answer, _ = answered(asked)
    asked.rows("UPDATE answers_writtentext SET collection_ids = '{987654}' RETURNING id")

    assert "too hot" not in str(page_of(asked, answer).prose)
    assert "too hot" not in str(program_of(asked, answer)["text"])


HOSTILE = (
    "<img src=x onerror=alert(1)> The motor is too hot [1]. ![p](https://evil.example/p.png) "
    "[click](https://evil.example/?q=secret) <script>alert(2)</script> https://evil.example/bare"
)


def test_a_page_renders_nothing_of_what_a_model_wrote(
    asked: Shelf,
    model: ModelServer,
    operator_names: Name,
) -> None:
    operator_names(model)
    model.script(Says((HOSTILE,)))
    answer, _ = answered(asked)
    client = signed_in(asked.cast.ada)

    html = client.get(f"/answers/{answer.ref}/").content.decode()

    assert "&lt;img src=x" in html and "&lt;script&gt;alert(2)" in html
    assert not any(bad in html for bad in ("<img src=x", "<script>alert", 'href="https://evil', 'src="https://evil'))


def test_the_page_asks_the_model_as_well(asked: Shelf, model: ModelServer, operator_names: Name) -> None:
    operator_names(model)
    model.script(Says.text(SOUND + " It was built in 1899 [1]."))
    client = signed_in(asked.cast.ada)

    html = client.post("/", {"question": ASKED}, follow=True).content.decode()

    assert "Partly supported" in html and "1 of 2 sentences is not fully borne out" in html


def test_a_disabled_source_hides_the_text_until_it_is_back(
    asked: Shelf, model: ModelServer, operator_names: Name
) -> None:
    operator_names(model)
    model.script(Says.text(SOUND))
    answer, _ = answered(asked)

    asked.rows("UPDATE documents_document SET disabled_at = now() RETURNING id")
    hidden = program_of(asked, answer)["text"]
    asked.rows("UPDATE documents_document SET disabled_at = NULL RETURNING id")

    assert ("too hot" in hidden, program_of(asked, answer)["text"]) == (False, SOUND)
