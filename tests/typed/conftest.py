"""Our own ASGI application on a loopback port, a guide to ask about, and the clients that programs really use."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator

import httpx
import openai
import pytest
import uvicorn

from portal.keys import make_key
from portal.models import Collection, User
from retrieval import api as retrieval_api
from tests.answers.conftest import Ask, ask, model, operator_names  # noqa: F401  (fixtures)
from tests.documents.api.conftest import program  # noqa: F401  (fixture)
from tests.documents.ingest.conftest import Shelf, embedder, forget_embedder, shelf  # noqa: F401  (fixtures)
from tests.fakes.openai_server import OpenAIServer

ASKED = "What does E4304 mean for the motor?"


@pytest.fixture
def site(ask: Ask, embedder: OpenAIServer) -> Iterator[str]:  # noqa: F811
    """The address of the running portal, pages in threads and streams on the loop as in production."""
    from portal.asgi import application

    forget_embedder(retrieval_api.embedder)
    server = uvicorn.Server(uvicorn.Config(application, port=0, log_level="warning", lifespan="off"))
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    while not server.started:
        time.sleep(0.01)
    yield f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}"
    server.should_exit = True
    thread.join(10)
    forget_embedder(retrieval_api.embedder)


KeyFor = Callable[..., str]


@pytest.fixture
def key_for(shelf: Shelf) -> KeyFor:  # noqa: F811
    """`key_for(user, "ask")`: a key of that person and those scopes; read and ask without any."""

    def make(user: User | None = None, *scopes: str, collections: list[Collection] | None = None) -> str:
        who = user or shelf.cast.ada
        ids = None if collections is None else [one.pk for one in collections]
        return make_key(shelf.cast.scope(who), "test", scopes=scopes or ("read", "ask"), collection_ids=ids)[1]

    return make


@pytest.fixture
def client(site: str, key_for: KeyFor) -> Iterator[openai.OpenAI]:
    """The official client with ada's key. It tries nothing twice."""
    with openai.OpenAI(base_url=f"{site}/v1", api_key=key_for(), max_retries=0, timeout=20) as made:
        yield made


@pytest.fixture
def http(site: str, key_for: KeyFor) -> Iterator[httpx.Client]:
    headers = {"Authorization": f"Bearer {key_for()}"}
    with httpx.Client(base_url=site, headers=headers, timeout=20) as made:
        yield made
