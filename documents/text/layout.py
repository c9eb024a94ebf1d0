"""A passage as a page lays it out: paragraphs, headings, lists, code and tables, with the marked spans in each of them.

Nothing is added and nothing is lost but what only draws: fences, the bars and rules of tables, the marks of list items.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Final, Literal

from documents.text.blocks import Block, BlockKind

Span = tuple[int, int]
PartKind = Literal["prose", "heading", "list", "code", "table"]

_FENCE: Final = re.compile(r"[ \t]*(?:`{3,}|~{3,})[^\n`]*")
_ITEM: Final = re.compile(r"([ \t]*)([-*+•‣◦–]|\(?(?:\d{1,4}|[a-zA-Z]|#)[.)])(?:[ \t]+|$)")
_BULLETS: Final = frozenset("-*+•‣◦–")
_ROW: Final = re.compile(r"\|.*\|")
_RULE: Final = re.compile(r"\|(?:\s*:?-+:?\s*\|)+")
_BAR: Final = re.compile(r"(?<!\\)\|")
_DEEPEST: Final = 5


@dataclass(frozen=True, slots=True)
class Words:
    """A stretch of a passage; `spans` are the (start, end) marked in `text`."""

    text: str
    spans: tuple[Span, ...] = ()


@dataclass(frozen=True, slots=True)
class Item:
    """One item of a list: its mark ("•", "3."), "" for one that begins before the passage; `depth` counts from 0."""

    mark: str
    depth: int
    words: Words


Row = tuple[Words, ...]


@dataclass(frozen=True, slots=True)
class Part:
    """`words` of a paragraph, heading or block of code, or `items` of a list, or `header` and `rows` of a table.

    `level` is a heading's depth in the document, 0 for its title; `outline` the level that its page gives it, 0 for none.
    """

    kind: PartKind
    words: Words = Words("")
    level: int = 0
    outline: int = 0
    items: tuple[Item, ...] = ()
    header: tuple[Row, ...] = ()
    rows: tuple[Row, ...] = ()


def lay_out(
    text: str, blocks: Sequence[Block] = (), *, spans: Iterable[Span] = (), prefix: str = ""
) -> tuple[Part, ...]:
    """The parts of a passage in order. `prefix` is the repeated header of the table that the passage begins in.

    A span that is empty or reaches outside the passage is dropped whole.
    """
    page = _Page(text, tuple((start, end) for start, end in spans if 0 <= start < end <= len(text)))
    parts: list[Part] = []
    at = 0
    for block in blocks:
        parts += page.prose(at, block.start)
        parts += _LAID[block.kind](page, block)
        at = block.end
    parts += page.prose(at, len(text))
    first = next((i for i, part in enumerate(parts) if part.kind == "table"), None)
    if prefix and first is not None and not parts[first].header:
        parts[first] = replace(parts[first], header=header_of(prefix))
    return tuple(parts)


def is_row(text: str) -> bool:
    """True for one line that is a row of a table."""
    return "\n" not in text and bool(_ROW.fullmatch(text)) and not _RULE.fullmatch(text)


def rows_in(text: str, span: Span) -> tuple[Span, ...]:
    """The rows that a span of a passage consists of, but for rule lines; none when it holds anything else."""
    lines = [line for line in _lines(text, *span) if not _RULE.fullmatch(text[line[0] : line[1]])]
    return tuple(lines) if all(is_row(text[start:end]) for start, end in lines) else ()


def table_of(text: str, rows: Sequence[Span], *, prefix: str = "") -> Part:
    """Rows of one table of a passage under the header that stands above them there, or that `prefix` repeats."""
    page = _Page(text, ())
    header = _header_above(text, rows[0][0]) or []
    shown = tuple(page.row(start, end) for start, end in rows if (start, end) not in header)
    if not shown:
        return Part("table", rows=tuple(page.row(start, end) for start, end in rows))
    above = tuple(page.row(start, end) for start, end in header)
    return Part("table", header=above or header_of(prefix), rows=shown)


def header_of(prefix: str) -> tuple[Row, ...]:
    """The header rows that a passage repeats from the start of its table."""
    page = _Page(prefix, ())
    lines = [(start, end) for start, end in _lines(prefix, 0, len(prefix)) if is_row(prefix[start:end])]
    return tuple(page.row(start, end) for start, end in lines)


def plain(parts: Iterable[Part]) -> str:
    """The parts as text to be sent on: a paragraph on one line, a table as Markdown, code as it is."""
    return "\n".join(_plain(part) for part in parts)


def _plain(part: Part) -> str:
    if part.kind == "table":
        rule = ["|" + "---|" * len(part.header[0])] if part.header else []
        return "\n".join([*map(_piped, part.header), *rule, *map(_piped, part.rows)])
    if part.kind == "list":
        return "\n".join(f"{item.mark} {_flat(item.words.text)}".strip() for item in part.items)
    return part.words.text if part.kind == "code" else _flat(part.words.text)


def _flat(text: str) -> str:
    return " ".join(text.split())


def _piped(row: Row) -> str:
    return "| " + " | ".join(words.text.replace("|", "\\|") for words in row) + " |"


def _lines(text: str, start: int, end: int) -> Iterator[Span]:
    at = start
    for line in text[start:end].split("\n"):
        yield at, at + len(line)
        at += len(line) + 1


def _header_above(text: str, start: int) -> list[Span]:
    """The rows over the rule line of the table that `start` stands in; empty when the passage begins below it."""
    run: list[Span] = []
    for line in _lines(text, 0, len(text)):
        held = text[line[0] : line[1]]
        if not _ROW.fullmatch(held):
            run = []
        elif _RULE.fullmatch(held):
            following = text[line[1] + 1 :].split("\n\n", 1)[0]
            if run and run[0][0] <= start <= line[1] + 1 + len(following):
                return run
        else:
            run.append(line)
        if line[0] > start and not run:
            break
    return []


class _Page:
    """The passage that is laid out, and what is marked in it."""

    def __init__(self, text: str, spans: tuple[Span, ...]) -> None:
        self.text = text
        self.spans = spans

    def words(self, start: int, end: int) -> Words:
        """text[start:end] without the space around it, and the spans in it."""
        held = self.text[start:end]
        start += len(held) - len(held.lstrip())
        return self.exactly(start, max(start, end - (len(held) - len(held.rstrip()))))

    def exactly(self, start: int, end: int) -> Words:
        spans = tuple((max(a, start) - start, min(b, end) - start) for a, b in self.spans if a < end and b > start)
        return Words(self.text[start:end], spans)

    def prose(self, start: int, end: int) -> Iterator[Part]:
        """A paragraph for each stretch between blank lines."""
        at = start
        for paragraph in self.text[start:end].split("\n\n"):
            if paragraph.strip():
                yield Part("prose", self.words(at, at + len(paragraph)))
            at += len(paragraph) + 2

    def heading(self, block: Block) -> Iterator[Part]:
        yield Part("heading", self.words(block.start, block.end), level=block.level)

    def code(self, block: Block) -> Iterator[Part]:
        yield from self.code_lines(list(_lines(self.text, block.start, block.end)))

    def code_lines(self, lines: list[Span]) -> Iterator[Part]:
        """Without the fences, of which a passage that is a part of the code may hold one or none."""
        if lines and _FENCE.fullmatch(self.text, *lines[0]):
            lines = lines[1:]
        if lines and _FENCE.fullmatch(self.text, *lines[-1]):
            lines = lines[:-1]
        if lines and self.text[lines[0][0] : lines[-1][1]].strip():
            yield Part("code", self.exactly(lines[0][0], lines[-1][1]))

    def listing(self, block: Block) -> Iterator[Part]:
        """Items, and what stands among them: fenced code and rows of a table."""
        items: list[tuple[str, int, Span]] = []
        for kind, lines in self._stretches(block):
            if kind == "items":
                items += self._items(lines)
                continue
            if items:
                yield self._listed(items)
                items = []
            yield from self.code_lines(lines) if kind == "code" else self.rows(lines)
        if items:
            yield self._listed(items)

    def _stretches(self, block: Block) -> Iterator[tuple[str, list[Span]]]:
        """Lines of one sort together: "items", "code" between fences, "rows"."""
        kind, lines, fence = "items", list[Span](), ""
        for line in _lines(self.text, block.start, block.end):
            held = self.text[line[0] : line[1]].strip()
            if fence:
                lines.append(line)
                if held.startswith(fence) and not held.strip(fence[0]):
                    yield kind, lines
                    kind, lines, fence = "items", [], ""
                continue
            opened = held[:3] if _FENCE.fullmatch(held) else ""
            now = "code" if opened else "rows" if _ROW.fullmatch(held) else "items"
            if now != kind or opened:
                yield kind, lines
                kind, lines = now, []
            fence = opened
            lines.append(line)
        yield kind, lines

    def _items(self, lines: Iterable[Span]) -> Iterator[tuple[str, int, Span]]:
        mark, depth, start, end = "", 0, -1, -1
        for line in lines:
            found = _ITEM.match(self.text, *line)
            if found or start < 0:
                if start >= 0:
                    yield mark, depth, (start, end)
                mark = ("•" if found[2] in _BULLETS else found[2]) if found else ""
                depth = min(_DEEPEST, len(found[1].expandtabs(2)) // 2) if found else 0
                start = found.end() if found else line[0]
            end = line[1]
        if start >= 0:
            yield mark, depth, (start, end)

    def _listed(self, items: Iterable[tuple[str, int, Span]]) -> Part:
        return Part("list", items=tuple(Item(mark, depth, self.words(*span)) for mark, depth, span in items))

    def table(self, block: Block) -> Iterator[Part]:
        yield from self.rows(list(_lines(self.text, block.start, block.end)))

    def rows(self, lines: Iterable[Span]) -> Iterator[Part]:
        """One table; a line that is no row, the rest of one that was cut, stands by itself."""
        header: tuple[Row, ...] = ()
        rows: list[Row] = []
        for start, end in lines:
            held = self.text[start:end].strip()
            if _RULE.fullmatch(held):
                header, rows = (header, rows) if header else (tuple(rows), [])
            elif _ROW.fullmatch(held):
                rows.append(self.row(start, end))
            elif held:
                if header or rows:
                    yield Part("table", header=header, rows=tuple(rows))
                    header, rows = (), []
                yield Part("prose", self.words(start, end))
        if header or rows:
            yield Part("table", header=header, rows=tuple(rows))

    def row(self, start: int, end: int) -> Row:
        bars = [match.start() for match in _BAR.finditer(self.text, start, end)]
        return tuple(_unescaped(self.words(left + 1, right)) for left, right in pairwise(bars))


def _unescaped(words: Words) -> Words:
    """A cell as it was before its bars were told from the table's; the spans follow."""
    if "\\|" not in words.text:
        return words
    spans = tuple((a - words.text.count("\\|", 0, a), b - words.text.count("\\|", 0, b)) for a, b in words.spans)
    return Words(words.text.replace("\\|", "|"), spans)


_LAID: Final[Mapping[BlockKind, Callable[[_Page, Block], Iterator[Part]]]] = {
    "heading": _Page.heading,
    "list": _Page.listing,
    "code": _Page.code,
    "table": _Page.table,
}
