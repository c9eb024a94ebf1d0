"""YAML as it is written, comments and all, cut at its keys: no tag is built and no alias unfolded."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import yaml

from documents.parsers.builder import Builder
from documents.parsers.openapi import add_openapi, is_openapi
from documents.parsers.outcome import Limits, Refused
from documents.parsers.plain_values import Plain
from documents.parsers.records import TooMuch
from documents.parsers.written import opened
from documents.text.section import Parsed

_DEEPEST = 500
# A block that is longer than this is cut at the entries inside it, down to this many levels.
_LONG_BLOCK = 1_200
_LEVELS = 3
_LONGEST_TITLE = 100
_TITLES = ("name", "title", "id", "key")
API = re.compile(r"""^["']?(?:openapi|swagger)["']?\s*:|^\{\s*["']?(?:openapi|swagger)["']?\s*:""", re.MULTILINE)
_MOST_NODES = 2_000_000


@dataclass(slots=True)
class Entry:
    """A key of a mapping or an item of a list: the line where it starts, and the entries in it."""

    title: str
    line: int
    inner: list[Entry] = field(default_factory=list)


def read(path: Path, *, limits: Limits) -> Parsed | Refused:
    """Read a YAML file: each key (and item) its own unit under its path. What does not parse is read as plain lines."""
    found = opened(path, "YAML", "yaml", limits=limits)
    if isinstance(found, Refused):
        return found
    builder, text = found
    try:
        if API.search(text) and (value := api_of(text)) is not None:
            add_openapi(builder, value, most_characters=limits.text_characters)
            return builder.finish()
    except TooMuch:
        return Refused("documents.too_much_text", f"The limit is {limits.text_characters:,} characters.")
    except TooDeep:
        return Refused("documents.broken", "It is nested too deeply.")
    try:
        found_entries = entries(text)
    except (yaml.YAMLError, ValueError):
        builder.warn("malformed")
        found_entries = []
    except TooDeep:
        return Refused("documents.broken", "It is nested too deeply.")
    lines = text.split("\n")
    _write(builder, lines, found_entries, 0, len(lines), 1)
    return builder.finish()


def api_of(text: str) -> dict[str, Plain] | None:
    """The value of an API description, all its scalars as they are written; None for what is none or would unfold without end.

    Raises TooDeep.
    """
    try:
        entries(text)
        value = yaml.load(text, Loader=getattr(yaml, "CBaseLoader", yaml.BaseLoader))  # noqa: S506 - builds str, list and dict
    except (yaml.YAMLError, ValueError, TypeError):
        return None
    return value if is_openapi(value) and _unfolded(value, {}) < _MOST_NODES else None


def _unfolded(value: Plain, known: dict[int, int]) -> int:
    """How many values this is once every alias is written out; more than any limit for one that holds itself."""
    if isinstance(value, str):
        return 1
    if id(value) not in known:
        known[id(value)] = _MOST_NODES  # as long as it is open, meeting it again has no end
        inner = value.values() if isinstance(value, dict) else value
        known[id(value)] = 1 + sum(_unfolded(one, known) for one in inner)
    return known[id(value)]


class TooDeep(Exception):
    """Nested beyond any use."""


def entries(text: str) -> list[Entry]:
    """The entries of the outer levels of all documents in a text. Raises yaml.YAMLError, TooDeep."""
    loader = getattr(yaml, "CBaseLoader", yaml.BaseLoader)
    walk = _Walk()
    for event in yaml.parse(text, Loader=loader):
        walk.take(event)
    return walk.found


@dataclass(slots=True)
class _Open:
    """A mapping or list that has not ended, and how many nodes of it were seen."""

    is_mapping: bool
    entries: list[Entry]
    count: int = 0


class _Walk:
    """Follows the parser's events, which build nothing, and remembers where the outer entries start."""

    def __init__(self) -> None:
        self.found: list[Entry] = []
        self._open: list[_Open] = []

    def take(self, event: yaml.Event) -> None:
        if isinstance(event, yaml.ScalarEvent | yaml.AliasEvent):
            self._node(event, getattr(event, "value", "*"))
        elif isinstance(event, yaml.CollectionStartEvent):
            inner = self._node(event, "")
            if len(self._open) > _DEEPEST:
                raise TooDeep
            self._open.append(_Open(isinstance(event, yaml.MappingStartEvent), inner))
        elif isinstance(event, yaml.CollectionEndEvent):
            self._open.pop()

    def _node(self, event: yaml.Event, scalar: str) -> list[Entry]:
        """Note a key or an item; returns where the entries inside it go."""
        if not self._open:
            return self.found
        top = self._open[-1]
        is_outer = len(self._open) <= _LEVELS
        top.count += 1
        if not top.is_mapping:
            if is_outer:
                top.entries.append(Entry(scalar or f"{top.count}", _line_of(event)))
        elif top.count % 2:
            if is_outer:
                top.entries.append(Entry(scalar, _line_of(event)))
            return []
        else:
            self._name_item(top.entries, scalar)
        return top.entries[-1].inner if is_outer else []

    def _name_item(self, siblings: Sequence[Entry], scalar: str) -> None:
        """An item of a list is called what its own name or title says."""
        if (
            len(self._open) < 2
            or self._open[-2].is_mapping
            or not siblings
            or siblings[-1].title.lower() not in _TITLES
        ):
            return
        outer = self._open[-2].entries
        if outer and outer[-1].title.isdigit() and scalar:
            outer[-1].title = scalar


def _line_of(event: yaml.Event) -> int:
    return event.start_mark.line if event.start_mark else 0


def _write(builder: Builder, lines: list[str], found: list[Entry], start: int, end: int, level: int) -> None:
    """The lines before the first entry, then each entry under its title; short neighbours stay together."""
    if not found or sum(len(line) for line in lines[start:end]) < _LONG_BLOCK:
        builder.code("\n".join(lines[start:end]), "yaml")
        return
    first = max(start, _with_comments(lines, found[0].line, start))
    builder.code("\n".join(lines[start:first]), "yaml")
    for entry, upto in zip(found, _ends(lines, found, end), strict=True):
        begin = max(first, _with_comments(lines, entry.line, first))
        if begin < upto:
            builder.heading(level, entry.title[:_LONGEST_TITLE])
            _write(builder, lines, entry.inner if level < _LEVELS else [], begin, upto, level + 1)
            first = upto


def _ends(lines: list[str], found: list[Entry], end: int) -> Iterator[int]:
    for following in found[1:]:
        yield _with_comments(lines, following.line, 0)
    yield end


def _with_comments(lines: list[str], line: int, least: int) -> int:
    """The line of an entry, or of the comments that stand right above it."""
    line = min(line, len(lines))
    while line > least and lines[line - 1].lstrip().startswith("#"):
        line -= 1
    return line
