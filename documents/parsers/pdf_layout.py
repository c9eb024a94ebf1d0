"""Put the lines of PDF pages together again: paragraphs, lists and headings, without what repeats on every page."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

_DIGITS = re.compile(r"\d+")
_PAGE_NUMBER = re.compile(
    r"^\W*(?:(?:page|seite|p\.?|стр\.?|第)?\s*\d{1,4}(?:\s*(?:/|of|von|de)\s*\d{1,4})?\s*页?|[ivxlc]{1,6})\W*$",
    re.IGNORECASE,
)
_BULLET = re.compile(r"^(?:[•‣◦▪■●○–∙·o]\s|[-*]\s|\(?\d{1,2}[.)]\s|\(?[a-z]\)\s)")
_ENDS_SENTENCE = re.compile(r"[.!?:;。！？：；]['\"”’)\]]*$")
_CUT_WORD = re.compile(r"(\w?)\x02 ?(\w?)")
_LETTERS = re.compile(r"[^\W\d_]")
# A heading is so much larger than the body, and no longer than this.
_LARGER = 1.12
_LONGEST_HEADING = 160
_LEVELS = 4
_EDGE_LINES = 2


@dataclass(frozen=True, slots=True)
class Line:
    """A line of a page: its words, the size of its letters, and its place in points from the lower left corner.

    `in_margin` says that it stands in the outer eighth at the top or the bottom, where running lines do.
    """

    text: str
    size: float
    left: float
    right: float
    bottom: float
    top: float
    in_margin: bool = False


def without_running_lines(pages: Sequence[list[Line]], normal: float) -> list[list[Line]]:
    """Drop page numbers, and the first and last lines that come back on at least three pages and a third of all.

    A number in them may change from page to page, but not in lines as large as headings: those are chapters.
    """
    if len(pages) < 2:
        return list(pages)
    seen: Counter[str] = Counter()
    for lines in pages:
        seen.update({_shape(line, normal) for line in _edges(lines)})
    least = max(3, len(pages) // 3)
    repeated = {shape for shape, count in seen.items() if count >= least}
    return [_inner(lines, repeated, normal) for lines in pages]


def _edges(lines: list[Line]) -> list[Line]:
    outer = lines if len(lines) <= 2 * _EDGE_LINES else lines[:_EDGE_LINES] + lines[-_EDGE_LINES:]
    return [line for line in outer if line.in_margin]


def _shape(line: Line, normal: float) -> str:
    return line.text if _may_be_heading(line, normal) else _DIGITS.sub("#", line.text)


def _inner(lines: list[Line], repeated: set[str], normal: float) -> list[Line]:
    """A page without its running lines; a page that is nothing else keeps them."""
    edges = {id(line) for line in _edges(lines)}
    kept = [line for line in lines if id(line) not in edges or not _is_running(line, repeated, normal)]
    return kept or lines


def _is_running(line: Line, repeated: set[str], normal: float) -> bool:
    return _shape(line, normal) in repeated or bool(_PAGE_NUMBER.match(line.text))


def body_size(pages: Sequence[Sequence[Line]]) -> float:
    """The size that most characters of a document have; 0 for a document without text."""
    sizes: Counter[float] = Counter()
    for lines in pages:
        for line in lines:
            sizes[round(line.size)] += len(line.text)
    return max(sizes, key=lambda size: (sizes[size], -size), default=0.0)


def heading_levels(pages: Sequence[Sequence[Line]], normal: float) -> dict[float, int]:
    """Levels by size, 1 for the largest; sizes that are used for much of the text are no headings."""
    sizes: Counter[float] = Counter()
    total = 0
    for lines in pages:
        for line in lines:
            total += len(line.text)
            if _may_be_heading(line, normal):
                sizes[round(line.size)] += len(line.text)
    ranked: list[float] = []
    used = 0
    for size in sorted(sizes, reverse=True):
        used += sizes[size]
        if used > total * 0.3:  # slides and diagrams: large letters are their body
            break
        ranked.append(size)
    return {size: min(rank, _LEVELS) for rank, size in enumerate(ranked, 1)}


def _may_be_heading(line: Line, normal: float) -> bool:
    return (
        round(line.size) >= normal * _LARGER + 0.5
        and len(line.text) <= _LONGEST_HEADING
        and bool(_LETTERS.search(line.text))
    )


def paragraphs(lines: Sequence[Line], levels: dict[float, int], normal: float) -> Iterator[tuple[str, str, float]]:
    """Yield (kind, text, size) of the blocks of a page, in order; kind is heading, list or prose."""
    width = max((line.right for line in lines), default=0.0)
    block: list[Line] = []
    for line in lines:
        if block and _starts_block(block[-1], line, levels, normal, width):
            yield _block(block, levels, normal)
            block = []
        block.append(line)
    if block:
        yield _block(block, levels, normal)


def _starts_block(before: Line, line: Line, levels: dict[float, int], normal: float, width: float) -> bool:
    heading = _is_heading(line, levels, normal)
    if heading != _is_heading(before, levels, normal) or (heading and round(line.size) != round(before.size)):
        return True
    gap = before.bottom - line.top
    height = max(line.size, before.size, 1.0)
    if _BULLET.match(line.text) or gap > height * 0.9 or gap < -height * 3:
        return True
    if heading:
        return gap > height * 0.6
    return bool(_ENDS_SENTENCE.search(before.text)) and before.right < width - height * 4


def _is_heading(line: Line, levels: dict[float, int], normal: float) -> bool:
    return _may_be_heading(line, normal) and round(line.size) in levels


def _block(lines: Sequence[Line], levels: dict[float, int], normal: float) -> tuple[str, str, float]:
    text = joined([line.text for line in lines])
    if _is_heading(lines[0], levels, normal) and len(text) <= _LONGEST_HEADING * 2:
        return "heading", text, round(lines[0].size)
    return ("list" if _BULLET.match(text) else "prose"), text, round(lines[0].size)


def joined(lines: Sequence[str]) -> str:
    """Put the lines of a paragraph together; a word cut at the end of a line becomes whole."""
    parts = [lines[0]] if lines else []
    for before, line in pairwise(lines):
        if before.endswith("-") and before[-2:-1].isalpha() and line[:1].islower():
            parts[-1] = parts[-1][:-1]
            parts.append(line)
        elif before.endswith("\x02") or (_is_wide(before[-1:]) and _is_wide(line[:1])):
            parts.append(line)
        else:
            parts.append(" " + line)
    return _CUT_WORD.sub(_whole_word, "".join(parts))


def _whole_word(found: re.Match[str]) -> str:
    """PDFium joins the lines of a word that was cut and leaves a control character where the hyphen was."""
    before, after = found.groups()
    return before + after if before.isalpha() and after.islower() else f"{before}-{after}"


def _is_wide(char: str) -> bool:
    return "\u2e80" <= char <= "\u9fff" or "\uff00" <= char <= "\uff60"
