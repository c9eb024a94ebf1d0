"""A passage as units that can be quoted alone: sentences, list items, table rows, code blocks, with their exact places."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Final, Literal

from documents.text.sentences import sentences
from retrieval.ranking.evidence import Passage

UnitKind = Literal["sentence", "item", "row", "code"]
_BlockKind = Literal["prose", "item", "row", "code", "heading", "markup"]

_FENCE: Final = re.compile(r"\s*(```+|~~~+)")
_BULLET: Final = re.compile(r"\s*(?:[-*+•‣◦–]|\d{1,3}[.)]|\(?[a-z][.)])\s+(?=\S)")
_HEADING: Final = re.compile(r"\s{0,3}#{1,6}\s")
_UNDERLINE: Final = re.compile(r"\s*([=\-~^\"'`#*+.:_])\1{2,}\s*$")
_ROW: Final = re.compile(r"\s*\|.*\|\s*$|[^\t|]+\t[^\t]*\S|\S.* \| \S")
_RULE: Final = re.compile(r"[\s|:+=\-]+$")
_MARKUP: Final = re.compile(r"\s*(?:\.\. [\w_:|-]|:::|///|\{\*.*\*\}|!!!|\?\?\?|<[^>]+>\s*$|!?\[[^\]]*\]\([^)]*\)\s*$|:[\w-]+:\s)")
_CRUMBS: Final = re.compile(r"(?:[^.!?\n]{1,40}\s[›»>/|·→]\s){2,}|^(?:next|previous|home|back|top|menu|skip to)\b[^.!?]*$", re.IGNORECASE)
_ENDED: Final = re.compile(r"[.!?。！？…।؟:;：]['\"”’»)\]*_`]*$")
_CODE_INDENT: Final = re.compile(r"    |\t")


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
        return tuple(_numbered(iter((Unit(*_trimmed(passage.text, 0, len(passage.text)), "code"),))))
    return tuple(_numbered(_with_leads(passage, list(_blocks(passage.text)))))


def _numbered(found: Iterator[Unit]) -> Iterator[Unit]:
    return (replace(unit, place=place) for place, unit in enumerate(u for u in found if u.start < u.end))


def _with_leads(passage: Passage, blocks: list[_Block]) -> Iterator[Unit]:
    """Leads are places, so units are counted here as they will be in `units`."""
    text = passage.text
    count = 0
    lead: int | None = None
    header: int | None = None
    for i, block in enumerate(blocks):
        if block.kind == "prose":
            header = None
            for unit in _sentence_units(passage, block, alone=len(blocks) == 1):
                follows = blocks[i + 1].kind if i + 1 < len(blocks) else "heading"
                opens = unit.introduces and follows in ("item", "row", "code") and unit.end >= _end(text, block)
                lead = count if opens else None
                count += 1
                yield unit
        elif block.kind == "heading" or block.kind == "markup":
            lead = header = None
        else:
            start, end = _trimmed(text, block.start, block.end)
            if block.kind == "item":
                start += len(match[0]) if (match := _BULLET.match(text, start, end)) else 0
            if block.kind != "row":
                header = None
            yield Unit(start, end, block.kind, lead=lead if header is None else header)
            if block.kind == "row" and header is None:
                header = count
            count += start < end
            if i + 1 < len(blocks) and blocks[i + 1].kind != block.kind:
                lead = None


def _sentence_units(passage: Passage, block: _Block, *, alone: bool) -> Iterator[Unit]:
    text = passage.text[block.start : block.end]
    if _CRUMBS.search(text) and not _ENDED.search(text.strip()):
        return
    if not alone and _reads_as_heading(text, passage):
        return
    for start, end in sentences(text):
        start, end = _trimmed(passage.text, block.start + start, block.start + end)
        if any(c.isalnum() for c in passage.text[start:end]):
            yield Unit(start, end, "sentence", introduces=passage.text[start:end].rstrip("*_`").endswith((":", "：")))


def _reads_as_heading(text: str, passage: Passage) -> bool:
    line = text.strip()
    if line.casefold() in {h.casefold() for h in (passage.title, *passage.heading_path)}:
        return True
    return "\n" not in line and len(line.split()) <= 10 and not _ENDED.search(line) and not re.search(r"[\d=:]", line)


def _end(text: str, block: _Block) -> int:
    return _trimmed(text, block.start, block.end)[1]


def _trimmed(text: str, start: int, end: int) -> tuple[int, int]:
    part = text[start:end]
    return start + len(part) - len(part.lstrip()), end - (len(part) - len(part.rstrip())) if part.strip() else start


def _blocks(text: str) -> Iterator[_Block]:
    """Lines of one kind joined; a list item and a table row are blocks of their own; a fence is one block with its marks."""
    current: _Block | None = None
    fence = ""
    at = 0
    for line in text.splitlines(keepends=True):
        start, at = at, at + len(line)
        if fence and current:
            current = _Block("code", current.start, at)
            if line.strip().startswith(fence):
                yield current
                current, fence = None, ""
            continue
        kind = _kind_of(line, current, text)
        if kind is None:
            if current:
                yield current
            current = None
        elif current and kind == current.kind and (kind in ("prose", "code", "markup")) or kind == "continued":
            assert current is not None
            current = _Block(current.kind, current.start, at)
        elif kind == "underline":
            assert current is not None
            current = _Block("heading", current.start, at)
        else:
            if current:
                yield current
            current = _Block(kind, start, at)  # type: ignore[arg-type]
            fence = match[1][:3] if (match := _FENCE.match(line)) else ""
    if current:
        yield current


def _kind_of(line: str, current: _Block | None, text: str) -> str | None:
    """The block kind of a line, `continued` or `underline` for one that belongs to the block before, None for a blank."""
    if not line.strip():
        return None
    if _FENCE.match(line):
        return "code"
    if _UNDERLINE.match(line):
        return "underline" if current and current.kind == "prose" and "\n" not in text[current.start : current.end].strip() else None
    if _HEADING.match(line):
        return "heading"
    if _MARKUP.match(line):
        return "markup"
    if _RULE.match(line):
        return None
    if _BULLET.match(line):
        return "item"
    if _ROW.match(line):
        return "row"
    if current and current.kind == "item":
        return "continued"
    if _CODE_INDENT.match(line) and (current is None or current.kind == "code"):
        return "code"
    if current and current.kind == "markup" and line[0].isspace():
        return "continued"
    return "prose"
