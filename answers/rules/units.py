"""A passage as units that can be quoted alone, with their places: sentences, list items, table rows, code blocks."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Final, Literal, cast

from documents.text.sentences import sentences
from retrieval.ranking.evidence import Passage

UnitKind = Literal["sentence", "item", "row", "code"]
_BlockKind = Literal["prose", "item", "row", "code", "heading", "markup"]
_LineKind = Literal["prose", "item", "row", "code", "heading", "markup", "blank", "continued", "underline"]

_FENCE: Final = re.compile(r"\s*(```+|~~~+)")
_BULLET: Final = re.compile(r"\s*(?:[-*+•‣◦–]|\d{1,3}[.)]|\(?[a-z][.)])\s+(?=\S)")
_HEADING: Final = re.compile(r"\s{0,3}#{1,6}\s")
_UNDERLINE: Final = re.compile(r"\s*([=\-~^\"'`#*+.:_])\1{2,}\s*$")
_ROW: Final = re.compile(r"\s*\|.*\|\s*$|[^\t|]+\t[^\t]*\S|\S.* \| \S")
_RULE: Final = re.compile(r"[\s|:+=\-]+$")
_MARKUP: Final = re.compile(
    r"\s*(?:\.\. [\w_:|-]|:::|///|\{\*.*\*\}|!!!|\?\?\?|<[^>]+>\s*$|!?\[[^\]]*\]\([^)]*\)\s*$|:[\w-]+:\s)"
)
_CRUMBS: Final = re.compile(
    r"(?:[^.!?\n]{1,40}\s[›»>/|·→]\s){2,}|^(?:next|previous|home|back|top|menu|skip to)\b[^.!?]*$", re.IGNORECASE
)
_ENDED: Final = re.compile(r"[.!?。！？…।؟:;：]['\"”’»)\]*_`]*$")
_CODE_INDENT: Final = re.compile(r"    |\t")
_LONG_ITEM: Final = 200
"""A list item of more characters is quoted by its sentences."""


@dataclass(frozen=True, slots=True)
class Unit:
    """`text[start:end]` of a passage. `place` counts the quotable units of the passage from 0.

    `lead` is the place of the sentence that introduces an item, a row or a code block (for a row: the header row).
    `introduces` says that the unit ends with a colon and says nothing without what follows.
    """

    start: int
    end: int
    kind: UnitKind
    place: int = 0
    lead: int | None = None
    introduces: bool = False


@dataclass(frozen=True, slots=True)
class _Block:
    kind: _BlockKind
    start: int
    end: int


def units(passage: Passage) -> tuple[Unit, ...]:
    """The quotable units in order of place. Headings, markup and navigation crumbs are left out."""
    if passage.kind == "code":
        start, end = _trimmed(passage.text, 0, len(passage.text))
        return (Unit(start, end, "code"),) if start < end else ()
    return tuple(_with_leads(passage, list(_blocks(passage.text))))


class _Leads:
    """Which unit introduces the next ones: the sentence before a list or a block of code, the header row of a table."""

    def __init__(self) -> None:
        self.lead: int | None = None
        self.header: int | None = None

    def after_prose(self, last: int | None) -> None:
        self.lead, self.header = last, None

    def of(self, kind: _BlockKind, place: int) -> int | None:
        if kind != "row":
            self.header = None
            return self.lead
        lead = self.lead if self.header is None else self.header
        self.header = place if self.header is None else self.header
        return lead


def _with_leads(passage: Passage, blocks: list[_Block]) -> Iterator[Unit]:
    """Places count from 0 in the order given, which is what leads refer to."""
    place = 0
    leads = _Leads()
    for i, block in enumerate(blocks):
        after = blocks[i + 1] if i + 1 < len(blocks) else None
        if block.kind == "heading" or block.kind == "markup":
            leads.after_prose(None)
            continue
        if block.kind == "prose":
            found = list(_sentence_units(passage, block, alone=len(blocks) == 1))
            opens = bool(found) and found[-1].introduces and after is not None and after.kind in ("item", "row", "code")
            leads.after_prose(place + len(found) - 1 if opens else None)
        else:
            lead = leads.of(block.kind, place)
            found = [replace(unit, lead=lead) for unit in _structured_units(passage.text, block, block.kind)]
            if after is not None and after.kind != block.kind:
                leads.lead = None
        yield from (replace(unit, place=place + j) for j, unit in enumerate(found))
        place += len(found)


def _structured_units(text: str, block: _Block, kind: UnitKind) -> Iterator[Unit]:
    start, end = _trimmed(text, block.start, block.end)
    if kind == "item":
        start += len(match[0]) if (match := _BULLET.match(text, start, end)) else 0
        if end - start > _LONG_ITEM:
            yield from (Unit(start + a, start + b, kind) for a, b in sentences(text[start:end]))
            return
    if start < end:
        yield Unit(start, end, kind)


def _sentence_units(passage: Passage, block: _Block, *, alone: bool) -> Iterator[Unit]:
    text = passage.text[block.start : block.end]
    if _CRUMBS.search(text) and not _ENDED.search(text.strip()):
        return
    if not alone and _reads_as_heading(text, passage):
        return
    for a, b in sentences(text):
        start, end = _trimmed(passage.text, block.start + a, block.start + b)
        shown = passage.text[start:end]
        if any(map(str.isalnum, shown)):
            yield Unit(start, end, "sentence", introduces=shown.rstrip("*_`").endswith((":", "：")))


def _reads_as_heading(text: str, passage: Passage) -> bool:
    line = text.strip()
    if line.casefold() in {h.casefold() for h in (passage.title, *passage.heading_path)}:
        return True
    return "\n" not in line and len(line.split()) <= 10 and not _ENDED.search(line) and not re.search(r"[\d=:]", line)


def _trimmed(text: str, start: int, end: int) -> tuple[int, int]:
    part = text[start:end]
    return start + len(part) - len(part.lstrip()), end - (len(part) - len(part.rstrip())) if part.strip() else start


def _blocks(text: str) -> Iterator[_Block]:
    """Lines of one kind joined; an item and a row are blocks of their own; a fence is one block with its marks."""
    current: _Block | None = None
    fence = ""
    at = 0
    for line in text.splitlines(keepends=True):
        start, at = at, at + len(line)
        kind: _LineKind = "continued" if fence else _kind_of(line, current, text)
        if current is not None and (kind == "continued" or (kind == current.kind and kind in _JOINED)):
            current = _Block(current.kind, current.start, at)
        elif current is not None and kind == "underline":
            current = _Block("heading", current.start, at)
        else:
            if current is not None:
                yield current
            current = _Block(_opened(kind), start, at) if kind != "blank" else None
        closes = bool(fence) and line.strip().startswith(fence)
        fence = "" if closes else fence or (match[1] if (match := _FENCE.match(line)) else "")
        if closes and current is not None:
            yield current
            current = None
    if current is not None:
        yield current


def _opened(kind: _LineKind) -> _BlockKind:
    return "prose" if kind in ("continued", "underline", "blank") else cast("_BlockKind", kind)


def _kind_of(line: str, current: _Block | None, text: str) -> _LineKind:
    """What a line is by itself or, as `continued` and `underline`, to the block before it."""
    if not line.strip():
        return "blank"
    if _UNDERLINE.match(line) and not _FENCE.match(line):
        above = text[current.start : current.end].strip() if current is not None and current.kind == "prose" else ""
        return "underline" if above and "\n" not in above else "blank"
    by_itself = next((kind for kind, pattern in _LINES if pattern.match(line)), None)
    if by_itself is not None:
        return by_itself
    if current is not None and (current.kind == "item" or (current.kind == "markup" and line[0].isspace())):
        return "continued"
    is_code = _CODE_INDENT.match(line) and (current is None or current.kind == "code")
    return "code" if is_code else "prose"


_JOINED: Final = ("prose", "code", "markup")
_LINES: Final[tuple[tuple[_LineKind, re.Pattern[str]], ...]] = (
    ("code", _FENCE),
    ("heading", _HEADING),
    ("markup", _MARKUP),
    ("blank", _RULE),
    ("item", _BULLET),
    ("row", _ROW),
)
