"""Who is let in at /mcp, with what: looked at before the protocol's library sees anything."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import pytest
from django.test import Client

from portal.split import MAX_STREAM_BODY, Bounded
from tests.conftest import Cast
from tests.documents.api.conftest import ProgramFor, program
from tests.documents.making import signed_in

__all__ = ["program"]
LIST = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}


def post(key: str, body: Any = LIST, /, path: str = "/mcp", client: Client | None = None, **headers: str) -> Any:
    known = {"Accept": "application/json, text/event-stream", **headers}
    if key:
        known["Authorization"] = f"Bearer {key}"
    sent = body if isinstance(body, (str, bytes)) else json.dumps(body)
    return (client or Client()).post(path, sent, content_type="application/json", headers=known)


def test_only_a_key_that_is_good_gets_in(cast: Cast, program: ProgramFor) -> None:
    key = program(cast.ada).key
    wrong = {
        "none": post(""),
        "garbage": post("garbage"),
        "another's secret": post(key.rsplit("_", 1)[0] + "_" + program(cast.ben).key.rsplit("_", 1)[1]),
        "in the query": post("", path=f"/mcp?key={key}&access_token={key}"),
        "a session": post("", client=signed_in(cast.ada)),
        "twice": post(f"{key} {key}"),
        "GET": Client().get("/mcp"),
    }

    for name, answer in wrong.items():
        assert (answer.status_code, answer.json()["code"]) == (401, "portal.no_key"), name
        assert answer.headers["WWW-Authenticate"] == "Bearer"
    assert post(key).status_code == post(key, path="/mcp/").status_code == 200


def test_a_session_beside_a_key_adds_nothing(cast: Cast, program: ProgramFor) -> None:
    """cy's key in ada's browser sees what cy sees."""
    call = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "list_collections", "arguments": {}}}

    told = post(program(cast.cy).key, call, client=signed_in(cast.ada)).json()["result"]["structuredContent"]

    seen = {row["collection"] for row in told["collections"]}
    assert seen == {cast.shared(cast.south).ref, cast.private(cast.cy).ref}


def test_a_page_of_another_site_is_refused_whatever_it_holds(cast: Cast, program: ProgramFor, settings: Any) -> None:
    key = program(cast.ada).key
    settings.CSRF_TRUSTED_ORIGINS = ["https://agents.example.org"]

    origins = ("https://evil.example.org", "null", "http://testserver.evil.example.org", "file://testserver", "")
    refused = [post(key, Origin=origin) for origin in origins]
    let_in = [post(key, Origin=origin) for origin in ("http://testserver", "https://agents.example.org")]
    rebound = post(key, Host="evil.example.org")

    assert [(answer.status_code, answer.json()["code"]) for answer in refused] == [(403, "portal.foreign_origin")] * 5
    assert [answer.status_code for answer in let_in] == [200, 200]
    assert rebound.status_code == 400


@pytest.mark.parametrize("method", ["GET", "DELETE", "PUT", "PATCH", "OPTIONS", "HEAD"])
def test_there_is_no_session_to_follow_or_to_end(cast: Cast, program: ProgramFor, method: str) -> None:
    headers = {"Authorization": f"Bearer {program(cast.ada).key}", "Accept": "text/event-stream"}

    answer = Client().generic(method, "/mcp", headers=headers)

    assert (answer.status_code, answer.headers["Allow"]) == (405, "POST")


@pytest.mark.parametrize(
    ("body", "status"),
    [
        ("{", 400),
        ("[]", 400),
        ("", 400),
        ('"' + "[" * 5_000, 400),
        ("[" * 5_000, 400),
        ({"jsonrpc": "2.0", "id": 1, "method": "tools/call"}, 200),
        ({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": 7}}, 200),
        ({"jsonrpc": "2.0", "id": 1, "method": "resources/list"}, 200),
        ({"jsonrpc": "2.0", "id": 1, "method": "subscriptions/listen"}, 200),
        ({"jsonrpc": "2.0", "method": "notifications/initialized"}, 202),
        ({"jsonrpc": "2.0", "id": 1, "result": {}}, 202),
    ],
)
def test_what_is_no_call_is_refused_and_never_hangs(cast: Cast, program: ProgramFor, body: Any, status: int) -> None:
    answer = post(program(cast.ada).key, body)

    assert answer.status_code == status
    assert status != 200 or "error" in answer.json()


def test_half_a_character_is_a_fault_of_the_caller(cast: Cast, program: ProgramFor) -> None:
    call = r'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"ask","arguments":{"question":"\ud800"}}}'

    result = post(program(cast.ada).key, call).json()

    assert "error" in result or result["result"]["structuredContent"]["code"] == "portal.invalid"


def test_a_body_that_is_too_large_is_refused(cast: Cast, program: ProgramFor) -> None:
    answer = post(program(cast.ada).key, json.dumps(LIST | {"params": {"x": "y" * MAX_STREAM_BODY}}))

    assert (answer.status_code, answer.json()["code"]) == (413, "portal.too_large")


def test_every_answer_is_kept_from_caches(cast: Cast, program: ProgramFor) -> None:
    assert "no-store" in post(program(cast.ada).key).headers["Cache-Control"]


def test_the_library_is_not_loaded_before_an_agent_calls() -> None:
    code = "import django; django.setup(); import portal.urls, sys; print([m for m in sys.modules if m.split('.')[0] == 'mcp'])"
    environment = {"DJANGO_SETTINGS_MODULE": "portal.settings"}

    import os

    run = [sys.executable, "-c", code]
    told = subprocess.run(run, env={**os.environ, **environment}, capture_output=True, text=True, check=True)

    assert told.stdout.strip() == "[]"


# ---- bodies on the event loop


def _through(pieces: list[bytes], headers: list[tuple[bytes, bytes]], *, reads: bool = True) -> tuple[int, list[Any]]:
    """The status, and what the application behind was told."""
    told: list[Any] = []
    sent: list[Any] = []
    left: Iterator[bytes] = iter(pieces)

    async def app(scope: Any, receive: Any, send: Any) -> None:
        while reads:
            message = await receive()
            told.append(message)
            if message["type"] == "http.disconnect":
                return
            if not message["more_body"]:
                break
        await send({"type": "http.response.start", "status": 200, "headers": []})

    async def receive() -> Any:
        piece = next(left, None)
        return {"type": "http.request", "body": piece or b"", "more_body": piece is not None}

    async def send(message: Any) -> None:
        sent.append(message)

    asyncio.run(Bounded(app, most=10)({"type": "http", "headers": headers}, receive, send))
    return sent[0]["status"], told


def test_the_event_loop_stores_no_body_above_the_limit() -> None:
    declared = [(b"content-length", b"11")]

    assert _through([b"x" * 11], declared) == (413, [])
    assert _through([b"12345", b"12345"], [])[0] == 200
    status, told = _through([b"12345"] * 1_000, [])
    assert (status, len(told), told[-1]["type"]) == (413, 3, "http.disconnect")
    assert _through([], [(b"content-length", b"x")])[0] == 200
