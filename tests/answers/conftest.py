"""The shelf of the ingest tests, with one guide on it, and a way to ask as a member."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from django.utils import timezone

from answers import ask as walk
from answers.models import Answer
from portal.model_env import ModelEndpoint
from portal.models import User
from portal.scope import principal
from tests.documents.ingest.conftest import Shelf, embedder, forget_embedder, shelf  # noqa: F401  (fixtures)
from tests.fakes.model_server import ModelServer
from tests.fakes.openai_server import OpenAIServer

GUIDE = """# Pump guide

## Care

The inlet filter is cleaned monthly. Only a trained technician may open the motor housing.

## Errors

E4304 means the motor is too hot. Switch the pump off and let it cool for 30 minutes.
"""
Ask = Callable[..., list[walk.Event]]
Name = Callable[..., list[ModelEndpoint]]


@pytest.fixture
def ask(shelf: Shelf, embedder: OpenAIServer) -> Iterator[Ask]:  # noqa: F811
    """Every event of one question, asked by ada unless told otherwise."""
    forget_embedder(walk.question_embedder)
    shelf.put_and_read("pump.md", GUIDE)

    def run(text: str, user: User | None = None, **options: Any) -> list[walk.Event]:
        scope = shelf.cast.scope(user or shelf.cast.ada)
        return list(walk.ask(scope, text, settings=walk.AskSettings(**options), now=timezone.now()))

    yield run
    forget_embedder(walk.question_embedder)


def answer_of(shelf: Shelf, events: list[walk.Event], user: User | None = None) -> Answer:  # noqa: F811
    """The kept answer that the last event names."""
    meta = events[-1]
    assert isinstance(meta, walk.Meta), meta
    scope = shelf.cast.scope(user or shelf.cast.ada)
    with principal(scope):
        return Answer.objects.visible_to(scope).select_related("question").get(ref=meta.answer_ref)


@pytest.fixture
def model() -> Iterator[ModelServer]:
    with ModelServer() as running:
        yield running


@pytest.fixture
def second() -> Iterator[ModelServer]:
    with ModelServer() as running:
        yield running


@pytest.fixture
def operator_names(settings: Any) -> Name:
    """Make these servers the operator's providers, first asked first; `more` are fields of each."""

    def name(*servers: ModelServer, **more: Any) -> list[ModelEndpoint]:
        times = {"connect_s": 1.0, "first_s": 1.5, "idle_s": 0.8, "total_s": 6.0, **more}
        found = [
            ModelEndpoint(f"model {place}", server.url, "toy", "sk-own", **times)
            for place, server in enumerate(servers, 1)
        ]
        settings.MODEL_ENDPOINTS = tuple(found)
        return found

    return name
