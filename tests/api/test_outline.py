"""A change of the API shows in a diff of tests/api/outline.txt.

Renew it: RENEW_OUTLINE=1 make test ARGS=tests/api/test_outline.py
"""

from __future__ import annotations

import os
from pathlib import Path

from tests.api.outline import outline
from tests.api.test_examples import described

FILE = Path(__file__).with_name("outline.txt")


def test_the_api_is_as_it_was_when_it_was_last_looked_at() -> None:
    now = outline(described())
    if os.environ.get("RENEW_OUTLINE"):
        FILE.write_text(now, encoding="utf-8")

    assert now.splitlines() == FILE.read_text(encoding="utf-8").splitlines(), __doc__


def test_the_outline_tells_what_matters() -> None:
    told = FILE.read_text(encoding="utf-8").splitlines()

    assert any(line.startswith("POST /api/v1/search/ [read] < SearchQueryRequest (json") for line in told)
    [query] = [line for line in told if line.startswith("SearchQueryRequest {")]
    assert "question*:string" in query and "k:integer≥1≤50=8" in query
    assert len(told) < 400 and max(map(len, told)) < 1_200


def test_a_change_of_any_kind_changes_the_outline() -> None:
    shape = {"type": "object", "properties": {"a": {"type": "integer", "maximum": 5}}}
    operation = {"responses": {"200": {"content": {"application/json": {"schema": {"$ref": "#/x/S"}}}}}}
    schema = {"paths": {"/a/": {"get": operation}}, "components": {"schemas": {"S": shape}}}
    before = outline(schema)

    changed = [
        {"properties": {"a": {"type": "integer", "maximum": 6}}},
        {"properties": {"a": {"type": ["integer", "null"], "maximum": 5}}},
        {"properties": {"a": {"type": "integer", "maximum": 5, "default": 1}}},
        {"properties": {"a": {"type": "string", "enum": ["b"]}}},
        {"properties": {"a": {"type": "array", "items": {"type": "string"}}}},
        {**shape, "required": ["a"]},
        {"type": "string"},
    ]
    outlines = {outline({**schema, "components": {"schemas": {"S": one}}}) for one in changed}

    assert before == "GET /a/ [any] > 200 S\n\nS { a:integer≤5 }\n"
    assert len(outlines) == len(changed) and before not in outlines
