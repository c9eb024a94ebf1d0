"""Values of JSON and YAML as dicts, lists and strings, and how to take one out of them without trusting their shape."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from documents.parsers.records import Fields, Value

Plain = Any
"""str, a list of these, or a dict of these by name; the shape of a file is its writer's."""


def plain_of(value: Value) -> Plain:
    """The value with its objects as dicts; of a name that comes twice the last one counts."""
    if isinstance(value, Fields):
        return {name: plain_of(inner) for name, inner in value.items}
    return [plain_of(item) for item in value] if isinstance(value, list) else value


def value_of_plain(plain: Plain, depth: int = 0) -> Value:
    """The other way round, for documents.parsers.records; what is nested too deeply or refers to itself is left out."""
    if depth > 100:
        return ""
    if isinstance(plain, dict):
        return Fields(tuple((str(name), value_of_plain(inner, depth + 1)) for name, inner in plain.items()))
    return [value_of_plain(item, depth + 1) for item in plain] if isinstance(plain, list) else str(plain)


def text_at(value: Plain, *path: str) -> str:
    """The words at a path of names; "" when there are none or they are no words."""
    for name in path:
        value = value.get(name) if isinstance(value, dict) else None
    return value.strip() if isinstance(value, str) else ""


def first_text(value: Plain, *names: str) -> str:
    """The first of these values that has words."""
    return next((text for name in names if (text := text_at(value, name))), "")


def dict_at(value: Plain, name: str) -> dict[str, Plain]:
    found = value.get(name) if isinstance(value, dict) else None
    return found if isinstance(found, dict) else {}


def list_at(value: Plain, name: str) -> list[Plain]:
    found = value.get(name) if isinstance(value, dict) else None
    return found if isinstance(found, list) else []


def dicts_in(values: Plain) -> Iterator[dict[str, Plain]]:
    yield from (one for one in values if isinstance(one, dict)) if isinstance(values, list) else ()
