"""A shelf with the pump guide, a golden set about it, and runs carried out by a worker in this process."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest

from evaluation import queue
from evaluation.configuration import Configuration
from evaluation.golden.item import GoldPassage, Item
from evaluation.golden.store import open_set, save
from evaluation.models import GoldenSet, Result, Run
from evaluation.worker import work_through
from portal.models import User
from portal.scope import principal
from tests.answers.conftest import ask, model, operator_names  # noqa: F401
from tests.documents.ingest.conftest import Shelf, embedder, shelf  # noqa: F401

ITEMS = (
    Item(
        "who",
        "Who may open the motor housing?",
        key_facts=("technician",),
        gold=(GoldPassage("pump.md", "trained technician"),),
    ),
    Item(
        "code", "What does E4304 mean?", key_facts=("too hot",), gold=(GoldPassage("pump.md", "the motor is too hot"),)
    ),
    Item("off", "What is the capital of Australia?", "decline"),
)


@dataclass(frozen=True, slots=True)
class Bench:
    """ada's workspace with a set of three questions; runs are ada's unless told otherwise."""

    shelf: Shelf
    golden_set: GoldenSet

    def start(self, config: str = "", user: User | None = None, **more: Any) -> Run:
        scope = self.shelf.cast.scope(user or self.shelf.cast.ada)
        return queue.start(scope, self.golden_set, Configuration.parse(config), **more)

    def run(self, config: str = "", **more: Any) -> Run:
        run = self.start(config, **more)
        work_through()
        return self.again(run)

    def again(self, run: Run) -> Run:
        return Run.objects.using("owner").get(pk=run.pk)

    def results(self, run: Run, user: User | None = None) -> dict[str, Result]:
        scope = self.shelf.cast.scope(user or self.shelf.cast.ada)
        with principal(scope):
            rows = Result.objects.visible_to(scope).filter(run=run).select_related("question").order_by("pk")
            return {row.question.key: row for row in rows}

    def add(self, *items: Item, replace: bool = False) -> None:
        save(self.shelf.cast.scope(self.shelf.cast.ada), self.golden_set, items, origin="hand", replace=replace)


@pytest.fixture
def bench(shelf: Shelf, ask: Callable[..., Any]) -> Bench:  # noqa: F811
    golden_set = open_set(shelf.cast.scope(shelf.cast.ada), "Pump")
    made = Bench(shelf, golden_set)
    made.add(*ITEMS)
    return made
