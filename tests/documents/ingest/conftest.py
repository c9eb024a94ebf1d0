"""A library to fill: uploads as a member, work by a worker in this process, vectors from a scripted embedder over HTTP."""

from __future__ import annotations

import io
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest
from django.db import connections

from documents import ingest, queue
from documents.breaker import Breaker
from documents.embedding_models import ensure_live
from documents.models import Document
from documents.upload import Accepted, Outcome, accept
from documents.worker import work_through
from portal.models import Collection, User
from tests.conftest import Cast
from tests.fakes.openai_server import OpenAIServer


def forget_embedder(factory: Any) -> None:
    """Close the process-wide embedder, so that the next use reads the settings again."""
    if factory.cache_info().currsize:
        factory().close()
        factory.cache_clear()


@pytest.fixture
def embedder(settings: Any) -> Iterator[OpenAIServer]:
    """The embedding process as a scripted server."""
    with OpenAIServer() as server:
        settings.EMBEDDER_URL = server.url
        settings.EMBEDDER_MODEL = "toy"
        forget_embedder(ingest.local_embedder)
        yield server
        forget_embedder(ingest.local_embedder)


@dataclass(frozen=True, slots=True)
class Shelf:
    """Uploads into the shared collection of ada's workspace unless told otherwise."""

    cast: Cast

    def put(
        self, name: str, text: str | bytes, *, user: User | None = None, collection: Collection | None = None
    ) -> Outcome:
        who = user or self.cast.ada
        data = text.encode() if isinstance(text, str) else text
        into = collection or self.cast.shared(self.cast.south if who == self.cast.cy else self.cast.north)
        return accept(self.cast.scope(who), into.pk, name=name, file=io.BytesIO(data), size_bytes=len(data))

    def put_and_read(self, name: str, text: str | bytes, **more: Any) -> Document:
        outcome = self.put(name, text, **more)
        assert isinstance(outcome, Accepted), outcome
        work_through()
        return self.document(outcome.document_ref)

    def document(self, ref: str) -> Document:
        return Document.objects.using("owner").get(ref=ref)

    def rows(self, sql: str, *params: Any) -> list[tuple[Any, ...]]:
        """What the tables hold, as the owner sees them."""
        with connections["owner"].cursor() as cursor:
            cursor.execute(sql, list(params))
            found: list[tuple[Any, ...]] = cursor.fetchall()
            return found


@pytest.fixture(autouse=True)
def own_state_of_the_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """What a worker process remembers begins anew with each test."""
    monkeypatch.setattr(ingest, "embedder_breaker", Breaker(first_pause_s=0.0))
    monkeypatch.setattr(ingest, "beside_breaker", Breaker(first_pause_s=0.0))
    queue.HELD.open()


@pytest.fixture
def shelf(cast: Cast, embedder: OpenAIServer) -> Shelf:
    ensure_live()
    embedder.requests.clear()
    return Shelf(cast)
