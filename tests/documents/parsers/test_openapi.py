"""An API description in JSON or YAML, OpenAPI 3 or Swagger 2: one operation an entry, its references followed."""

from __future__ import annotations

import json
from typing import Any

import pytest
import yaml

from documents.parsers.openapi_schema import References, Schemas
from documents.text.section import Parsed
from tests.documents.parsers.conftest import Read, Try

PETS: dict[str, Any] = {
    "openapi": "3.1.0",
    "info": {"title": "Petstore", "version": "1.0.0", "description": "A *sample* API.", "contact": {"name": "Team"}},
    "paths": {
        "/pets/{petId}": {
            "parameters": [{"$ref": "#/components/parameters/petId"}],
            "get": {
                "operationId": "showPetById",
                "summary": "Info for a pet",
                "tags": ["pets"],
                "externalDocs": {"url": "https://example.org/pets#show"},
                "responses": {
                    "default": {"description": "unexpected"},
                    "404": {"$ref": "#/components/responses/Missing"},
                    "200": {"description": "ok", "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Pet"}}}},
                },
            },
            "delete": {
                "deprecated": True,
                "security": [{"key": []}, {"oauth": ["write"]}],
                "responses": {"204": {"description": "gone"}},
            },
        }
    },
    "webhooks": {"newPet": {"post": {"operationId": "petAdded", "responses": {"200": {"description": "seen"}}}}},
    "components": {
        "parameters": {"petId": {"name": "petId", "in": "path", "required": True, "schema": {"type": "string", "format": "uuid"}}},
        "responses": {"Missing": {"description": "no such pet"}},
        "schemas": {
            "Pet": {
                "type": "object",
                "required": ["id"],
                "properties": {
                    "id": {"type": "integer", "minimum": 1},
                    "parent": {"$ref": "#/components/schemas/Pet"},
                    "tags": {"type": "array", "items": {"$ref": "#/components/schemas/Tag"}},
                },
            },
            "Tag": {"type": "object", "properties": {"label": {"type": "string", "enum": ["a", "b"], "description": "A word."}}},
            "Unused": {"type": "string", "description": "Nobody refers to orphans."},
        },
    },
}  # fmt: skip
SWAGGER = """
swagger: "2.0"
info: {title: Old, version: 0.9}
produces: [application/json]
paths:
  /users:
    post:
      operationId: createUser
      parameters:
        - {name: body, in: body, required: true, schema: {$ref: '#/definitions/User'}}
        - {name: dry, in: query, type: boolean, description: Only check it.}
      responses:
        201: {description: made, schema: {$ref: '#/definitions/User'}}
        400: {description: bad input}
definitions:
  User:
    properties: {email: {type: string, format: email}, boss: {$ref: '#/definitions/User'}}
"""


def words_of(found: Parsed, entry: int) -> str:
    return "\n".join(section.text for section in found.sections if section.entry == entry)


def test_each_operation_is_an_entry_found_by_its_id_or_its_path(read: Read) -> None:
    found = read("json", json.dumps(PETS))

    assert [(one.kind, one.ident, one.source_url) for one in found.entries] == [
        ("operation", "showPetById", "https://example.org/pets#show"),
        ("operation", "DELETE /pets/{petId}", ""),
        ("operation", "petAdded", ""),
    ]
    assert found.entries[0].title == "GET /pets/{petId} (showPetById): Info for a pet"
    assert found.title == "Petstore"


def test_an_operation_says_its_parameters_answers_and_errors_with_references_followed(read: Read) -> None:
    words = words_of(read("json", json.dumps(PETS)), 1)

    assert "| petId | path | yes | string | (format: uuid) |" in words
    assert "- id (integer, required): (at least: 1)" in words
    assert "- tags (array of Tag, optional)\n      - label (string, optional): (one of: a, b) A word." in words
    assert "Error 404: no such pet" in words
    assert words.index("Response 200") < words.index("Error 404") < words.index("Response default")


def test_a_schema_that_refers_to_itself_is_cut_there(read: Read) -> None:
    words = words_of(read("json", json.dumps(PETS)), 1)

    assert words.count("parent (Pet, optional): as above: it holds itself") == 1


def test_deprecation_and_authorization_are_said(read: Read) -> None:
    words = words_of(read("json", json.dumps(PETS)), 2)

    assert "- Deprecated: do not use it in new code." in words
    assert "- Authorization: key or oauth (write)" in words


def test_what_no_operation_refers_to_is_kept_beside_them(read: Read) -> None:
    found = read("json", json.dumps(PETS))

    assert "Nobody refers to orphans." in words_of(found, 0)
    assert "Petstore, version 1.0.0 (OpenAPI 3.1.0)" in words_of(found, 0)


def test_yaml_gives_the_same_entries_as_json(read: Read) -> None:
    ours, theirs = read("json", json.dumps(PETS)), read("yaml", yaml.safe_dump(PETS, sort_keys=False))

    assert theirs.entries == ours.entries
    assert [section.text for section in theirs.sections] == [section.text for section in ours.sections]


