"""A question whose passages a reranker reads: the trace has its list, and the debugger says what it cut."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from answers import missing
from answers.missing import Mark
from answers.models import Trace
from answers.trace import read
from retrieval.rerank import configured
from tests.answers.conftest import Ask, answer_of
from tests.answers.test_missing import QUESTION, crowd  # noqa: F401  (fixture)
from tests.documents.ingest.conftest import Shelf
from tests.retrieval.test_rerank import RerankServer


@pytest.fixture
def reranker(settings: Any) -> Iterator[RerankServer]:
    """One that likes passages the more, the more often they say motor."""
    server = RerankServer()
    settings.RERANKER, settings.RERANKER_URL, settings.RERANKER_KEY, settings.RERANKER_MODEL = (
        "http",
        server.url,
        "",
        "toy",
    )
    configured.cache_clear()
    yield server
    server.close()
    configured.cache_clear()


def test_what_the_reranker_placed_below_the_kept_is_named_as_cut_by_it(
    ask: Ask,
    crowd: Shelf,  # noqa: F811
    reranker: RerankServer,
) -> None:
    crowd.put_and_read("loud.md", "# Loud\n\nMotor, motor, motor: E4304 is a motor fault of the motor.\n")
    answer = answer_of(crowd, ask(QUESTION))
    traced = read(Trace.objects.using("owner").get(answer=answer).stages)
    scope = crowd.cast.scope(crowd.cast.ada)

    fates = [missing.look(scope, answer, Mark(words=f"motor fault {number}"))[0] for number in range(10)]

    reranked = traced.listed("reranked")
    assert reranked is not None and len(reranker.requests) == 1
    assert traced.kept[0].chunk_id == reranked.candidates[0][0]
    assert "rerank" in {fate.code for fate in fates} and "fusion" not in {fate.code for fate in fates}
    cut = next(fate for fate in fates if fate.code == "rerank")
    assert any(place.startswith("by the reranker: place") for place in cut.places)


def test_a_reranker_that_fails_leaves_the_fused_order_and_a_note(
    ask: Ask,
    crowd: Shelf,  # noqa: F811
    reranker: RerankServer,
) -> None:
    reranker.answer = lambda sent: (500, b"")

    answer = answer_of(crowd, ask(QUESTION))

    assert answer.outcome == "answered"
    assert answer.notes and answer.notes[0].startswith("retrieval.reranker")


def test_without_one_nothing_is_read_twice(ask: Ask, crowd: Shelf, settings: Any) -> None:  # noqa: F811
    configured.cache_clear()
    answer = answer_of(crowd, ask(QUESTION))

    traced = read(Trace.objects.using("owner").get(answer=answer).stages)

    assert traced.listed("reranked") is None
