"""An answer on its way: its events in order, replay without a second call, stopping, and what is kept of a partial text."""

from __future__ import annotations

import asyncio
import time
from typing import Any

import pytest

from answers import live, streaming
from answers.models import LiveAnswer
from answers.streaming import Place, Told
from portal.scope import Scope, principal
from tests.answers.conftest import Ask, Name
from tests.documents.ingest.conftest import Shelf
from tests.documents.making import signed_in
from tests.fakes.model_server import Gated, ModelServer, Says

ASKED = "What does E4304 mean for the motor?"
SOUND = "E4304 means the motor is too hot [1]."


@pytest.fixture
def scope(ask: Ask, shelf: Shelf) -> Scope:
    return shelf.cast.scope(shelf.cast.ada)


def events(scope: Scope, ref: str, last_event_id: str = "") -> list[Told]:
    async def all_of() -> list[Told]:
        told = streaming.follow(scope, ref, Place.read(last_event_id))
        return [event async for event in told if event is not None]

    return asyncio.run(all_of())


def until(happened: Any, within_s: float = 5.0) -> bool:
    end = time.monotonic() + within_s
    while time.monotonic() < end:
        if happened():
            return True
        time.sleep(0.02)
    return False


def test_stages_then_tokens_then_exactly_one_meta(scope: Scope, model: ModelServer, operator_names: Name) -> None:
    operator_names(model)
    model.script(Says.text(SOUND))

    told = events(scope, live.begin(scope, ASKED, collection_ids=None).ref)

    names = [event.name for event in told]
    meta = told[-1].data
    assert names[-1] == "meta" and names.count("meta") == 1 and "stage" in names
    assert "".join(event.data["text"] for event in told if event.name == "token") == SOUND
    assert (meta["verdict"], meta["text"], meta["citations"][0]["number"], meta["tokens_in"]) == (
        "supported", SOUND, 1, 100,
    )  # fmt: skip
    assert meta["timings_ms"]["write"] > 0


def test_a_reconnect_goes_on_where_it_was_and_asks_no_model_again(
    scope: Scope, model: ModelServer, operator_names: Name
) -> None:
    operator_names(model)
    model.script(Says.text(SOUND))
    ref = live.begin(scope, ASKED, collection_ids=None).ref
    ids = [event.id for event in events(scope, ref) if event.name == "token"]

    again = events(scope, ref, ids[-1])
    anew = events(scope, ref)
    foreign = events(scope, ref, "99999-abc")

    assert [event.name for event in again] == ["meta"]
    assert [event.name for event in anew] == ["token", "meta"]
    assert [event.name for event in foreign] == ["void", "token", "meta"]
    assert len(model.calls) == 1


def test_stopping_hangs_up_and_keeps_what_was_written(scope: Scope, model: ModelServer, operator_names: Name) -> None:
    operator_names(model, idle_s=20.0, total_s=20.0)
    model.script(Gated(("E4304 means the motor is too hot [1]. ", "never sent")))
    running = live.begin(scope, ASKED, collection_ids=None)
    running.watch(lambda: None)
    assert until(lambda: "too hot" in running.text)

    began = time.monotonic()
    assert live.stop(scope, running.ref)
    assert until(lambda: running.is_over) and time.monotonic() - began < 2

    meta = events(scope, running.ref)[-1].data
    assert (meta["outcome"], "too hot" in meta["text"]) == ("stopped", True)


def test_a_partial_text_is_saved_while_it_is_written(scope: Scope, model: ModelServer, operator_names: Name) -> None:
    operator_names(model, idle_s=20.0, total_s=20.0)
    model.script(Gated(("The motor is too hot. ", "end")))
    running = live.begin(scope, ASKED, collection_ids=None)
    running.watch(lambda: None)

    def saved() -> bool:
        with principal(scope):
            row = live.row_of(scope, running.ref)
        return row is not None and "too hot" in row.partial

    assert until(saved)
    model.let_go()
    assert until(lambda: running.is_over)
    with principal(scope):
        assert LiveAnswer.objects.visible_to(scope).count() == 0


def test_another_members_stream_is_as_if_it_never_was(
    scope: Scope, shelf: Shelf, model: ModelServer, operator_names: Name
) -> None:
    operator_names(model)
    running = live.begin(scope, ASKED, collection_ids=None)
    events(scope, running.ref)

    ben = signed_in(shelf.cast.ben)

    assert live.running(shelf.cast.scope(shelf.cast.ben), running.ref) is None
    assert (ben.get(f"/stream/{running.ref}/").status_code, ben.post(f"/answers/{running.ref}/stop/").status_code) == (
        404, 404,
    )  # fmt: skip


def test_the_page_leads_to_the_answer_on_its_way_and_then_to_the_kept_one(
    scope: Scope, shelf: Shelf, model: ModelServer, operator_names: Name
) -> None:
    operator_names(model, idle_s=20.0, total_s=20.0)
    model.script(Gated(("E4304 means the motor ", "is too hot [1].")))
    browser = signed_in(shelf.cast.ada)

    sent = browser.post("/", {"question": ASKED}, headers={"HX-Request": "true"})
    path = sent.headers["HX-Redirect"]
    writing = browser.get(path).content.decode()
    model.let_go()
    stream = b"".join(browser.get(path.replace("/answers/", "/stream/")))

    assert sent.status_code == 204 and "data-stream=" in writing and 'class="btn quiet push"' in writing
    assert stream.rstrip().splitlines()[-2] == b"event: meta"
    assert "written by toy" in browser.get(path).content.decode()


def test_a_lost_runner_is_said_in_words_with_what_was_saved(scope: Scope, shelf: Shelf) -> None:
    with principal(scope):
        row = LiveAnswer.objects.create_for(scope, text=ASKED, state="running", partial="The motor")
    shelf.rows("UPDATE answers_liveanswer SET saved_at = now() - interval '1 hour' RETURNING id")

    told = events(scope, row.ref)
    page = signed_in(shelf.cast.ada).get(f"/answers/{row.ref}/").content.decode()

    assert [event.name for event in told] == ["token", "meta"] and told[-1].data["outcome"] == "failed"
    assert "was interrupted" in page and "Ask again" in page and "data-stream" not in page
