"""The stream over a real ASGI server: each token reaches the browser before the model sends the next, through proxies too."""

from __future__ import annotations

import http.client
import threading
import time
from collections.abc import Iterator

import pytest
import uvicorn

from answers import live
from portal.scope import Scope
from tests.answers.conftest import Ask, Name
from tests.documents.ingest.conftest import Shelf
from tests.documents.making import signed_in
from tests.fakes.model_server import Gated, ModelServer


@pytest.fixture
def port(ask: Ask) -> Iterator[int]:
    """Our own ASGI application on a free loopback port, on the tests' database."""
    from portal.asgi import application

    server = uvicorn.Server(uvicorn.Config(application, port=0, log_level="warning", lifespan="off"))
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    while not server.started:
        time.sleep(0.02)
    yield int(server.servers[0].sockets[0].getsockname()[1])
    server.should_exit = True
    thread.join(10)


def test_the_second_token_is_sent_only_after_the_first_reached_the_browser(
    port: int, shelf: Shelf, model: ModelServer, operator_names: Name
) -> None:
    operator_names(model, idle_s=20.0, total_s=20.0)
    model.script(Gated(("E4304 means the motor ", "is too hot [1].")))
    scope: Scope = shelf.cast.scope(shelf.cast.ada)
    cookie = signed_in(shelf.cast.ada).cookies["sessionid"].value
    ref = live.begin(scope, "What does E4304 mean for the motor?", collection_ids=None).ref

    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
    connection.request("GET", f"/stream/{ref}/", headers={"Cookie": f"sessionid={cookie}"})
    response = connection.getresponse()
    lines = iter(response.fp.readline, b"")
    first = next(line for line in lines if b"E4304 means" in line)
    sent_before = model.calls[0].sent
    model.let_go()
    rest = [line for line in lines if line.startswith(b"event: ")]
    connection.close()

    assert response.status == 200 and response.headers["Content-Type"] == "text/event-stream"
    assert (response.headers["X-Accel-Buffering"], "no-transform" in response.headers["Cache-Control"]) == ("no", True)
    assert b"too hot" not in first and sent_before == 1
    assert rest[-1] == b"event: meta\n" and rest.count(b"event: meta\n") == 1


def test_a_stream_of_nobody_is_refused(port: int) -> None:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
    connection.request("GET", "/stream/nothing/")

    assert connection.getresponse().status == 302
    connection.close()
