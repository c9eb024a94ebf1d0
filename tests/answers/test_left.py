"""What is left of answers that were never kept: cleared by their asker, swept after an hour, blank once a document is gone."""

from __future__ import annotations

import pytest
from django.db import connections
from django.utils import timezone

from answers import ask as walk
from answers import left, live
from answers.models import Answer, Citation, LiveAnswer, Question, WrittenText
from documents import lifecycle
from documents.models import Document
from portal import forgetting
from portal.scope import Scope, principal
from tests.answers.conftest import Ask, Name
from tests.answers.test_live import ASKED, events, until
from tests.documents.ingest.conftest import Shelf
from tests.documents.making import signed_in
from tests.fakes.model_server import Gated, ModelServer

OWNER = "owner"


@pytest.fixture
def scope(ask: Ask, shelf: Shelf) -> Scope:
    return shelf.cast.scope(shelf.cast.ada)


@pytest.fixture
def writing(scope: Scope, model: ModelServer, operator_names: Name) -> live.Live:
    """An answer of which the model has written the first half."""
    operator_names(model, idle_s=20.0, total_s=20.0)
    model.script(Gated(("E4304 means the motor ", "is too hot [1].")))
    running = live.begin(scope, ASKED, collection_ids=None)
    running.watch(lambda: None)
    assert until(lambda: "motor" in running.text)
    return running


def failed(scope: Scope, *, partial: str = "The motor") -> LiveAnswer:
    with principal(scope):
        row: LiveAnswer = LiveAnswer.objects.create_for(
            scope, text=ASKED, state="failed", partial=partial, collection_ids=list(scope.collection_ids)
        )
    return row


def delete(scope: Scope) -> None:
    with principal(scope):
        lifecycle.delete(scope, Document.objects.visible_to(scope).get())


def test_a_question_cleared_while_it_is_answered_does_not_come_back(
    scope: Scope, shelf: Shelf, model: ModelServer, writing: live.Live
) -> None:
    cleared = signed_in(shelf.cast.ada).post("/history/clear/")
    model.let_go()
    assert until(lambda: writing.is_over)

    assert cleared.status_code == 302
    assert (Question.objects.using(OWNER).count(), Answer.objects.using(OWNER).count()) == (0, 0)
    assert LiveAnswer.objects.using(OWNER).count() == 0
    assert events(scope, writing.ref)[-1].data["outcome"] == "gone"


def test_clearing_the_history_takes_failed_answers_along_and_nobody_elses(scope: Scope, shelf: Shelf) -> None:
    mine, bens = failed(scope), failed(shelf.cast.scope(shelf.cast.ben))

    signed_in(shelf.cast.ada).post("/history/clear/")

    assert list(LiveAnswer.objects.using(OWNER).values_list("ref", flat=True)) == [bens.ref]
    assert mine.ref != bens.ref


def test_a_worker_sweeps_answers_that_never_came_after_an_hour(scope: Scope, shelf: Shelf) -> None:
    old, fresh = failed(scope), failed(scope)
    LiveAnswer.objects.using(OWNER).filter(pk=old.pk).update(saved_at="2026-01-01T00:00Z")

    assert forgetting.sweep() == 1
    assert list(LiveAnswer.objects.using(OWNER).values_list("ref", flat=True)) == [fresh.ref]
    assert left.sweep() == 0


def test_deleting_a_document_blanks_what_was_saved_of_answers_that_searched_its_collection(
    scope: Scope, shelf: Shelf
) -> None:
    row = failed(scope)
    elsewhere = failed(shelf.cast.scope(shelf.cast.cy))

    delete(scope)

    kept = dict(LiveAnswer.objects.using(OWNER).values_list("ref", "partial"))
    assert kept == {row.ref: "", elsewhere.ref: "The motor"}


def test_a_document_deleted_while_a_model_writes_from_it_leaves_no_word_of_it(
    scope: Scope, shelf: Shelf, model: ModelServer, writing: live.Live
) -> None:
    delete(scope)
    model.let_go()
    assert until(lambda: writing.is_over)

    written = WrittenText.objects.using(OWNER).get()
    assert (written.text, written.sentences, written.redacted) == ("", [], True)
    assert "too hot" not in signed_in(shelf.cast.ada).get(f"/answers/{writing.ref}/").content.decode()


def test_what_is_saved_after_the_deletion_of_a_source_holds_no_word_of_it(
    scope: Scope, shelf: Shelf, writing: live.Live
) -> None:
    assert until(lambda: LiveAnswer.objects.using(OWNER).get().partial != "")
    assert LiveAnswer.objects.using(OWNER).get().document_ids == [Document.objects.using(OWNER).get().pk]

    delete(scope)
    live._save(writing)
    after_a_save = LiveAnswer.objects.using(OWNER).get().partial
    live._fail(writing, "answers.model_down")

    row = LiveAnswer.objects.using(OWNER).get()
    assert (after_a_save, row.partial, row.state) == ("", "", "failed")
    assert "motor" in writing.text


def test_what_is_saved_of_a_source_that_stands_is_saved(scope: Scope, writing: live.Live) -> None:
    live._fail(writing, "answers.model_down")

    assert LiveAnswer.objects.using(OWNER).get().partial == writing.text


def test_a_citation_kept_after_its_document_was_deleted_is_kept_blank(ask: Ask, scope: Scope, shelf: Shelf) -> None:
    events = walk.ask(scope, ASKED, settings=walk.AskSettings(), now=timezone.now())
    for event in events:
        if isinstance(event, walk.Stage) and event.name == "persist":
            delete(scope)

    kept = list(Citation.objects.using(OWNER).values_list("passage", "prefix", "title", "source_url", "redacted"))
    page = signed_in(shelf.cast.ada).get(f"/answers/{Answer.objects.using(OWNER).get().ref}/").content.decode()
    assert kept
    assert set(kept) == {("", "", "", "", True)}
    assert "too hot" not in page


def test_a_document_of_another_workspace_is_not_told_to_stand(scope: Scope, shelf: Shelf) -> None:
    document = Document.objects.using(OWNER).get().pk
    found = {}
    for name, who in (("ada", scope), ("cy", shelf.cast.scope(shelf.cast.cy))):
        with principal(who), connections["default"].cursor() as cursor:
            cursor.execute("SELECT footnote.are_standing(%s)", [[document]])
            found[name] = cursor.fetchone()[0]

    assert found == {"ada": True, "cy": False}
