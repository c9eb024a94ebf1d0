"""Data of objects and lists as text that reads: a record under its own heading, its values named by their path."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from documents.parsers.builder import Builder

_TITLES = ("title", "name", "subject", "summary", "label", "displayname", "id", "number")
_DEEPEST_HEADING = 5
_DEEPEST = 150
_LONG_VALUE = 300
_LONGEST_TITLE = 120
_SMALL_OBJECT = 12


@dataclass(frozen=True, slots=True)
class Fields:
    """An object: its names and values in their order; a name may come twice."""

    items: tuple[tuple[str, Value], ...]


Value = str | Fields | list["Value"]


@dataclass(slots=True)
class Records:
    """Writes values into a builder; lines wait until something that stands alone comes."""

    builder: Builder
    most_characters: int
    lines: list[str] = field(default_factory=list)

    def write(self, value: Value, name: str = "Record") -> None:
        """Write a whole file's value; `name` is what its records are called that have no title of their own."""
        if isinstance(value, list):
            self._list(value, "", name, 1)
        else:
            self._value(value, "", 1, 0)
        self.flush()

    def record(self, value: Value, name: str, level: int = 1) -> None:
        """Write one record under its heading."""
        self.flush()
        self.builder.heading(level, title_of(value) or name)
        self._value(value, "", level + 1, 0)
        self.flush()

    def flush(self) -> None:
        if self.lines:
            self.builder.items("\n".join(self.lines))
            self.lines.clear()

    def _value(self, value: Value, path: str, level: int, depth: int) -> None:
        if self.builder.characters > self.most_characters:
            raise TooMuch
        if depth > _DEEPEST:
            self.builder.warn("nested-too-deeply")
        elif isinstance(value, str):
            self._scalar(value, path)
        elif isinstance(value, Fields):
            self._fields(value, path, level, depth)
        else:
            self._list(value, path, path.rpartition(".")[2] or "Item", level, depth)

    def _scalar(self, value: str, path: str) -> None:
        if not value.strip():
            return
        lead = f"{path}: " if path else ""
        if len(value) > _LONG_VALUE or "\n" in value.strip():
            self.flush()
            self.builder.prose(lead + value.strip())
        else:
            self.lines.append(f"- {lead}{value.strip()}")

    def _fields(self, value: Fields, path: str, level: int, depth: int) -> None:
        for name, inner in sorted(value.items, key=lambda item: not _is_plain(item[1])):
            full = f"{path}.{name}" if path else name
            if isinstance(inner, Fields) and size_of(inner) > _SMALL_OBJECT and level <= _DEEPEST_HEADING:
                self.flush()
                self.builder.heading(level, full)
                self._value(inner, "", level + 1, depth + 1)
                self.flush()
            else:
                self._value(inner, full, level, depth + 1)

    def _list(self, value: Sequence[Value], path: str, name: str, level: int, depth: int = 0) -> None:
        if all(isinstance(item, str) for item in value):
            texts = [item for item in value if isinstance(item, str) and item.strip()]
            if sum(len(text) for text in texts) <= _LONG_VALUE:
                self._scalar(", ".join(texts), path)
            else:
                for text in texts:
                    self._scalar(text, path)
            return
        own = path and level <= _DEEPEST_HEADING and any(size_of(item) > 1 for item in value)
        if own:
            self.flush()
            self.builder.heading(level, path)
        for number, item in enumerate(value, 1):
            if isinstance(item, Fields) and size_of(item) > 1 and level <= _DEEPEST_HEADING:
                self.record(item, f"{name} {number}", level + 1 if own else level)
            else:
                self._value(item, f"{path}[{number}]" if path else "", level, depth + 1)
        if own:
            self.flush()


class TooMuch(Exception):
    """More text than the limit."""


def title_of(value: Value) -> str:
    """What a record calls itself: the value of its best name, or ""."""
    if not isinstance(value, Fields):
        return ""
    named = {name.lower().lstrip("@"): inner for name, inner in reversed(value.items) if isinstance(inner, str)}
    for name in _TITLES:
        text = named.get(name, "")
        if text.strip() and len(text) <= _LONGEST_TITLE and "\n" not in text.strip():
            return text.strip()
    return ""


def size_of(value: Value, most: int = 50) -> int:
    """How many values are in a value; counting stops at `most` or a little beyond."""
    waiting: list[Value] = [value]
    count = 0
    while waiting and count < most:
        one = waiting.pop()
        if isinstance(one, str):
            count += 1
        elif isinstance(one, Fields):
            waiting += [inner for _, inner in one.items[:most]]
        else:
            waiting += one[:most]
    return count


def _is_plain(value: Value) -> bool:
    return isinstance(value, str) or (isinstance(value, list) and all(isinstance(item, str) for item in value))
