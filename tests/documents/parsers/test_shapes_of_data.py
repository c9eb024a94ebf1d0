"""Whatever shape the values of an export have, a reader writes it or says why not: it never breaks down."""

from __future__ import annotations

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from documents.parsers.builder import Builder
from documents.parsers.changelog import dialect, mark_releases
from documents.parsers.json_file import write_known
from documents.parsers.markdown import add_markdown
from documents.parsers.openapi import add_openapi, is_openapi
from documents.parsers.plain_values import value_of_plain
from documents.parsers.records import Records
from documents.parsers.ticket_rows import Columns, add_ticket_rows

NAMES = st.sampled_from((
    "id", "number", "key", "subject", "title", "summary", "status", "state", "description", "body", "comments", "url", "fields",
    "ticket", "tickets", "issues", "users", "requester_id", "responder_id", "conversations", "notes", "note", "self", "author",
    "paths", "components", "schemas", "parameters", "responses", "requestBody", "content", "schema", "$ref", "properties", "items",
    "allOf", "oneOf", "enum", "type", "required", "get", "post", "/a", "application/json", "200", "404", "callbacks", "security",
    "tags", "headers", "examples", "operationId", "webhooks", "info", "additionalProperties", "public", "created_at", "replies",
))  # fmt: skip
WORDS = st.sampled_from(
    (
        "",
        "open",
        "7",
        "true",
        "#/paths",
        "#/components/schemas/A",
        "#",
        "#/items/0",
        "<p>x</p>",
        "javascript:x",
        "\x00",
        "a\nb",
        "object",
    )
)
VALUES = st.recursive(
    WORDS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=5), max_leaves=25
)
OBJECTS = st.dictionaries(NAMES, VALUES, max_size=7)
BASES = st.sampled_from((
    {"id": "7", "subject": "s", "status": "open", "requester_id": "1"}, {"key": "A-1", "fields": {"summary": "s"}},
    {"number": "7", "title": "t", "state": "open", "body": "b"}, {"id": "7", "subject": "s", "status": "2", "responder_id": "1"},
    {},
))  # fmt: skip
TICKETS = st.builds(lambda more, base: {**more, **base}, OBJECTS, BASES)


def holds(builder: Builder) -> None:
    parsed = builder.finish()
    assert all(0 <= section.entry <= len(parsed.entries) for section in parsed.sections)
    assert all(one.ident and one.title for one in parsed.entries)


@settings(max_examples=300, deadline=None)
@given(OBJECTS, st.lists(TICKETS, max_size=3))
def test_any_export(value: dict[str, Any], tickets: list[dict[str, Any]]) -> None:
    for whole in (value, tickets, {**value, "tickets": tickets}, {"issues": tickets}):
        builder = Builder("test")
        write_known(Records(builder, 1_000_000), value_of_plain(whole))
        holds(builder)


@settings(max_examples=300, deadline=None)
@given(OBJECTS, OBJECTS, OBJECTS)
def test_any_api(paths: dict[str, Any], operation: dict[str, Any], components: dict[str, Any]) -> None:
    value = {"openapi": "3.1.0", "paths": {**paths, "/b": {"get": operation}}, "components": {"schemas": components}}
    builder = Builder("test")

    assert is_openapi(value)
    add_openapi(builder, value, most_characters=1_000_000)

    holds(builder)


@given(st.lists(NAMES | st.text(max_size=5), max_size=6), st.lists(st.lists(WORDS, max_size=8), max_size=4))
def test_any_sheet(header: list[str], rows: list[list[str]]) -> None:
    builder = Builder("test")
    if (columns := Columns(header)).are_of_tickets:
        add_ticket_rows(Records(builder, 1_000_000), columns, rows)

    holds(builder)


@given(
    st.lists(
        st.sampled_from(("# ", "## ", "1.2.3", "v2.0", " (2024-01-02)", "Unreleased", "\n", "\n\n", "===", "words")),
        max_size=25,
    )
)
def test_any_changelog(parts: list[str]) -> None:
    text = "".join(parts)
    builder = Builder("test")
    dialect(text)
    add_markdown(builder, text)
    mark_releases(builder)

    holds(builder)
