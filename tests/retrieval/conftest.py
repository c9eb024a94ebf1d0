"""A shelf to search, and a way to search it as a member."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import pytest

from portal.models import User
from retrieval import embedding
from retrieval.query import Query
from retrieval.ranking.evidence import SearchResult
from retrieval.search import search
from tests.documents.ingest.conftest import Shelf, embedder, forget_embedder, shelf  # noqa: F401  (fixtures)
from tests.fakes.openai_server import OpenAIServer

Find = Callable[..., SearchResult]


@pytest.fixture
def find(shelf: Shelf, embedder: OpenAIServer) -> Iterator[Find]:  # noqa: F811
    """`find(text, user=…, meaning=False, **fields of Query)`, by ada unless told otherwise."""
    forget_embedder(embedding.question_embedder)

    def run(text: str, user: User | None = None, *, meaning: bool = False, **fields: Any) -> SearchResult:
        vector, _, model = embedding.question_vector(text) if meaning else (None, "", "")
        return search(shelf.cast.scope(user or shelf.cast.ada), replace(Query(text, vector, model), **fields))

    yield run
    forget_embedder(embedding.question_embedder)
