"""Our own ASGI application on a free loopback port, on the tests' database: for clients that speak HTTP by themselves."""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Iterator

import uvicorn

from answers.live import release_connections
from documents.worker import work_through


@contextlib.contextmanager
def served() -> Iterator[str]:
    """The address that it answers at."""
    from portal.asgi import application

    server = uvicorn.Server(uvicorn.Config(application, port=0, log_level="warning", lifespan="off"))
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    while not server.started:
        time.sleep(0.02)
    port = server.servers[0].sockets[0].getsockname()[1]
    try:
        yield f"http://127.0.0.1:{port}"
    finally:
        server.should_exit = True
        thread.join(10)


@contextlib.contextmanager
def working() -> Iterator[None]:
    """A worker beside it, that reads what is uploaded."""
    ends = threading.Event()

    def work() -> None:
        try:
            while not ends.wait(0.05):
                work_through()
        finally:
            release_connections()

    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    try:
        yield
    finally:
        ends.set()
        thread.join(30)
