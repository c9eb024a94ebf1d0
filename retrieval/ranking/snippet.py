"""The part of a passage that a result shows, with the words of the question that stand in it."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from documents.text import analyse
from documents.text.scripts import UNSPACED

Span = tuple[int, int]
WIDTH = 480
"""Characters of a snippet; a passage that is not much longer is shown whole."""
LEAD = 90
_WORD = re.compile(r"[^\s,;()\[\]{}<>\"“”„«»|]+")
_UNSPACED = re.compile(f"[{UNSPACED}]")
_EDGE = re.compile(r"^(?![./-]\w)\W+|^\W+(?=[./-]\w)|\W+$")


@dataclass(frozen=True, slots=True)
class Snippet:
    """passage[start:end]; `spans` are the matched words, counted in the whole passage."""

    start: int
    end: int
    spans: tuple[Span, ...]


def matches(
    text: str, terms: Collection[str], *, language: str = "", phrases: Sequence[str] = ()
) -> list[tuple[Span, str]]:
    """Where words of the text have a wanted term, and where a phrase stands, in order: ((start, end), what matched)."""
    found: list[tuple[Span, str]] = []
    for word in _WORD.finditer(text):
        if _UNSPACED.search(word[0]):
            found += [((word.start() + a, word.start() + b), term) for a, b, term in _within(word[0], terms)]
            continue
        hit = next((term for term in analyse.analyse(word[0], language=language) if term in terms), None)
        if hit is not None:
            found.append((_trimmed(word), hit))
    for phrase in phrases:
        pattern = r"\s+".join(map(re.escape, phrase.split()))
        found += [((at.start(), at.end()), phrase) for at in re.finditer(pattern, text, re.IGNORECASE)]
    return sorted(found)


def _trimmed(word: re.Match[str]) -> Span:
    """Without the punctuation around the word."""
    bare = _EDGE.sub("", word[0]) or word[0]
    start = word.start() + word[0].index(bare)
    return start, start + len(bare)


def _within(run: str, terms: Collection[str]) -> Iterator[tuple[int, int, str]]:
    """Terms inside a run without spaces, where a term is a pair of characters as often as a word."""
    lowered = run.casefold() if len(run.casefold()) == len(run) else run
    narrow = "".join(c if len(wide := unicodedata.normalize("NFKC", c)) != 1 else wide for c in lowered)
    for term in terms:
        at = narrow.find(term)
        while at >= 0:
            yield at, at + len(term), term
            at = narrow.find(term, at + 1)


def cut(text: str, found: Sequence[tuple[Span, str]], *, by_line: bool = False) -> Snippet:
    """The stretch of about WIDTH characters that holds most of what was asked for, the earliest of equals.

    It begins and ends between sentences or words, between lines where `by_line` says so (tables and code).
    """
    spans = tuple(span for span, _ in found)
    if len(text) <= WIDTH * 1.25:
        return Snippet(0, len(text), spans)
    starts = [start for (start, _), _ in found] or [0]
    anchor = max(starts, key=lambda start: (_worth(found, start), -start))
    start = _back(text, max(0, anchor - LEAD), anchor, by_line=by_line)
    end = _forth(text, min(len(text), start + WIDTH), by_line=by_line)
    return Snippet(start, end, spans)


def _worth(found: Sequence[tuple[Span, str]], start: int) -> int:
    """Distinct terms in the stretch that begins a little before `start`."""
    return len({what for (a, b), what in found if start <= a and b <= start + WIDTH - LEAD})


def _back(text: str, low: int, anchor: int, *, by_line: bool) -> int:
    if by_line:
        return text.rfind("\n", 0, low + 1) + 1
    if low == 0:
        return 0
    for mark in ("\n", ". ", "。", "? ", "! ", " "):
        at = text.find(mark, low, anchor)
        if at >= 0:
            return at + len(mark)
    return low


def _forth(text: str, high: int, *, by_line: bool) -> int:
    if high >= len(text):
        return len(text)
    if by_line:
        at = text.find("\n", high)
        return len(text) if at < 0 else at
    for mark in (". ", "。", "\n", " "):
        at = text.rfind(mark, high - LEAD, high)
        if at >= 0:
            return at + len(mark.rstrip())
    return high
