"""Before a switch of the embedding model: the live one and the one filled beside it, on a golden set and on offered questions."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from answers import ask as walk
from documents import model_switch
from documents.worker import work_through as read
from evaluation import feedback, shadow
from evaluation.configuration import Configuration
from evaluation.models import Run
from evaluation.worker import work_through
from portal.problems import UserProblem
from tests.answers.conftest import answer_of
from tests.documents.ingest.conftest import forget_embedder
from tests.evaluation.conftest import Bench
from tests.fakes.openai_server import OpenAIServer


@pytest.fixture
def wide(settings: Any, embedder: OpenAIServer) -> Iterator[OpenAIServer]:
    with OpenAIServer(dims=48) as server:
        settings.EMBEDDER_NEXT_URL, settings.EMBEDDER_NEXT_MODEL, settings.EMBEDDER_NEXT_KEY = server.url, "wide", ""
        forget_embedder(walk.question_embedder)
        yield server
        forget_embedder(walk.question_embedder)


@pytest.fixture
def beside(bench: Bench, wide: OpenAIServer) -> Bench:
    """The model `wide`, filled beside the live `toy`."""
    model_switch.start("wide")
    read()
    wide.requests.clear()
    return bench


def test_a_run_asks_the_model_that_it_names(beside: Bench, wide: OpenAIServer) -> None:
    live, tried = beside.run(), beside.run("embedding_model=wide")

    assert (live.embedding_model, tried.embedding_model) == ("toy", "wide")
    assert (live.state, tried.state, tried.done) == (Run.State.DONE, Run.State.DONE, 3)
    assert {request.headers["x-priority"] for request in wide.requests} == {"questions"}
    assert live.config_hash != tried.config_hash
    assert {request.body["model"] for request in wide.requests} == {"wide"}
    stages = [stage for result in beside.results(tried).values() for stage in result.trace["stages"]]
    found = [stage for stage in stages if stage["name"] == "search.meaning" and stage["candidates"]]
    assert len(found) == 3


def test_shadow_compares_both_on_a_set_and_on_what_was_offered(beside: Bench, ask: Callable[..., Any]) -> None:
    cast = beside.shelf.cast
    offered = answer_of(beside.shelf, ask("Who may open the housing?", cast.dot), cast.dot)
    kept_to_herself = answer_of(beside.shelf, ask("What does E4304 mean?", cast.dot), cast.dot)
    feedback.give(cast.scope(cast.dot), offered, feedback.Said("offer"))
    feedback.give(cast.scope(cast.dot), kept_to_herself, feedback.Said("up"))

    with contextlib.suppress(
        SystemExit
    ):  # the exit code says whether the candidate is called worse, which is not asked here
        call_command("shadow", "--as", "ada@example.org", "--set", "Pump", "--config", "embedding_model=wide")

    runs = Run.objects.using("owner").order_by("pk")
    assert [(run.golden_set.name, run.name, run.embedding_model, run.done) for run in runs] == [
        ("Pump", "shadow: live", "toy", 3),
        ("Pump", "shadow: embedding model wide", "wide", 3),
        (shadow.OFFERED, "shadow: live", "toy", 1),
        (shadow.OFFERED, "shadow: embedding model wide", "wide", 1),
    ]


@pytest.mark.parametrize("name", ["nowhere", "toy-of-yesterday"])
def test_a_model_that_is_not_filled_here_cannot_be_run(bench: Bench, name: str) -> None:
    with pytest.raises(UserProblem, match=r"evaluation\.configuration"):
        bench.start(f"embedding_model={name}")
    with pytest.raises(CommandError, match=f"No embedding model {name} is being filled"):
        call_command("shadow", "--as", "ada@example.org", "--set", "Pump", "--config", f"embedding_model={name}")


def test_a_run_goes_on_with_its_model_after_the_switch(beside: Bench) -> None:
    run = beside.start("embedding_model=wide")
    model_switch.switch("wide")
    again = beside.start("embedding_model=toy")

    work_through()

    assert [(beside.again(one).state, one.embedding_model) for one in (run, again)] == [
        ("done", "wide"),
        ("done", "toy"),
    ]


def test_thresholds_and_hash_are_those_of_the_named_model(beside: Bench) -> None:
    named = Configuration.parse("embedding_model=all-MiniLM-L6-v2")

    assert named.settings(()).thresholds.model == "all-MiniLM-L6-v2"
    assert Configuration().settings(()).thresholds.model == ""
    assert named.label == "embedding model all-MiniLM-L6-v2"
    assert named.hash != Configuration().hash
