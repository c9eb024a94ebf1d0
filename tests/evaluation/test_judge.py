"""A model as judge: prompted from a file, asked once for equal answers, deaf to what the answer orders, and never a figure."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from django.urls import reverse

from evaluation import judge, model_call
from evaluation.compare import compare
from evaluation.configuration import Configuration
from evaluation.golden.item import GoldPassage, Item
from evaluation.models import Judgement
from evaluation.summary import lines_of
from tests.answers.conftest import Name
from tests.documents.making import signed_in
from tests.evaluation.conftest import Bench
from tests.fakes.model_server import ModelServer, Says, Status

RIGHT, PARTLY, WRONG = Says.text("right"), Says.text("Partly."), Says.text("WRONG")


def test_each_answer_is_judged_once_and_no_figure_changes(
    bench: Bench, model: ModelServer, operator_names: Name
) -> None:
    operator_names(model, price_out_usd=100.0)
    plain = bench.run()
    model.script(RIGHT, PARTLY, WRONG)

    first, again = bench.run("judge=on"), bench.run("judge=on")

    scope = bench.shelf.cast.scope(bench.shelf.cast.ada)
    assert len(model.calls) == 3
    assert first.summary["judge"]["counts"] == {"right": 1, "partly": 1, "wrong": 1, "unclear": 0}
    assert first.summary["judge"]["cost_usd"] > 0
    assert (again.summary["judge"]["cached"], again.summary["judge"]["cost_usd"]) == (3, 0)
    assert again.summary["judge"]["counts"] == first.summary["judge"]["counts"]
    without_time = [{k: v for k, v in run.summary["means"].items() if k != "latency_ms"} for run in (plain, first)]
    assert without_time[0] == without_time[1]
    assert plain.config_hash == first.config_hash
    assert "judge" not in plain.summary
    assert {d.call for d in compare(lines_of(scope, plain), lines_of(scope, first)).differences} == {"no evidence"}


def test_the_judge_reads_the_question_what_is_expected_and_the_answer_as_data(
    bench: Bench, model: ModelServer, operator_names: Name
) -> None:
    operator_names(model)
    bench.add(Item("who", "Who may open the motor housing?", key_facts=("technician",)), replace=True)
    model.script(RIGHT)

    bench.run("judge=on")

    (call,) = model.calls
    system, user = (message["content"] for message in call.body["messages"])
    mark = user.split("\n", 1)[0].removeprefix("<question ").removesuffix(">")
    assert "never instructions" in system
    assert mark in system
    assert "fact: technician" in user
    assert "technician" in user.split("<answer", 1)[1]
    assert user.count(mark) == 6


def test_the_cache_holds_no_words(bench: Bench, model: ModelServer, operator_names: Name) -> None:
    operator_names(model)
    model.script(RIGHT, RIGHT, RIGHT)
    bench.run("judge=on")

    rows = list(Judgement.objects.using("owner").values())

    assert len(rows) == 3
    said = repr(rows)
    assert all(word not in said for word in ("technician", "E4304", "Australia", "housing"))


def test_without_a_model_the_run_ends_unjudged(bench: Bench, model: ModelServer, operator_names: Name) -> None:
    operator_names(model)
    model.usually = Status(500)

    run = bench.run("judge=on")

    assert (run.state, run.done, run.summary["judge"]) == ("done", 3, {})


def test_the_operators_own_prompt_is_read_from_its_file(
    bench: Bench, model: ModelServer, operator_names: Name, settings: Any, tmp_path: Path
) -> None:
    operator_names(model)
    settings.JUDGE_PROMPT = str(tmp_path / "told.txt")
    Path(settings.JUDGE_PROMPT).write_text("Be strict. {nonce}")
    model.script(RIGHT, RIGHT, RIGHT)

    run = bench.run("judge=on")

    assert all(call.prompt.startswith("Be strict.") for call in model.calls)
    assert run.summary["judge"]["prompts"] == [model_call.Prompt("Be strict. {nonce}").version]


@pytest.mark.parametrize(
    ("said", "verdict"),
    [
        ("right", "right"),
        ("**Wrong**", "wrong"),
        ("partly\n\nBecause …", "partly"),
        ("It is right and wrong.", "unclear"),
        ("upright", "unclear"),
        ("", "unclear"),
    ],
)
def test_a_verdict_is_the_one_word_that_is_named(said: str, verdict: str) -> None:
    assert judge.read_verdict(said) == verdict


def test_what_is_expected_is_said_in_words() -> None:
    assert judge.expected(Item("a", "?", "decline")) == "(nothing should be found)"
    assert judge.expected(Item("a", "?", answers=("90 days",), key_facts=("90",))) == "one of: 90 days\nfact: 90"
    assert judge.expected(Item("a", "?", gold=(GoldPassage("d", "It is so."),))) == "It is so."
    assert judge.expected(Item("a", "?", gold=(GoldPassage("d"),))) == "(an answer from the document)"


def test_the_pages_show_the_opinion_apart_from_the_figures(
    bench: Bench, model: ModelServer, operator_names: Name
) -> None:
    operator_names(model)
    model.script(RIGHT, PARTLY, WRONG)
    run = bench.run("judge=on")
    client = signed_in(bench.shelf.cast.ada)
    question = bench.results(run)["who"].question

    page = client.get(reverse("evaluation_run", args=[run.ref])).content.decode()
    one = client.get(reverse("evaluation_result", args=[run.ref, question.ref])).content.decode()

    assert "A model&#x27;s opinion" in page or "A model's opinion" in page
    assert "as judge: <strong>right</strong>" in one


def test_a_judged_run_is_of_the_same_configuration(bench: Bench) -> None:
    assert Configuration.parse("judge=on").label == "judge on"
    assert Configuration.parse("judge=on").hash == Configuration().hash
