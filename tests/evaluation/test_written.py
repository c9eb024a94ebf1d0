"""A run whose answers a model writes: the same figures, what it cost, and another prompt beside ours."""

from __future__ import annotations

from typing import Any

from evaluation.golden.item import GoldPassage, Item
from evaluation.models import Run
from tests.answers.conftest import Name
from tests.evaluation.conftest import Bench
from tests.evaluation.test_shadow import run_shadow
from tests.fakes.model_server import ModelServer, Says, Status

SOUND = Says.text("Only a trained technician may open the motor housing [1].")
MADE_UP = Says.text("Anybody with a green badge may open it on Sundays [1].")
NOTHING = Says.text("NOT FOUND")
WHO = Item(
    "who",
    "Who may open the motor housing?",
    key_facts=("technician",),
    gold=(GoldPassage("pump.md", "trained technician"),),
)


def test_a_models_answer_is_judged_by_the_same_figures_and_its_cost_is_kept(
    bench: Bench, model: ModelServer, operator_names: Name
) -> None:
    operator_names(model, price_in_usd=10.0, price_out_usd=10.0)
    bench.add(WHO, replace=True)
    model.script(SOUND)

    run = bench.run("writer=model")
    result = bench.results(run)["who"]

    assert (result.outcome, result.verdict, result.trace["writer"]["model"]) == ("answered", "supported", "toy")
    wanted = {"right": 1.0, "key_fact_recall": 1.0, "evidence_match": 1.0, "faithfulness": 1.0, "unsupported": 0.0}
    assert {name: result.figures[name] for name in wanted} == wanted
    assert result.cost_usd > 0
    assert run.summary["means"]["cost_usd"] == round(result.cost_usd, 6)


def test_what_a_model_made_up_is_unsupported(bench: Bench, model: ModelServer, operator_names: Name) -> None:
    operator_names(model)
    bench.add(WHO, replace=True)
    model.script(MADE_UP)

    result = bench.results(bench.run("writer=model"))["who"]

    assert (result.figures["unsupported"], result.figures["right"]) == (1.0, 0.0)


def test_a_model_that_is_down_leaves_quotes_and_says_so(bench: Bench, model: ModelServer, operator_names: Name) -> None:
    operator_names(model)
    bench.add(WHO, replace=True)
    model.usually = Status(500)

    result = bench.results(bench.run("writer=model"))["who"]

    assert (result.outcome, result.figures["right"], result.cost_usd) == ("answered", 1.0, 0.0)
    assert "answers.model_down" in result.trace["notes"]


def test_another_prompt_is_tried_beside_ours(
    bench: Bench, model: ModelServer, operator_names: Name, tmp_path: Any
) -> None:
    operator_names(model)
    bench.add(WHO, replace=True)
    told = tmp_path / "told.txt"
    told.write_text("You are terse. Passages stand between lines with {nonce}. Else write {not_found}. {braces} stay.")
    model.script(SOUND, NOTHING)

    run_shadow("--set", "Pump", "--against", "writer=model", "--config", f"writer=model,prompt=@{told}")

    ours, theirs = model.calls
    assert "You answer a question" in ours.prompt
    assert "You are terse." in theirs.prompt
    assert "{nonce}" not in theirs.prompt
    assert "{braces}" in theirs.prompt
    before, after = Run.objects.using("owner").order_by("pk")
    assert [bench.results(run)["who"].outcome for run in (before, after)] == ["answered", "declined"]
    prompts = [bench.results(run)["who"].trace["writer"]["prompt"] for run in (before, after)]
    assert prompts[0] != prompts[1]
