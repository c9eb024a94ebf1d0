"""Schemathesis over the API's own description: whatever is sent, no fault of ours, and every answer as described."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from typing import Any

import hypothesis
import pytest
import schemathesis
from django.core.handlers.wsgi import WSGIHandler
from hypothesis import HealthCheck, Phase
from schemathesis.checks import not_a_server_error
from schemathesis.core.failures import Failure, FailureGroup
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from documents.worker import work_through
from portal.keys import make_key
from tests.conftest import Cast
from tests.documents.making import make_document
from tests.fakes.openai_server import OpenAIServer

CHECKS = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
]
LEAST = int(os.environ.get("CONTRACT_CASES", "150"))
"""The bar asks for 2,000 (bench/contract.py); the suite for a taste of each operation."""


SCHEMAS = ("/api/v1/schema/?format=json", "/api/openapi.json")


@pytest.fixture
def key(cast: Cast, toy_model: OpenAIServer) -> str:
    """An owner's key with every scope, over a workspace where something is."""
    for number in range(3):
        make_document(cast.shared(cast.north), f"{number}.md")
    _, made = make_key(cast.scope(cast.ada), "contract", scopes=["read", "ask", "ingest", "admin"])
    return made


HANDLER = WSGIHandler()


def closing(environ: Any, start_response: Any) -> list[bytes]:
    """As a server does it: a response is closed, and what was uploaded with it."""
    response = HANDLER(environ, start_response)
    try:
        return list(response)
    finally:
        response.close()


def operations(schema: Any) -> Iterator[Any]:
    for found in schema.get_all_operations():
        yield found.ok()


def explore(operation: Any, count: int, call: Callable[[Any], None]) -> None:
    """`count` requests made from the operation's description, most of them right and some wrong."""

    @hypothesis.settings(
        max_examples=count,
        deadline=None,
        database=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
        derandomize=True,
    )
    @hypothesis.given(case=operation.as_strategy())
    def every(case: Any) -> None:
        call(case)

    every()


def test_no_request_finds_a_fault_or_an_answer_that_is_not_described(
    key: str, record_property: Callable[[str, object], None]
) -> None:
    every = [one for path in SCHEMAS for one in operations(schemathesis.openapi.from_wsgi(path, closing))]
    found: dict[str, str] = {}
    count = {"cases": 0, "faults": 0, "violations": 0}

    def call(case: Any) -> None:
        response = case.call(headers={"Authorization": f"Bearer {key}"})
        count["cases"] += 1
        count["faults"] += response.status_code >= 500
        try:
            case.validate_response(response, checks=CHECKS)
        except (FailureGroup, Failure) as failure:
            count["violations"] += 1
            label = f"{case.method} {case.operation.path} {response.status_code}"
            found.setdefault(label, f"{failure}"[:1500])

    for operation in every:
        if operation.path != "/api/v1/schema/":
            explore(operation, max(2, -(-LEAST // len(every))), call)
    work_through()

    for name, value in count.items():
        record_property(f"contract_{name}", value)
    print(json.dumps(count))  # noqa: T201
    assert found == {}
    assert count["cases"] >= LEAST
