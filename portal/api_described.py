"""The API's description as one page of plain objects, made once per process from the same schema that programs get."""

from __future__ import annotations

import functools
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, cast

from django.conf import settings
from django.utils.module_loading import import_string
from drf_spectacular.generators import SchemaGenerator

METHODS = ("get", "post", "patch", "put", "delete")


@dataclass(frozen=True, slots=True)
class Parameter:
    name: str
    place: str
    kind: str
    about: str
    is_required: bool


@dataclass(frozen=True, slots=True)
class Operation:
    """`curl` is a command that works with `KEY` and `SITE` set; `answers` are (status, what comes)."""

    id: str
    method: str
    path: str
    summary: str
    scope: str
    parameters: tuple[Parameter, ...]
    body: tuple[Parameter, ...]
    answers: tuple[tuple[str, str], ...]
    curl: str


@dataclass(frozen=True, slots=True)
class Group:
    name: str
    operations: tuple[Operation, ...]


def schema() -> dict[str, Any]:
    found: dict[str, Any] = cast("Any", SchemaGenerator)().get_schema(request=None, public=True)
    return found


def schemas() -> Iterator[dict[str, Any]]:
    """That of /api/v1/ and those that settings.API_SCHEMAS names, each a function that returns one."""
    yield schema()
    for name in settings.API_SCHEMAS:
        yield import_string(name)()


@functools.cache
def groups() -> tuple[Group, ...]:
    """Operations by the first word of their path, in the schema's order."""
    by_name: dict[str, list[Operation]] = {}
    for whole in schemas():
        for operation in _operations(whole):
            by_name.setdefault(_group_of(operation.path), []).append(operation)
    return tuple(Group(_titled(name), tuple(held)) for name, held in sorted(by_name.items()))


def _titled(name: str) -> str:
    return {"openai": "OpenAI's interface"}.get(name, name.replace("-", " ").capitalize())


def _group_of(path: str) -> str:
    if path.startswith("/v1/"):
        return "openai"
    return path.removeprefix("/api/").removeprefix("v1/").split("/")[0]


def _operations(whole: Mapping[str, Any]) -> Iterator[Operation]:
    for path, methods in whole["paths"].items():
        for method in METHODS:
            if method in methods and path != "/api/v1/schema/":
                yield _operation(whole, path, method, methods[method])


def _operation(whole: Mapping[str, Any], path: str, method: str, said: Mapping[str, Any]) -> Operation:
    content = said.get("requestBody", {}).get("content", {})
    kind = next(iter(content), "")
    fields = _fields(whole, content[kind].get("schema", {})) if kind else ()
    return Operation(
        id=said["operationId"],
        method=method.upper(),
        path=path,
        summary=said.get("summary", ""),
        scope=said.get("x-key-scope", ""),
        parameters=tuple(_parameter(one) for one in said.get("parameters", ())),
        body=fields,
        answers=tuple((status, _what(one)) for status, one in said["responses"].items() if status != "default"),
        curl=_curl(path, method, kind, said),
    )


def _parameter(one: Mapping[str, Any]) -> Parameter:
    return Parameter(
        one["name"], one["in"], _kind(one.get("schema", {})), one.get("description", ""), bool(one.get("required"))
    )


def _fields(whole: Mapping[str, Any], shape: Mapping[str, Any]) -> tuple[Parameter, ...]:
    shape = _followed(whole, shape)
    required = shape.get("required", ())
    return tuple(
        Parameter(name, "body", _kind(one), one.get("description", ""), name in required)
        for name, one in shape.get("properties", {}).items()
    )


def _followed(whole: Mapping[str, Any], shape: Mapping[str, Any]) -> Mapping[str, Any]:
    name = shape.get("$ref", "").rpartition("/")[2]
    found: Mapping[str, Any] = whole["components"]["schemas"][name] if name else shape
    return found


def _kind(shape: Mapping[str, Any]) -> str:
    if "enum" in shape:
        return " | ".join(str(one) for one in shape["enum"])
    if "anyOf" in shape:
        return " or ".join(_kind(one) for one in shape["anyOf"])
    name = str(shape.get("$ref", "")).rpartition("/")[2]
    if shape.get("type") == "array":
        return f"list of {_kind(shape.get('items', {}))}"
    kind = shape.get("type", "value")
    return name or (
        "file" if shape.get("format") == "binary" else " or ".join(kind) if isinstance(kind, list) else str(kind)
    )


def _what(response: Mapping[str, Any]) -> str:
    for one in response.get("content", {}).values():
        return _kind(one.get("schema", {}))
    return "nothing"


def _curl(path: str, method: str, kind: str, said: Mapping[str, Any]) -> str:
    parts = ["curl"]
    if method != "get":
        parts.append(f"-X {method.upper()}")
    parts.append('-H "Authorization: Bearer $KEY"')
    example = said.get("x-example")
    if kind.startswith("multipart"):
        parts.append("-F file=@handbook.md")
    elif kind and example is not None:
        parts += ['-H "Content-Type: application/json"', f"-d '{example}'"]
    return " ".join([*parts, f'"$SITE{path}"'])
