"""The API's description: complete, without a warning, from this site alone."""

from __future__ import annotations

import json

import pytest
from django.test import Client

OPERATIONS = {
    "collections_list", "documents_list", "documents_create", "documents_retrieve", "documents_delete", "documents_retry",
    "documents_versions", "documents_chunks", "search", "questions_list", "questions_create", "questions_retrieve",
    "questions_delete",
}  # fmt: skip


def test_every_operation_is_described_with_its_key_and_its_problems(
    database: None, capsys: pytest.CaptureFixture[str]
) -> None:
    answer = Client().get("/api/v1/schema/?format=json")

    schema = json.loads(answer.content)
    operations = {
        operation["operationId"]: operation for path in schema["paths"].values() for operation in path.values()
    }
    assert answer.status_code == 200
    assert set(operations) >= OPERATIONS
    assert all(operation["responses"]["default"] for operation in operations.values())
    assert schema["components"]["securitySchemes"]["key"]["scheme"] == "bearer"
    assert "arning" not in capsys.readouterr().err
