"""Tile sections with the units that chunks are packed from: sentences, table rows, lines of code."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from documents.text.scripts import MARKS
from documents.text.section import Section
from documents.text.sentences import paragraph_sentences, sentences

Count = Callable[[str], int]

_WORD = re.compile(r"\S+")
_LINE = re.compile(r"[^\n]+")
# A symbol with what hangs on it: combining marks, variation selectors, skin tones, joined emoji, flag pairs.
_GRAPHEME = re.compile(
    f"(?:[\U0001f1e6-\U0001f1ff]{{2}}|.)(?:[{MARKS}\ufe0e\ufe0f\U0001f3fb-\U0001f3ff\u200c]|\u200d.)*", re.DOTALL
)


@dataclass(frozen=True, slots=True)
class Placed:
    """A section and where it stands in the canonical text: `section.text == canonical[start:end]`."""

    section: Section
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Unit:
    """The least that a piece takes whole: canonical[start:end], with its size in tokens and the section it is from."""

    start: int
    end: int
    tokens: int
    placed: Placed


def tile(canonical: str, placed: Placed, count: Count, most: int) -> Iterator[Unit]:
    """Yield the units of a section in order, covering all but the space between them, none larger than `most`."""
    before = placed.start
    for end in _ends(canonical, placed):
        start = _skip_space(canonical, before, end)
        if start < end:
            yield from _sized(canonical, placed, start, end, count, most)
        before = end


def cut(canonical: str, unit: Unit, count: Count, most: int) -> list[Unit]:
    """Cut a unit that is too large at word ends, and a word that is too large between graphemes; at least two parts."""
    text = canonical[unit.start : unit.end]
    tokens = [match.span() for match in _WORD.finditer(text)]
    if len(tokens) < 2:
        tokens = [match.span() for match in _GRAPHEME.finditer(text)]
    if len(tokens) < 2:
        return [unit]
    parts: list[Unit] = []
    position = 0
    share = max(1, len(tokens) * most // max(unit.tokens, 1))
    while position < len(tokens):
        last = len(tokens) if parts else len(tokens) - 1
        upto = min(position + share, last)
        start, end = tokens[position][0], tokens[upto - 1][1]
        size = count(text[start:end])
        while size > most and upto - position > 1:
            upto = position + max(1, (upto - position) * most // size if size < 2 * most else (upto - position) // 2)
            end = tokens[upto - 1][1]
            size = count(text[start:end])
        part = Unit(unit.start + start, unit.start + end, size, unit.placed)
        parts += cut(canonical, part, count, most) if size > most else [part]
        position = upto
    return parts


def _sized(canonical: str, placed: Placed, start: int, end: int, count: Count, most: int) -> list[Unit]:
    unit = Unit(start, end, count(canonical[start:end]), placed)
    return [unit] if unit.tokens <= most else cut(canonical, unit, count, most)


def _ends(canonical: str, placed: Placed) -> list[int]:
    """Where each unit ends; the last one is the end of the section."""
    if placed.section.kind in ("table", "code"):
        return [match.end() for match in _LINE.finditer(canonical, placed.start, placed.end)]
    if placed.section.kind == "heading":
        return [placed.end]
    text = placed.section.text
    found = sentences(text) if "\n" in text else paragraph_sentences(text, 0, len(text))
    ends = [placed.start + end for _, end in found]
    return [*ends[:-1], placed.end]


def _skip_space(text: str, position: int, end: int) -> int:
    while position < end and text[position].isspace():
        position += 1
    return position
