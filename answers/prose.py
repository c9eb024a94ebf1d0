"""A model's text as a page shows it: paragraphs of sentences, each with its markers and, where it has one, its flag."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

from answers.rules.markers import Marker, code_spans, markers

FLAGS: Final[Mapping[str, str]] = {
    "number": "a number that is not in its sources",
    "entity": "a name that is not in its sources",
    "negation": "its sources say the opposite",
    "uncited": "no source is named",
    "words": "its sources do not say this in these words",
}
_ITEM: Final = re.compile(r"[ \t]*(?:[-*•]|\d{1,2}[.)])[ \t]+")


@dataclass(frozen=True, slots=True)
class Chip:
    """A marker; `id` is unique on the page, `name` what a screen reader says."""

    number: int
    name: str
    id: str


@dataclass(frozen=True, slots=True)
class Run:
    """Words, or the chips that follow them."""

    text: str = ""
    chips: tuple[Chip, ...] = ()


@dataclass(frozen=True, slots=True)
class Sentence:
    runs: tuple[Run, ...]
    support: str = ""
    flag: str = ""

    @property
    def is_flagged(self) -> bool:
        return bool(self.flag)


@dataclass(frozen=True, slots=True)
class Paragraph:
    kind: Literal["prose", "item", "code"]
    sentences: tuple[Sentence, ...]


@dataclass(frozen=True, slots=True)
class Prose:
    """`text` is what is copied; `is_removed` that a source, or the right to see it, is gone."""

    text: str = ""
    paragraphs: tuple[Paragraph, ...] = ()
    is_removed: bool = False
    flagged: int = 0
    count: int = 0


def prose(text: str, audited: Sequence[Sequence[Any]], names: Mapping[int, str]) -> Prose:
    """`audited` are [start, end, support, [faults], [numbers]] of the text; `names` of the citations by number."""
    page = _Page(text, audited, names)
    paragraphs = tuple(page.paragraphs())
    flagged = sum(sentence.is_flagged for paragraph in paragraphs for sentence in paragraph.sentences)
    return Prose(text, paragraphs, flagged=flagged, count=len(audited))


class _Page:
    def __init__(self, text: str, audited: Sequence[Sequence[Any]], names: Mapping[int, str]) -> None:
        self._text = text
        self._audited = audited
        self._names = names
        self._markers = [m for m in markers(text, []) if any(number in names for number in m.numbers)]
        self._places: dict[int, int] = {}

    def paragraphs(self) -> Iterator[Paragraph]:
        at = 0
        for start, end in self._fences():
            yield from self._written(at, start)
            code = re.sub(r"\A[ \t]*(`{3,}|~{3,})[^\n]*\n?|\n?[ \t]*(`{3,}|~{3,})[ \t]*\Z", "", self._text[start:end])
            yield Paragraph("code", (Sentence((Run(code),)),))
            at = end
        yield from self._written(at, len(self._text))

    def _fences(self) -> list[tuple[int, int]]:
        return [span for span in code_spans(self._text) if self._text[span[0] : span[1]].lstrip()[:3] in ("```", "~~~")]

    def _written(self, start: int, end: int) -> Iterator[Paragraph]:
        for match in re.finditer(r"[^\n]+(?:\n(?![ \t]*(?:[-*•]|\d{1,2}[.)])[ \t])[^\n]+)*", self._text[start:end]):
            first, last = start + match.start(), start + match.end()
            if not self._text[first:last].strip():
                continue
            item = _ITEM.match(self._text, first, last)
            sentences = tuple(self._sentences(item.end() if item else first, last))
            yield Paragraph("item" if item else "prose", sentences)

    def _sentences(self, start: int, end: int) -> Iterator[Sentence]:
        at = start
        for begins, ends, support, faults, _ in self._audited:
            first, last = max(begins, at), min(ends, end)
            if first >= last:
                continue
            if self._text[at:first].strip():
                yield Sentence(tuple(self._runs(at, first)))
            yield Sentence(tuple(self._runs(max(at, first), last)), support, _flag(support, faults))
            at = last
        if self._text[at:end].strip():
            yield Sentence(tuple(self._runs(at, end)))

    def _runs(self, start: int, end: int) -> Iterator[Run]:
        at = start
        for marker in self._markers:
            if not start <= marker.start < end:
                continue
            if marker.start > at:
                yield Run(self._text[at : marker.start])
            yield Run(chips=tuple(self._chips(marker)))
            at = marker.end
        if at < end:
            yield Run(self._text[at:end])

    def _chips(self, marker: Marker) -> Iterator[Chip]:
        for number in marker.numbers:
            if number in self._names:
                place = self._places[number] = self._places.get(number, 0) + 1
                yield Chip(number, self._names[number], f"cite-{number}-{place}")


def _flag(support: str, faults: Sequence[str]) -> str:
    if support == "supported":
        return ""
    return next((words for fault, words in FLAGS.items() if fault in faults), "its sources do not say this")
