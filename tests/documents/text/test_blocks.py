from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from documents.parsers.builder import Builder
from documents.text.blocks import Block, blocks_of, packed, path_at, unpacked, within
from documents.text.chunk import canonical


def guide() -> tuple[str, tuple[Block, ...]]:
    builder = Builder("markdown")
    builder.heading(1, "Pump guide")
    builder.prose("Read this first.")
    builder.heading(2, "Care")
    builder.items("- filter\n- hose")
    builder.heading(3, "Weekly")
    builder.code("pump --check")
    builder.heading(2, "Errors")
    builder.table([["Code", "Meaning"], ["E1", "hot"]])
    text, placed = canonical(builder.finish())
    return text, blocks_of(placed)


def test_blocks_are_what_is_no_prose_with_the_depth_of_headings() -> None:
    text, blocks = guide()

    assert [(text[block.start : block.end].split("\n")[0], block.kind, block.level) for block in blocks] == [
        ("Pump guide", "heading", 0),
        ("Care", "heading", 1),
        ("- filter", "list", 0),
        ("Weekly", "heading", 2),
        ("```", "code", 0),
        ("Errors", "heading", 1),
        ("| Code | Meaning |", "table", 0),
    ]


def test_a_heading_with_text_under_it_is_no_title() -> None:
    builder = Builder("markdown")
    builder.heading(1, "One")
    builder.prose("a")
    builder.heading(1, "Two")

    _, placed = canonical(builder.finish())

    assert [block.level for block in blocks_of(placed)] == [1, 1]


def test_the_headings_above_a_place_are_the_nearest_ones_in_the_passage() -> None:
    text, blocks = guide()

    found = {word: path_at(text, blocks, (), text.index(word)) for word in ("Read", "filter", "check", "hot")}

    assert found == {"Read": (), "filter": ("Care",), "check": ("Care", "Weekly"), "hot": ("Errors",)}


def test_a_passage_takes_what_reaches_into_it_clipped() -> None:
    blocks = (Block(0, 4, "heading", 1), Block(6, 20, "code"), Block(22, 30, "list"))

    assert within(blocks, 10, 25) == (Block(0, 10, "code"), Block(12, 15, "list"))
    assert within(blocks, 4, 6) == ()
    assert within((), 0, 9) == ()


@pytest.mark.parametrize(
    "stored",
    [[[0, 1, "prose", 0]], [[1, 1, "list", 0]], [[0, 5, "list", 0], [4, 6, "list", 0]], [[0, 1, "list", -1]], [[True]]],
)
def test_what_nobody_packed_is_refused(stored: list[list[object]]) -> None:
    with pytest.raises(ValueError):
        unpacked(stored)


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(1, 9), st.sampled_from(["heading", "list", "table", "code"]))))
def test_blocks_come_back_from_json_as_they_were(gaps: list[tuple[int, int, str]]) -> None:
    blocks, at = [], 0
    for gap, size, kind in gaps:
        blocks.append(Block(at + gap, at + gap + size, kind, int(kind == "heading")))  # type: ignore[arg-type]
        at += gap + size

    assert unpacked(json.loads(json.dumps(packed(blocks)))) == tuple(blocks)
