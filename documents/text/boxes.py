"""Where the words of a paged document stand on its pages, tied to the canonical text, small enough to keep with the version."""

from __future__ import annotations

import re
import struct
import zlib
from array import array
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from documents.text.units import Placed

_WORD = re.compile(r"\S+")
# So far ahead a word is looked for when the next one on the page is another (a running line, a page number).
_AHEAD = 60
_HEAD = struct.Struct("<II")
_PAGE = struct.Struct("<IHHI")
_MOST_BYTES = 256 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class PageWords:
    """The words of a page as its file has them. Sizes and boxes are tenths of a point from the upper left corner as shown.

    `boxes` holds left, top, right and bottom of each word.
    """

    page: int
    width: int
    height: int
    words: tuple[str, ...]
    boxes: array[int]


@dataclass(frozen=True, slots=True)
class Box:
    """A rectangle on a page, in tenths of a point from the upper left corner as shown."""

    page: int
    left: int
    top: int
    right: int
    bottom: int


@dataclass(frozen=True, slots=True)
class WordBoxes:
    """`canonical[starts[n]:starts[n] + lengths[n]]` is word n (or a part of one), which stands in boxes[4n:4n + 4].

    `pages` are (number, width, height, how many words), in order; so are the words.
    """

    pages: tuple[tuple[int, int, int, int], ...] = ()
    starts: array[int] = field(default_factory=lambda: array("I"))
    lengths: array[int] = field(default_factory=lambda: array("H"))
    boxes: array[int] = field(default_factory=lambda: array("H"))

    def within(self, start: int, end: int) -> list[Box]:
        """The boxes of the words that reach into canonical[start:end], in order."""
        first = max(0, bisect_left(self.starts, start) - 1)
        found: list[Box] = []
        at = 0
        for page, _, _, count in self.pages:
            for index in range(max(first, at), at + count):
                if self.starts[index] >= end:
                    return found
                if self.starts[index] + self.lengths[index] > start:
                    left, top, right, bottom = self.boxes[4 * index : 4 * index + 4]
                    found.append(Box(page, left, top, right, bottom))
            at += count
        return found


def tied(pages: Sequence[PageWords], placed: Sequence[Placed]) -> WordBoxes:
    """Tie the words of the pages to the canonical text. A word that is not found where it should be has no box."""
    sections: dict[int, list[Placed]] = {}
    for one in placed:
        sections.setdefault(one.section.page or 0, []).append(one)
    found = WordBoxes()
    counts = []
    for page in pages:
        before = len(found.starts)
        for start, length, index in _matched(page, sections.get(page.page, ())):
            if not found.starts or start >= found.starts[-1] + found.lengths[-1]:
                found.starts.append(start)
                found.lengths.append(length)
                found.boxes.extend(page.boxes[4 * index : 4 * index + 4])
        counts.append((page.page, page.width, page.height, len(found.starts) - before))
    return WordBoxes(tuple(counts), found.starts, found.lengths, found.boxes)


def _matched(page: PageWords, sections: Sequence[Placed]) -> Iterator[tuple[int, int, int]]:
    """Yield (start, length, word of the page) for the words of the canonical text that stand on this page."""
    at = 0
    for placed in sections:
        for token in _WORD.finditer(placed.section.text):
            start, rest = placed.start + token.start(), token.group()
            while rest:
                index, size = _next(page.words, at, rest, whole=rest == token.group())
                if index < 0:
                    break
                yield start, min(size, 65_535), index
                start, rest, at = start + size, rest[size:], index + 1


def _next(words: Sequence[str], at: int, wanted: str, *, whole: bool) -> tuple[int, int]:
    """Which word of the page this is, and how much of it; -1 for none. A word cut at the end of a line comes in parts."""
    for index in range(at, min(at + (_AHEAD if whole else 1), len(words))):
        if words[index] == wanted:
            return index, len(wanted)
    if at < len(words):
        part = words[at].rstrip("-\u00ad\u2010")
        if part and len(part) < len(wanted) and wanted.startswith(part):
            return at, len(part)
    return -1, 0


def packed(boxes: WordBoxes) -> bytes:
    """The bytes that are kept: as differences, compressed; b"" for no words."""
    if not boxes.starts:
        return b""
    pages = b"".join(_PAGE.pack(*page) for page in boxes.pages)
    gaps = array("I", (now - before for now, before in zip(boxes.starts, [0, *boxes.starts[:-1]], strict=True)))
    head = _HEAD.pack(len(boxes.pages), len(boxes.starts))
    return zlib.compress(b"".join((head, pages, gaps.tobytes(), boxes.lengths.tobytes(), boxes.boxes.tobytes())), 6)


def unpacked(data: bytes) -> WordBoxes:
    """The boxes that `packed` wrote. Raises ValueError for anything else."""
    if not data:
        return WordBoxes()
    try:
        reader = zlib.decompressobj()
        raw = reader.decompress(data, _MOST_BYTES)
        page_count, word_count = _HEAD.unpack_from(raw)
        at = _HEAD.size + page_count * _PAGE.size
        if not reader.eof or reader.unused_data or len(raw) != at + word_count * 14:
            raise ValueError("not word boxes")
        pages = tuple(_PAGE.iter_unpack(raw[_HEAD.size : at]))
    except (zlib.error, struct.error) as trouble:
        raise ValueError("not word boxes") from trouble
    starts, lengths, boxes = array("I"), array("H"), array("H")
    starts.frombytes(raw[at : at + 4 * word_count])
    lengths.frombytes(raw[at + 4 * word_count : at + 6 * word_count])
    boxes.frombytes(raw[at + 6 * word_count :])
    total = 0
    for index, gap in enumerate(starts):
        total += gap
        if total >= 2**31 or (index and gap < lengths[index - 1]) or not lengths[index]:
            raise ValueError("words that overlap")
        starts[index] = total
    _hold_pages(pages, word_count)
    if any(boxes[at] > boxes[at + 2] or boxes[at + 1] > boxes[at + 3] for at in range(0, len(boxes), 4)):
        raise ValueError("a box turned inside out")
    return WordBoxes(pages, starts, lengths, boxes)


def _hold_pages(pages: Sequence[tuple[int, ...]], word_count: int) -> None:
    if sum(page[3] for page in pages) != word_count:
        raise ValueError("words on no page")
    if any(page[0] <= before for page, before in zip(pages, (0, *(page[0] for page in pages[:-1])), strict=True)):
        raise ValueError("pages out of order")