def test_swagger_2_has_its_body_and_its_answers(read: Read) -> None:
    found = read("yaml", SWAGGER)
    words = words_of(found, 1)

    assert [one.ident for one in found.entries] == ["createUser"]
    assert "Request body (required):" in words and "- email (string, optional): (format: email)" in words
    assert "| dry | query | no | boolean | Only check it. |" in words
    assert "Response 201: made" in words and "Error 400: bad input" in words


def test_a_reference_to_another_file_is_reported_and_never_fetched(read: Read) -> None:
    api = {
        "openapi": "3.0.0",
        "info": {"title": "A"},
        "paths": {"/a": {"get": {"responses": {"200": {"$ref": "http://127.0.0.1/x.yaml#/R"}}}}},
    }

    found = read("json", json.dumps(api))

    assert [(one.what, one.where, one.why) for one in found.report.skipped] == [
        ("reference", "http://127.0.0.1/x.yaml#/R", "not fetched")
    ]
    assert "Response 200: see http://127.0.0.1/x.yaml#/R" in words_of(found, 1)


@pytest.mark.parametrize(
    "schemas",
    [
        {"A": {"$ref": "#/components/schemas/B"}, "B": {"$ref": "#/components/schemas/A"}},
        {"A": {"allOf": [{"$ref": "#/components/schemas/A"}, {"$ref": "#/components/schemas/A"}]}},
        {"A": {"items": {"$ref": "#/components/schemas/A"}}},
        {"A": {"additionalProperties": {"$ref": "#/components/schemas/A"}, "oneOf": [{"$ref": "#/components/schemas/A"}] * 9}},
        {"A": {"properties": {f"p{n}": {"$ref": f"#/components/schemas/{name}"} for n, name in enumerate("ABCDEFGH")}}}
        | {name: {"allOf": [{"$ref": f"#/components/schemas/{other}"} for other in "ABCDEFGH"]} for name in "BCDEFGH"},
        {"A": {"$ref": "#"}},
        {"A": {"$ref": "#/components/schemas/Nowhere"}},
        {"A": ["no", "schema"]},
        {"A": None},
    ],
)  # fmt: skip
def test_no_circle_of_references_keeps_the_reader(read: Read, schemas: dict[str, Any]) -> None:
    body = {"content": {"application/json": {"schema": {"$ref": "#/components/schemas/A"}}}}
    api = {
        "openapi": "3.0.0",
        "info": {},
        "paths": {"/a": {"post": {"operationId": "a", "requestBody": body}}},
        "components": {"schemas": schemas},
    }

    found = read("json", json.dumps(api))

    assert [one.ident for one in found.entries] == ["a"]
    assert len(words_of(found, 1)) < 20_000


def test_a_yaml_file_of_aliases_without_end_is_read_as_it_is_written(attempt: Try) -> None:
    bomb = "openapi: 3.0.0\npaths: {}\na0: &a0 [x, x, x, x, x, x, x, x, x]\n"
    bomb += "".join(f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]\n" for n in range(1, 12))

    found = attempt("yaml", bomb)

    assert isinstance(found, Parsed) and found.entries == ()
    assert "&a11" in "\n".join(section.text for section in found.sections)


def test_a_yaml_file_that_holds_itself_is_read_as_it_is_written(read: Read) -> None:
    found = read("yaml", "openapi: 3.0.0\npaths: &p\n  /a: {get: {operationId: a, x: *p}}\n")

    assert found.entries == ()


@pytest.mark.parametrize(
    "value",
    [
        '{"openapi": "3.0.0", "title": "words"}',
        '{"openapi": 2, "paths": {"/a": {"get": {}}}}',
        '{"swagger": "1.2", "paths": {"/a": {"get": {}}}}',
        '{"paths": {"/a": {"get": {"x": "y"}}}}',
        '{"openapi": "3.0.0", "paths": ["a", "b"]}',
    ],
)
def test_what_only_looks_a_little_like_one_is_data(read: Read, value: str) -> None:
    assert read("json", value).entries == ()


@pytest.mark.parametrize(
    ("schema", "label"),
    [
        ({"type": "array", "items": {"type": "string"}}, "array of string"),
        ({"type": ["string", "null"]}, "string or null"),
        ({"oneOf": [{"$ref": "#/x/Cat"}, {"$ref": "#/x/Dog"}]}, "Cat or Dog"),
        ({"properties": {}}, "object"),
        ({}, "any value"),
        ("true", "any value"),
    ],
)
def test_a_kind_of_value_has_a_name(schema: Any, label: str) -> None:
    assert Schemas(References({})).label(schema) == label


def test_what_its_name_does_not_say_its_content_does(read: Read) -> None:
    in_json, in_yaml = read("text", json.dumps(PETS)), read("text", SWAGGER)

    assert [one.ident for one in in_json.entries] == ["showPetById", "DELETE /pets/{petId}", "petAdded"]
    assert [one.ident for one in in_yaml.entries] == ["createUser"]


def test_prose_about_openapi_is_prose(read: Read) -> None:
    text = "openapi: what it is\n\nA way to describe an API: its paths, and more."

    assert read("text", text).entries == ()
