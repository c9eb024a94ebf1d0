"""A database that is gone costs one request some seconds; those after it get their page at once, and so do all when it is back."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from django.db import OperationalError, connections

from portal.pg.base import DatabaseWrapper, outage_of
from portal.pg.outage import Outage, answers


class Server:
    """Whether it is there, and how often it was looked for."""

    def __init__(self) -> None:
        self.is_there, self.looks, self.now = True, 0, 0.0

    def look(self) -> bool:
        self.looks += 1
        return self.is_there

    def clock(self) -> float:
        return self.now


def test_a_server_that_is_gone_is_looked_for_once_a_second_by_one_caller() -> None:
    server = Server()
    outage = Outage(server.look, server.clock)
    server.is_there = False
    outage.failed()

    refused = [outage.may_try() for _ in range(100)]
    server.now += 1.1
    still = [outage.may_try() for _ in range(100)]
    server.is_there, server.now = True, server.now + 1.1
    back = [outage.may_try() for _ in range(3)]

    assert (any(refused), any(still), all(back)) == (False, False, True)
    assert server.looks == 3


def test_a_busy_pool_is_no_outage() -> None:
    server = Server()
    outage = Outage(server.look, server.clock)

    outage.failed()

    assert outage.may_try()


@contextmanager
def listening(reply: bytes | None) -> Iterator[int]:
    """A server that says `reply` to whoever connects; None: it takes the connection and says nothing, as a stopped one does."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        held: list[socket.socket] = []

        def serve() -> None:
            try:
                line, _ = server.accept()
            except OSError:
                return
            held.append(line)
            if reply is not None:
                line.recv(8)
                line.sendall(reply)

        threading.Thread(target=serve, daemon=True).start()
        yield server.getsockname()[1]
        for line in held:
            line.close()


def test_an_answer_is_told_from_silence_and_from_nobody() -> None:
    with listening(b"N") as port:
        assert answers("127.0.0.1", port)
    with listening(None) as silent:
        started = time.monotonic()
        assert not answers("127.0.0.1", silent, within_s=0.1)
        assert time.monotonic() - started < 0.5
    assert not answers("127.0.0.1", port)


def test_the_real_server_answers_to_it(database: None) -> None:
    where = connections["default"].settings_dict

    assert answers(where["HOST"], int(where["PORT"]))


def test_a_pooled_alias_refuses_at_once_while_the_server_is_gone(database: None) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    known = connections["default"].settings_dict
    options = {**known["OPTIONS"], "pool": {"min_size": 0, "max_size": 2, "timeout": 0.3}}
    alias = DatabaseWrapper({**known, "HOST": "127.0.0.1", "PORT": port, "OPTIONS": options}, alias="gone")
    took = []

    for _ in range(5):
        started = time.monotonic()
        with pytest.raises(OperationalError):
            alias.ensure_connection()
        took.append(time.monotonic() - started)

    alias.close_pool()
    outage_of.cache_clear()
    assert took[0] >= 0.3
    assert max(took[1:]) < 0.2
