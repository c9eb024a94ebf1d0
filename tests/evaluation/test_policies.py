"""Who sees and writes golden sets, runs, results and feedback: the row policies by themselves."""

from __future__ import annotations

import pytest
from django.db import DatabaseError

from documents import lifecycle
from evaluation.models import Feedback, GoldenQuestion, GoldenSet, Result, Run
from portal.checks import faults
from portal.models import User
from portal.scope import principal
from tests.conftest import Cast
from tests.documents.ingest.conftest import Shelf


def make_set(cast: Cast, user: User, name: str = "Pump", collections: tuple[int, ...] = ()) -> GoldenQuestion:
    scope = cast.scope(user)
    with principal(scope):
        golden_set = GoldenSet.objects.create_for(scope, name=name, version=1)
        question: GoldenQuestion = GoldenQuestion.objects.create_for(
            scope,
            golden_set=golden_set,
            key="q1",
            text="Who may open it?",
            collection_ids=list(collections),
            since_version=1,
        )
    return question


def make_run(cast: Cast, question: GoldenQuestion, user: User, collections: tuple[int, ...] = ()) -> Run:
    scope = cast.scope(user)
    with principal(scope):
        run: Run = Run.objects.create_for(
            scope,
            user_id=user.pk,
            golden_set_id=question.golden_set_id,
            set_version=1,
            config_hash="c",
            code_version="v",
            collection_ids=list(collections),
        )
        Result.objects.create_for(
            scope, user_id=user.pk, run=run, question=question, outcome="answered", collection_ids=list(collections)
        )
    return run


def seen(cast: Cast, user: User) -> dict[str, int]:
    scope = cast.scope(user)
    with principal(scope):
        return {
            model.__name__: model.objects.unscoped(reason="the policy alone").count()
            for model in (GoldenSet, GoldenQuestion, Run, Result, Feedback)
        }


def test_the_database_still_keeps_workspaces_apart(cast: Cast) -> None:
    assert faults() == []


def test_members_see_their_workspaces_sets_and_runs_and_no_other(cast: Cast) -> None:
    make_run(cast, make_set(cast, cast.ada), cast.ada)

    here = {"GoldenSet": 1, "GoldenQuestion": 1, "Run": 1, "Result": 1, "Feedback": 0}
    assert seen(cast, cast.dot) == here
    assert seen(cast, cast.cy) == dict.fromkeys(here, 0)


def test_a_result_hides_from_whom_a_searched_collection_hides(cast: Cast) -> None:
    private = cast.private(cast.ada).pk
    make_run(cast, make_set(cast, cast.ada, collections=(private,)), cast.ada, (private,))

    assert seen(cast, cast.ada) == {"GoldenSet": 1, "GoldenQuestion": 1, "Run": 1, "Result": 1, "Feedback": 0}
    assert seen(cast, cast.ben) == {"GoldenSet": 1, "GoldenQuestion": 0, "Run": 1, "Result": 0, "Feedback": 0}


def test_a_reader_writes_neither_set_nor_run(cast: Cast) -> None:
    question = make_set(cast, cast.ada)

    with pytest.raises(DatabaseError, match="row-level security"):
        make_set(cast, cast.dot, "Mine")
    with pytest.raises(DatabaseError, match="row-level security"):
        make_run(cast, question, cast.dot)


def test_nobody_runs_in_another_members_name_or_over_what_they_do_not_see(cast: Cast) -> None:
    question = make_set(cast, cast.ada)
    scope = cast.scope(cast.ben)
    fields = {"golden_set_id": question.golden_set_id, "set_version": 1, "config_hash": "c", "code_version": "v"}

    with pytest.raises(DatabaseError, match="row-level security"), principal(scope):
        Run.objects.create_for(scope, user_id=cast.ada.pk, **fields)
    with pytest.raises(DatabaseError, match="row-level security"), principal(scope):
        Run.objects.create_for(scope, user_id=cast.ben.pk, collection_ids=[cast.private(cast.ada).pk], **fields)


def test_feedback_reaches_the_editors_and_no_reader(cast: Cast) -> None:
    scope = cast.scope(cast.dot)
    with principal(scope):
        Feedback.objects.create_for(scope, user_id=cast.dot.pk, answer_ref="a", question_text="?", kind="down")

    assert [seen(cast, user)["Feedback"] for user in (cast.dot, cast.ben, cast.ada, cast.cy)] == [1, 1, 1, 0]
    join_reader = cast.scope(cast.dot)
    with principal(join_reader):
        assert Feedback.objects.visible_to(join_reader).count() == 1


def test_deleting_a_document_blanks_what_golden_questions_and_feedback_quote_from_it(shelf: Shelf) -> None:
    document = shelf.put_and_read("care.md", "# Care\n\nThe filter is cleaned monthly.\n")
    question = make_set(shelf.cast, shelf.cast.ada, collections=(document.collection_id,))
    gold = [{"document": "care.md", "quote": "cleaned monthly"}, {"document": "other.md", "quote": "stays"}]
    GoldenQuestion.objects.using("owner").filter(pk=question.pk).update(gold=gold)
    scope = shelf.cast.scope(shelf.cast.ada)
    with principal(scope):
        fields = {"answer_ref": "a", "question_text": "?", "kind": "down", "passages": gold}
        Feedback.objects.create_for(scope, user_id=scope.user_id, collection_ids=[document.collection_id], **fields)

    with principal(scope):
        lifecycle.delete(scope, document)

    blank = [{"document": "care.md", "quote": ""}, {"document": "other.md", "quote": "stays"}]
    assert GoldenQuestion.objects.using("owner").get(pk=question.pk).gold == blank
    assert Feedback.objects.using("owner").get().passages == blank
