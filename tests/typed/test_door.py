"""What every address of the typed API does alike, before and around ninja."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from typing import Any

import pytest
from asgiref.sync import async_to_sync
from django.http import HttpRequest
from django.test import Client

from answers.typed import described, schema
from answers.typed.door import door
from portal import env
from tests.conftest import Cast
from tests.documents.api.conftest import ProgramFor

ADDRESSES = ("/api/answer", "/v1/chat/completions", "/v1/models", "/v1/models/footnote", "/v1/embeddings")


def send(method: str, path: str, body: Any = b"", key: str = "", kind: str = "application/json") -> Any:
    data = body if isinstance(body, bytes) else json.dumps(body)
    headers = {"Authorization": f"Bearer {key}"} if key else {}
    return Client(raise_request_exception=False).generic(method, path, data, content_type=kind, headers=headers)


def code_of(answer: Any) -> str:
    body = answer.json()
    return str(body["error"]["code"] if "error" in body else body["code"])


@pytest.mark.parametrize("path", ADDRESSES)
def test_without_a_key_every_method_is_401_in_the_form_of_its_clients(database: None, path: str) -> None:
    answers = [send(method, path, {}) for method in ("GET", "POST", "PUT", "DELETE", "OPTIONS", "TRACE")]

    code = "invalid_api_key" if path.startswith("/v1/") else "portal.no_key"
    kind = "application/json" if path.startswith("/v1/") else "application/problem+json"
    found = {
        (one.status_code, code_of(one), one.headers["Content-Type"], one.headers["WWW-Authenticate"]) for one in answers
    }
    assert found == {(401, code, kind, "Bearer")}


@pytest.mark.parametrize("header", ["Basic YTpi", "Bearer", "Bearer a b", "fn_x_y", "Bearer \u00fc"])
def test_a_header_that_is_no_bearer_key_is_401(database: None, header: str) -> None:
    answer = Client().post("/v1/chat/completions", headers={"Authorization": header})

    assert answer.status_code == 401


def test_a_signed_in_person_s_cookie_is_no_key(cast: Cast) -> None:
    client = Client()
    client.force_login(cast.ada, backend="portal.accounts.EmailBackend")

    assert client.post("/api/answer", "{}", content_type="application/json").status_code == 401


UNREADABLE = (
    (b"x" * 1_000_001, 413, "portal.too_large"),
    (b"{", 400, "portal.malformed"),
    (b"\xff\xfe", 400, "portal.malformed"),
    (b"[" * 90_000, 400, "portal.malformed"),
    (b"", 400, "portal.invalid"),
    (b"[]", 400, "portal.invalid"),
    (b'{"question": {}, "model": [], "messages": 3}', 400, "portal.invalid"),
    (b'{"question": "\\ud800", "model": "\\ud800", "messages": [], "input": 1}', 400, "portal.invalid"),
)


@pytest.mark.parametrize("path", ["/api/answer", "/v1/chat/completions", "/v1/embeddings"])
def test_a_body_that_cannot_be_read_is_refused(cast: Cast, program: ProgramFor, path: str) -> None:
    key = program(cast.ada).key

    answers = [send("POST", path, body, key) for body, _, _ in UNREADABLE]

    assert [(one.status_code, code_of(one)) for one in answers] == [(status, code) for _, status, code in UNREADABLE]


def test_a_field_that_is_not_as_described_is_named(cast: Cast, program: ProgramFor) -> None:
    key = program(cast.ada).key

    plain = send("POST", "/api/answer", {"question": 3, "collections": ["a", 4]}, key).json()
    openai = send("POST", "/v1/chat/completions", {"model": "footnote", "messages": [{"role": "x"}]}, key).json()

    assert set(plain["errors"]) == {"question", "collections.1"}
    assert openai["error"]["param"] == "messages.0.role"


def test_a_method_too_many_and_a_scope_too_few(cast: Cast, program: ProgramFor) -> None:
    all_but_ask, asks = program(cast.ada, "read", "ingest", "admin").key, program(cast.ada, "ask").key

    refused = send("POST", "/api/answer", {"question": "a"}, all_but_ask)
    wrong = send("GET", "/api/answer", key=asks)

    assert (refused.status_code, refused.json()["code"]) == (403, "portal.key_scope")
    assert (wrong.status_code, wrong.json()["code"], wrong.headers["Allow"]) == (405, "portal.method", "POST")


def test_head_asks_for_the_same_as_get(cast: Cast, program: ProgramFor) -> None:
    key = program(cast.ada).key

    answers = [send("HEAD", path, key=key).status_code for path in ("/v1/models", "/v1/models/none")]

    assert answers == [200, 404]


@pytest.mark.parametrize("path", ["/v1/models/%00", "/v1/models/a%00b", "/v1/nothing", "/v1/", "/api/answers"])
def test_an_address_that_is_none_is_404_without_a_page(cast: Cast, program: ProgramFor, path: str) -> None:
    answer = send("GET", path, key=program(cast.ada).key)

    assert answer.status_code == 404
    assert code_of(answer) in ("portal.not_found", "model_not_found")


class Broken(HttpRequest):
    """Reading it fails with an error that nobody expects and that quotes what was sent."""

    @property
    def body(self) -> bytes:
        raise ValueError("how much does the merger cost")


def test_a_fault_of_ours_is_told_without_what_it_quotes(
    cast: Cast,
    program: ProgramFor,
) -> None:
    request = Broken()
    request.method, request.path = "POST", "/v1/chat/completions"
    request.META["HTTP_AUTHORIZATION"] = f"Bearer {program(cast.ada).key}"

    answer = async_to_sync(door("openai_chat", {"POST": "ask"}))(request)

    assert answer.status_code == 500
    assert json.loads(answer.content)["error"] == {
        "message": "Something went wrong on our side. The fault has been logged. Try again in a moment.",
        "type": "server_error",
        "param": None,
        "code": "portal.failed",
    }


def test_the_served_description_is_what_the_code_says() -> None:
    answer = Client().get("/api/openapi.json")

    assert schema.FILE.read_text() == described.written(), "manage.py typed_schema --write"
    assert answer.json() == described.described()
    assert answer.json()["openapi"].startswith("3.1")


def test_the_page_of_the_api_shows_every_operation_and_loads_nothing_from_elsewhere(cast: Cast) -> None:
    page = Client().get("/api/v1/docs/").content.decode()

    shown = set(re.findall(r"<h3><code>(\w+ [^<]+)</code></h3>", page))
    assert {f"{method.upper()} {path}" for path, held in schema.served()["paths"].items() for method in held} <= shown
    assert "POST /api/v1/search/" in shown
    assert re.findall(r'(?:src|href)="(?:https?:)?//[^"]*"', page) == []
    assert 'href="/api/openapi.json"' in page


def test_the_web_server_starts_without_ninja_and_pydantic() -> None:
    say = (
        "import django; django.setup(); import portal.urls, answers.typed.urls, sys;"
        "print([name for name in ('ninja', 'pydantic', 'openai') if name in sys.modules])"
    )

    done = subprocess.run(
        [sys.executable, "-c", say], cwd=env.ROOT, capture_output=True, text=True, check=True,
        env={**os.environ, "DJANGO_SETTINGS_MODULE": "portal.settings"},
    )  # fmt: skip

    assert done.stdout.strip() == "[]"
