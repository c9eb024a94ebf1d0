"""The API's description on one page: a line for each operation, one for each of its shapes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

BOUNDS = {"minimum": "≥", "maximum": "≤", "minLength": "≥", "maxLength": "≤", "minItems": "≥", "maxItems": "≤"}


def outline(schema: Mapping[str, Any]) -> str:
    """`*` marks what must be there, `?` what may be null, `=` a default."""
    return "\n".join([*_operations(schema["paths"]), "", *_shapes(schema["components"]["schemas"])]) + "\n"


def _operations(paths: Mapping[str, Any]) -> Iterator[str]:
    for path, methods in sorted(paths.items()):
        for method, operation in sorted(methods.items()):
            query = [_parameter(one) for one in operation.get("parameters", ()) if one["in"] != "path"]
            asks = " ".join(["?", *query]) if query else ""
            sends = " | ".join(_bodies(operation.get("requestBody", {})))
            gives = ", ".join(f"{code} {_answer(told)}".strip() for code, told in operation["responses"].items())
            scope = operation.get("x-key-scope", "any")
            parts = [f"{method.upper()} {path}", asks, f"[{scope}]", sends and f"< {sends}", f"> {gives}"]
            yield " ".join(part for part in parts if part)


def _parameter(one: Mapping[str, Any]) -> str:
    return f"{one['name']}{'*' if one.get('required') else ''}:{_kind(one['schema'])}"


def _bodies(body: Mapping[str, Any]) -> list[str]:
    kinds: dict[str, list[str]] = {}
    for content_type, told in body.get("content", {}).items():
        kinds.setdefault(_kind(told["schema"]), []).append(content_type.rpartition("/")[2].removeprefix("x-www-"))
    return [f"{kind} ({', '.join(types)})" for kind, types in kinds.items()]


def _answer(told: Mapping[str, Any]) -> str:
    return " | ".join(_kind(one["schema"]) for one in told.get("content", {}).values())


def _shapes(schemas: Mapping[str, Any]) -> Iterator[str]:
    for name, shape in sorted(schemas.items()):
        if "properties" not in shape:
            yield f"{name} = {_kind(shape)}"
            continue
        needed = set(shape.get("required", ()))
        fields = (
            f"{field}{'*' if field in needed else ''}:{_kind(kind)}" for field, kind in shape["properties"].items()
        )
        yield f"{name} {{ {', '.join(fields)} }}"


def _kind(schema: Mapping[str, Any]) -> str:
    if "$ref" in schema:
        return str(schema["$ref"]).rpartition("/")[2]
    if "enum" in schema:
        return "|".join(str(value) or "''" for value in schema["enum"])
    for many in ("oneOf", "allOf", "anyOf"):
        if many in schema:
            return "|".join(_kind(one) for one in schema[many]) + _rest(schema)
    types = schema.get("type", "any")
    names = [types] if isinstance(types, str) else [name for name in types if name != "null"]
    kind = "|".join(names) + ("?" if "null" in types and not isinstance(types, str) else "")
    if names == ["array"]:
        kind = f"[{_kind(schema['items'])}]{kind.removeprefix('array')}"
    return kind + (f"<{schema['format']}>" if "format" in schema else "") + _rest(schema)


def _rest(schema: Mapping[str, Any]) -> str:
    bounds = "".join(f"{sign}{schema[name]}" for name, sign in BOUNDS.items() if name in schema)
    return bounds + (f"={schema['default']}" if "default" in schema else "")
