from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from answers.models import Answer, Question
from documents import lifecycle
from evaluation import queue
from evaluation import run as running
from evaluation.configuration import Configuration
from evaluation.golden.item import GoldPassage, Item
from evaluation.golden.store import open_set
from evaluation.models import Result, Run
from evaluation.worker import work_through
from portal.problems import UserProblem
from portal.scope import principal
from tests.evaluation.conftest import Bench


def test_a_run_asks_every_question_and_says_what_each_came_to(bench: Bench) -> None:
    run = bench.run()

    results = bench.results(run)
    assert (run.state, run.done, run.total) == ("done", 3, 3)
    assert {key: (row.outcome, row.lost_at) for key, row in results.items()} == {
        "who": ("answered", ""),
        "code": ("answered", ""),
        "off": ("declined", ""),
    }
    means = run.summary["means"]
    assert {
        name: means[name] for name in ("right", "hit_1", "evidence_match", "faithfulness", "key_fact_recall")
    } == dict.fromkeys(("right", "hit_1", "evidence_match", "faithfulness", "key_fact_recall"), 1.0)
    assert run.summary["counts"]["unsupported_answer_count"] == 0
    assert run.epochs == {str(bench.shelf.cast.shared(bench.shelf.cast.north).pk): 1}


def test_a_run_leaves_no_trace_in_its_evaluators_history(bench: Bench) -> None:
    bench.run()

    assert Question.objects.using("owner").count() == Answer.objects.using("owner").count() == 0


def test_a_result_holds_no_text_of_a_document(bench: Bench) -> None:
    results = bench.results(bench.run())

    kept = str([(row.trace, row.figures) for row in results.values()])
    assert "technician" not in kept
    assert "too hot" not in kept
    assert results["who"].trace["quotes"][0][0] in results["who"].trace["evidence"]


def test_a_run_killed_again_and_again_ends_with_each_question_once(bench: Bench, monkeypatch: Any) -> None:
    bench.add(*(Item(f"n{number}", f"Who may open motor housing number {number}?") for number in range(60)))
    run = bench.start()
    kept = queue.keep

    class Killed(BaseException):
        """Nothing of the process runs after it."""

    for _ in range(3):
        left = iter(range(15))

        def keep(*args: Any, left: Any = left) -> None:
            kept(*args)
            if next(left, None) is None:
                raise Killed

        monkeypatch.setattr(queue, "keep", keep)
        with pytest.raises(Killed):
            work_through()
        Run.objects.using("owner").filter(pk=run.pk).update(lease_until=timezone.now() - timedelta(seconds=1))
    monkeypatch.setattr(queue, "keep", kept)
    work_through()

    run = bench.again(run)
    asked = list(Result.objects.using("owner").filter(run=run).values_list("question_id", flat=True))
    assert (run.state, run.done, run.attempt) == ("done", 63, 4)
    assert len(asked) == len(set(asked)) == 63


def test_a_worker_that_lost_its_lease_writes_nothing(bench: Bench) -> None:
    run = bench.start()
    first = queue.claim()
    assert first is not None
    Run.objects.using("owner").filter(pk=run.pk).update(lease_until=timezone.now() - timedelta(seconds=1))
    second = queue.claim()
    assert second is not None

    lost, done = running.run(first), running.run(second)

    assert (lost, done, second.attempt) == ("fence_lost", "done", 2)
    assert Result.objects.using("owner").filter(run=run).count() == 3


def test_a_run_that_always_kills_its_worker_is_stopped(bench: Bench) -> None:
    run = bench.start()

    for _ in range(4):
        queue.claim()
        Run.objects.using("owner").filter(pk=run.pk).update(lease_until=timezone.now() - timedelta(seconds=1))

    assert (bench.again(run).state, bench.again(run).problem) == ("failed", "evaluation.worker_lost")


def test_a_turn_that_is_over_is_taken_up_again(bench: Bench) -> None:
    run = bench.start()
    claimed = queue.claim()
    assert claimed is not None

    over = running.run(claimed, turn_s=0)

    assert (over, bench.again(run).state) == ("turn_over", "queued")
    work_through()
    assert bench.again(run).state == "done"


def test_a_stopped_run_is_not_carried_on(bench: Bench) -> None:
    run = bench.start()

    queue.cancel(bench.shelf.cast.scope(bench.shelf.cast.ben), run)
    work_through()

    assert (bench.again(run).state, bench.again(run).done) == ("cancelled", 0)


def test_a_run_sees_what_its_evaluator_sees(bench: Bench) -> None:
    cast = bench.shelf.cast
    secret = bench.shelf.put_and_read(
        "secret.md",
        "# Secret\n\nThe launch code of the pump is 7791.\n",
        user=cast.ada,
        collection=cast.private(cast.ada),
    )
    bench.add(
        Item("secret", "What is the launch code of the pump?", gold=(GoldPassage("secret.md", "launch code"),)),
        replace=True,
    )

    default = bench.run()
    named = bench.run(collection_ids=[secret.collection_id])

    assert bench.results(default)["secret"].lost_at == "not_read"
    assert bench.results(named)["secret"].outcome == "answered"
    assert bench.results(named, cast.ben) == {}


def test_a_run_of_an_evaluator_who_left_is_over(bench: Bench) -> None:
    from portal.models import Membership

    run = bench.start(user=bench.shelf.cast.ben)
    Membership.objects.using("owner").filter(user=bench.shelf.cast.ben).update(state="suspended")

    work_through()

    assert (bench.again(run).state, bench.again(run).problem) == ("failed", "evaluation.evaluator_gone")


def test_a_deleted_document_shows_as_not_read(bench: Bench) -> None:
    cast = bench.shelf.cast
    scope = cast.scope(cast.ada)
    document = bench.shelf.document(bench.shelf.rows("SELECT ref FROM documents_document")[0][0])

    with principal(scope):
        lifecycle.delete(scope, document)
    run = bench.run()

    assert {key: row.lost_at for key, row in bench.results(run).items()} == {
        "who": "not_read",
        "code": "not_read",
        "off": "",
    }
    assert run.summary["counts"]["gold_missing"] == 2


def test_a_set_without_a_reviewed_question_starts_nothing(bench: Bench) -> None:
    cast = bench.shelf.cast
    empty = open_set(cast.scope(cast.ada), "Empty")

    with pytest.raises(UserProblem, match=r"evaluation\.no_questions"):
        queue.start(cast.scope(cast.ada), empty, Configuration())
    with pytest.raises(UserProblem, match=r"evaluation\.read_only"):
        bench.start(user=cast.dot)
    with pytest.raises(UserProblem, match=r"evaluation\.no_collection"):
        bench.start(collection_ids=[cast.private(cast.ben).pk])


@pytest.mark.parametrize(
    ("config", "figures"),
    [
        ("threshold_scale=2", {"answered": 0.0, "right": 0.0}),
        ("shuffle_citations=on", {"answered": 1.0, "faithfulness": 0.0, "unsupported": 1.0}),
    ],
)
def test_a_configuration_shows_in_the_figures(bench: Bench, config: str, figures: dict[str, float]) -> None:
    bench.shelf.put_and_read("other.md", "# Other\n\nThe valve is opened by hand before the motor starts.\n")

    results = bench.results(bench.run(config))

    assert {name: results["who"].figures[name] for name in figures} == figures
