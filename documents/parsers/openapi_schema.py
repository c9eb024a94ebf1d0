"""The schemas of an API in lines that read: references followed, and cut where one leads back to itself."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Final
from urllib.parse import unquote

from documents.parsers.plain_values import Plain, dict_at, list_at, text_at

_DEEPEST: Final = 6
_MOST_LINES: Final = 150
_MOST_STEPS: Final = 3_000
_LONGEST_CHAIN: Final = 30
_RULES = (
    ("format", "format"), ("minimum", "at least"), ("maximum", "at most"), ("exclusiveMinimum", "above"), ("pattern", "pattern"),
    ("exclusiveMaximum", "below"), ("minLength", "shortest"), ("maxLength", "longest"), ("minItems", "fewest items"),
    ("maxItems", "most items"), ("multipleOf", "multiple of"), ("const", "always"), ("default", "default"), ("example", "example"),
)  # fmt: skip
_FLAGS = (("nullable", "may be null"), ("readOnly", "read only"), ("writeOnly", "write only"),
          ("deprecated", "deprecated"), ("uniqueItems", "no item twice"))  # fmt: skip
_CHOICES = (("oneOf", "One of"), ("anyOf", "Any of"))


class References:
    """Follows `$ref` inside one file. `outside` collects those that lead elsewhere: nothing is fetched."""

    def __init__(self, root: Plain) -> None:
        self._root = root
        self.outside: dict[str, None] = {}

    def followed(self, value: Plain) -> Plain:
        """What a value stands for: the end of its chain of references, {} when the chain has no end or leads nowhere.

        What is said beside a reference goes before what it refers to.
        """
        beside: dict[str, Plain] = {}
        for _ in range(_LONGEST_CHAIN):
            target = text_at(value, "$ref")
            if not target:
                return {**value, **beside} if beside and isinstance(value, dict) else value
            beside = {**{name: inner for name, inner in value.items() if name != "$ref"}, **beside}
            value = self._at(target)
        return beside

    def _at(self, target: str) -> Plain:
        if not target.startswith("#"):
            self.outside[target] = None
            return {"description": f"see {target}"}
        value = self._root
        for part in unquote(target.lstrip("#")).split("/")[1:]:
            name = part.replace("~1", "/").replace("~0", "~")
            if isinstance(value, list) and name.isdecimal() and int(name) < len(value):
                value = value[int(name)]
            else:
                value = value.get(name) if isinstance(value, dict) else None
        return value if value is not None else {"description": f"{target} is not in this file"}


def name_of(target: str) -> str:
    """What a reference is called: the last part of its path."""
    return unquote(target.rpartition("/")[2]).replace("~1", "/").replace("~0", "~")


class Schemas:
    """Writes one schema, at most so many lines of it."""

    def __init__(self, references: References) -> None:
        self._references = references
        self._open: list[str] = []
        self._written = 0
        self._steps = 0

    def lines(self, schema: Plain) -> list[str]:
        """The schema as nested list items: first what it is, then its properties."""
        return list(self._of("", schema, 0, needed=None))

    def fields(self, schema: Plain) -> list[str]:
        """The properties of an object alone."""
        return list(self._inside(schema, 0))

    def leftover(self, values: dict[str, Plain]) -> Iterator[str]:
        """Values that have no place of their own, a line each; their references are not unfolded."""
        for name, value in values.items():
            text = value if isinstance(value, str) else _compact(value)
            if text.strip():
                yield f"{name}: {text}"

    def label(self, schema: Plain, depth: int = 0) -> str:
        """The kind of value in a few words: `string`, `array of Pet`, `Pet`, `string or integer`."""
        target = text_at(schema, "$ref")
        if target:
            return name_of(target)
        if depth > _DEEPEST:
            return "more"
        if not isinstance(schema, dict):
            return "any value" if schema != "false" else "nothing"
        for name, _ in _CHOICES:
            if found := list_at(schema, name):
                return " or ".join(dict.fromkeys(self.label(one, depth + 1) for one in found[:8]))
        if "items" in schema:
            return f"array of {self.label(schema['items'], depth + 1)}"
        if parts := list_at(schema, "allOf"):
            return " and ".join(dict.fromkeys(self.label(one, depth + 1) for one in parts[:8]))
        kind = schema.get("type")
        if isinstance(kind, list):
            return " or ".join(one for one in kind if isinstance(one, str))
        return kind if isinstance(kind, str) and kind else "object" if "properties" in schema else "any value"

    def rules(self, schema: Plain) -> str:
        """What a value must keep to, and its examples, in brackets; "" for no rules."""
        if not isinstance(schema, dict):
            return ""
        found = [f"{words}: {text}" for name, words in _RULES if (text := _short(schema.get(name)))]
        found += [words for name, words in _FLAGS if text_at(schema, name) == "true"]
        if choices := schema.get("enum") or dict_at(schema, "items").get("enum"):
            found.insert(
                0, "one of: " + ", ".join(_short(one) or "null" for one in choices if not isinstance(one, dict))
            )
        return f"({'; '.join(found)})" if found else ""

    def _of(self, name: str, schema: Plain, depth: int, *, needed: bool | None) -> Iterator[str]:
        target = text_at(schema, "$ref")
        if target in self._open:
            yield self._line(depth, name, self.label(schema), needed, "as above: it holds itself")
            return
        held = self._references.followed(schema)
        words = f"{text_at(held, 'title')} {text_at(held, 'description')}".strip()
        yield self._line(depth, name, self.label(schema), needed, f"{self.rules(held)} {words}".strip())
        if target:
            self._open.append(target)
        yield from self._inside(held, depth + 1)
        if target:
            self._open.pop()

    def _inside(self, schema: Plain, depth: int) -> Iterator[str]:
        if not isinstance(schema, dict) or not self._has_room(depth):
            return
        for part in list_at(schema, "allOf"):
            yield from self._merged(part, depth)
        required = set(filter(lambda name: isinstance(name, str), list_at(schema, "required")))
        for name, inner in dict_at(schema, "properties").items():
            if not self._has_room(depth):
                return
            yield from self._of(name, inner, depth, needed=name in required)
        if "items" in schema:
            yield from self._items(schema["items"], depth)
        if isinstance(more := schema.get("additionalProperties"), dict) and more:
            yield from self._of("any other name", more, depth, needed=None)
        for key, words in _CHOICES:
            for number, one in enumerate(list_at(schema, key), 1):
                yield from self._of(f"{words.lower()}, {number}", one, depth, needed=None)

    def _items(self, inner: Plain, depth: int) -> Iterator[str]:
        """What stands in an array, without a line of its own where the array's says it already."""
        target = text_at(inner, "$ref")
        held = self._references.followed(inner)
        if target in self._open or not (dict_at(held, "properties") or list_at(held, "allOf") or "items" in held):
            if isinstance(held, dict) and (words := text_at(held, "description")):
                yield self._line(depth, "each", self.label(inner), None, words)
            return
        self._open.append(target or "-")
        yield from self._inside(held, depth)
        self._open.pop()

    def _merged(self, part: Plain, depth: int) -> Iterator[str]:
        """A part of an `allOf`: its properties are the whole's own."""
        target = text_at(part, "$ref")
        if target and target in self._open:
            yield self._line(depth, "", name_of(target), None, "as above: it holds itself")
            return
        self._open.append(target or "-")
        yield from self._inside(self._references.followed(part), depth)
        self._open.pop()

    def _has_room(self, depth: int) -> bool:
        self._steps += 1
        if self._steps > _MOST_STEPS:
            return False
        return depth <= _DEEPEST and self._written < _MOST_LINES and len(self._open) < 4 * _DEEPEST

    def _line(self, depth: int, name: str, label: str, needed: bool | None, words: str) -> str:
        self._written += 1
        kind = f"{label}, {'required' if needed else 'optional'}" if needed is not None else label
        lead = f"{name} ({kind})" if name else label
        return "  " * depth + f"- {lead}{': ' if words else ''}{' '.join(words.split())}"


def _short(value: Plain) -> str:
    if value is None or value == "":
        return ""
    text = value if isinstance(value, str) else _compact(value)
    return text if len(text) <= 200 else f"{text[:200]}…"


def _compact(value: Plain) -> str:
    try:
        return json.dumps(value, ensure_ascii=False)
    except (ValueError, RecursionError):  # YAML can refer to itself
        return ""
