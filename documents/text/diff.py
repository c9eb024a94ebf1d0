"""What changed between two versions of a text: lines that went, lines that came, and the words that differ within a line."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Literal

Kind = Literal["same", "gone", "new"]
CONTEXT = 2
MOST_LINES = 10_000
"""Of either text between their common beginning and end; what stands further on is not compared."""
MOST_HUNKS = 200
MOST_WORDS = 400
_WORD = re.compile(r"\s+|\w+|[^\w\s]")


@dataclass(frozen=True, slots=True)
class Span:
    text: str
    is_changed: bool = False


@dataclass(frozen=True, slots=True)
class Line:
    """A line in one of the texts. `spans` joined are its text; a line that has no counterpart is changed as a whole."""

    kind: Kind
    spans: tuple[Span, ...]

    @property
    def text(self) -> str:
        return "".join(span.text for span in self.spans)


@dataclass(frozen=True, slots=True)
class Hunk:
    """Lines that changed, with CONTEXT lines around them. Line numbers count from 1 in the old and the new text."""

    old_line: int
    new_line: int
    lines: tuple[Line, ...]


@dataclass(frozen=True, slots=True)
class Diff:
    """`gone` and `new` count lines. `is_cut`: there is more that is not shown."""

    hunks: tuple[Hunk, ...] = ()
    gone: int = 0
    new: int = 0
    is_cut: bool = False


def compare(old: str, new: str) -> Diff:
    """Hunks in reading order; equal texts have none. Time grows with the lines between what both begin and end with."""
    before, after = old.split("\n"), new.split("\n")
    head = _common(before, after)
    tail = _common(before[head:][::-1], after[head:][::-1])
    first, second = before[head : len(before) - tail], after[head : len(after) - tail]
    is_cut = max(len(first), len(second)) > MOST_LINES
    edits = _edits(first[:MOST_LINES], second[:MOST_LINES], head)
    hunks = [_hunk(before, after, group) for group in _grouped(edits)]
    return Diff(
        tuple(hunks[:MOST_HUNKS]),
        gone=sum(i2 - i1 for i1, i2, _, _ in edits),
        new=sum(j2 - j1 for _, _, j1, j2 in edits),
        is_cut=is_cut or len(hunks) > MOST_HUNKS,
    )


Edit = tuple[int, int, int, int]
"""Lines i1:i2 of the old text became lines j1:j2 of the new one."""


def _common(one: Sequence[str], other: Sequence[str]) -> int:
    count = 0
    for first, second in zip(one, other, strict=False):
        if first != second:
            return count
        count += 1
    return count


def _edits(first: Sequence[str], second: Sequence[str], offset: int) -> list[Edit]:
    found = SequenceMatcher(None, first, second, autojunk=len(second) > 2_000).get_opcodes()
    return [(i1 + offset, i2 + offset, j1 + offset, j2 + offset) for tag, i1, i2, j1, j2 in found if tag != "equal"]


def _grouped(edits: Sequence[Edit]) -> Iterator[list[Edit]]:
    """Edits whose context touches stand in one hunk."""
    group: list[Edit] = []
    for edit in edits:
        if group and edit[0] - group[-1][1] > 2 * CONTEXT:
            yield group
            group = []
        group.append(edit)
    if group:
        yield group


def _hunk(before: Sequence[str], after: Sequence[str], edits: Sequence[Edit]) -> Hunk:
    start = max(0, edits[0][0] - CONTEXT)
    lines: list[Line] = []
    position = start
    for i1, i2, j1, j2 in edits:
        lines += [_same(text) for text in before[position:i1]]
        lines += _changed(before[i1:i2], after[j1:j2])
        position = i2
    lines += [_same(text) for text in before[position : position + CONTEXT]]
    return Hunk(start + 1, edits[0][2] - (edits[0][0] - start) + 1, tuple(lines))


def _same(text: str) -> Line:
    return Line("same", (Span(text),))


def _changed(old: Sequence[str], new: Sequence[str]) -> list[Line]:
    """As many lines on both sides are read in pairs, with the words that differ; else each is changed as a whole."""
    if len(old) != len(new):
        whole = [Line("gone", (Span(text, True),)) for text in old]
        return whole + [Line("new", (Span(text, True),)) for text in new]
    found: list[Line] = []
    for one, other in zip(old, new, strict=True):
        gone, came = _words(one, other)
        found += [Line("gone", gone), Line("new", came)]
    return found


def _words(old: str, new: str) -> tuple[tuple[Span, ...], tuple[Span, ...]]:
    first, second = _WORD.findall(old), _WORD.findall(new)
    if max(len(first), len(second)) > MOST_WORDS:
        return (Span(old, True),), (Span(new, True),)
    gone: list[Span] = []
    came: list[Span] = []
    for tag, i1, i2, j1, j2 in SequenceMatcher(None, first, second, autojunk=False).get_opcodes():
        for side, words in ((gone, first[i1:i2]), (came, second[j1:j2])):
            if words:
                side.append(Span("".join(words), tag != "equal"))
    return tuple(gone), tuple(came)
