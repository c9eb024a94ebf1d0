"""Programs with keys, and documents that were really read: the worker runs in the test, vectors come from a toy provider."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import pytest
from django.test import Client

from answers import ask
from documents import ingest
from documents.models import EmbeddingModel
from portal.keys import make_key
from portal.models import Collection, User
from retrieval import api as retrieval_api
from tests.conftest import Cast
from tests.documents.ingest.conftest import forget_embedder
from tests.documents.making import upload_of
from tests.fakes.openai_server import DIMS, OpenAIServer

ALL = ("read", "ask", "ingest")


@dataclass(frozen=True, slots=True)
class Program:
    """A client that presents a key."""

    key: str

    def call(self, method: str, path: str, body: Any = None, /, **form: Any) -> Any:
        headers = {"Authorization": f"Bearer {self.key}"} if self.key else {}
        data, kind = (form, None) if form else (json.dumps(body) if body is not None else "", "application/json")
        client = Client()
        if form:
            return client.post(f"/api/v1{path}", data, headers=headers)
        return client.generic(method, f"/api/v1{path}", data, content_type=str(kind), headers=headers)

    def get(self, path: str) -> Any:
        return self.call("GET", path)

    def post(self, path: str, body: Any = None, /, **form: Any) -> Any:
        return self.call("POST", path, body, **form)

    def delete(self, path: str) -> Any:
        return self.call("DELETE", path)

    def upload(self, name: str, body: bytes, **fields: Any) -> Any:
        return self.post("/documents/", file=upload_of(name, body), **fields)


ProgramFor = Callable[..., Program]


@pytest.fixture
def program(cast: Cast) -> ProgramFor:
    """`program(cast.ada, "read")`: a program with a key of that person and those scopes (all but admin without any)."""

    def of(user: User, *scopes: str, collections: Sequence[Collection] | None = None) -> Program:
        ids = None if collections is None else [collection.pk for collection in collections]
        _, key = make_key(cast.scope(user), "test", scopes=scopes or ALL, collection_ids=ids)
        return Program(key)

    return of


@pytest.fixture
def toy_model(database: None, settings: Any) -> Iterator[OpenAIServer]:
    """A live embedding model that a scripted provider serves."""
    with OpenAIServer() as server:
        settings.EMBEDDER_URL, settings.EMBEDDER_MODEL = server.url, "toy"
        EmbeddingModel.objects.using("owner").create(name="toy", dims=DIMS, state="live")
        caches = (ingest.local_embedder, ask.question_embedder, retrieval_api.embedder)
        for cache in caches:
            forget_embedder(cache)
        yield server
        for cache in caches:
            forget_embedder(cache)
