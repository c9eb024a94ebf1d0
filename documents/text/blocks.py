"""What a text is besides prose: its headings, lists, tables and blocks of code as spans that a page can lay out."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from documents.text.headings import short
from documents.text.units import Placed

BlockKind = Literal["heading", "list", "table", "code"]
BLOCK_KINDS: Final[tuple[BlockKind, ...]] = ("heading", "list", "table", "code")


@dataclass(frozen=True, slots=True)
class Block:
    """`text[start:end]` is of this kind. `level` counts the headings above a heading from 1; 0 is the document's title."""

    start: int
    end: int
    kind: BlockKind
    level: int = 0


def blocks_of(placed: Sequence[Placed]) -> tuple[Block, ...]:
    """The blocks of a canonical text, in order and apart; prose is what lies between them."""
    title = _title(placed)
    return tuple(
        Block(one.start, one.end, one.section.kind, _level(one, title)) for one in placed if one.section.kind != "prose"
    )


def _level(one: Placed, title: Placed | None) -> int:
    return len(one.section.heading_path) + 1 if one.section.kind == "heading" and one is not title else 0


def _title(placed: Sequence[Placed]) -> Placed | None:
    """The first heading, when it stands above all and yet no section is said to stand under it."""
    first = next((i for i, one in enumerate(placed) if one.section.kind == "heading"), None)
    if first is None or placed[first].section.heading_path:
        return None
    under = (short(placed[first].section.text),)
    return placed[first] if all(one.section.heading_path[:1] != under for one in placed[first + 1 :]) else None


def within(blocks: Sequence[Block], start: int, end: int) -> tuple[Block, ...]:
    """The blocks that reach into text[start:end], clipped to it and counted from `start`."""
    first = max(0, bisect_right(blocks, start, key=lambda block: block.start) - 1)
    found = []
    for block in blocks[first:]:
        if block.start >= end:
            break
        if block.end > start:
            found.append(Block(max(block.start, start) - start, min(block.end, end) - start, block.kind, block.level))
    return tuple(found)


def passage_blocks(blocks: tuple[Block, ...], kind: str, text: str) -> tuple[Block, ...]:
    """The blocks of a passage; of one that was cut before blocks were kept, what its own kind tells."""
    if not blocks and kind == "code":
        return (Block(0, len(text), "code"),)
    return (Block(0, len(text), "table"),) if not blocks and kind == "table" else blocks


def path_at(text: str, blocks: Iterable[Block], path: Sequence[str], position: int) -> tuple[str, ...]:
    """The headings above a place in a passage: `path` is the passage's own, its blocks are counted in `text`."""
    above = list(path)
    for block in blocks:
        if block.start > position:
            break
        if block.kind == "heading" and block.level:
            above = [*above[: block.level - 1], short(text[block.start : block.end])]
    return tuple(above)


def packed(blocks: Iterable[Block]) -> list[list[int | str]]:
    """As JSON keeps them: [start, end, kind, level]."""
    return [[block.start, block.end, block.kind, block.level] for block in blocks]


def unpacked(stored: Iterable[Sequence[object]]) -> tuple[Block, ...]:
    """The blocks that `packed` wrote, or an older version's none. Raises ValueError or TypeError for anything else."""
    found = []
    before = 0
    for start, end, kind, level in stored:
        if type(start) is not int or type(end) is not int or type(level) is not int or kind not in BLOCK_KINDS:
            raise ValueError("not a block")
        if not (before <= start < end and 0 <= level < 1000):
            raise ValueError("not a block")
        found.append(Block(start, end, kind, level))
        before = end
    return tuple(found)
