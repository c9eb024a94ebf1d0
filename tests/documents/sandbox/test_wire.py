from __future__ import annotations

import json
from array import array
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from documents.parsers.outcome import Limits
from documents.prepared import Failed, Prepared, PreparedPiece, Refused
from documents.sandbox_wire import _HEAD, NotOurs, decode, encode
from documents.text.boxes import WordBoxes, packed
from documents.text.links import Link
from documents.text.piece import Piece
from documents.text.section import Entry, ParseReport, Skipped

REPORT = ParseReport("test", 3, (2,), (Skipped("picture", "a.png", "not read"),), 4, "utf-8", ("odd",))
PREPARED = Prepared(
    canonical="Häuser\n\n中文 text",
    title="Title",
    language="de",
    report=REPORT,
    pieces=(
        PreparedPiece(Piece(0, 0, 6, "Häuser", ("A", "B"), 1, "prose", ""), {-(2**63): 2, 5: 1}, 3),
        PreparedPiece(Piece(1, 8, 15, "中文 text", (), None, "table", "| a |", 1), {2**63 - 1: 1}, 1),
    ),
    source_url="https://example.org/a",
    links=(Link(0, 6, "b.html"), Link(8, 10, "https://example.org/b")),
    entries=(Entry("release", "1.0", "1.0 (2024-01-02)", "https://example.org/1.0", "2024-01-02"),),
    boxes=packed(WordBoxes(((1, 6120, 7920, 2),), array("I", (0, 8)), array("H", (6, 2)), array("H", range(8)))),
)


@pytest.mark.parametrize(
    "outcome", [PREPARED, Refused("documents.empty"), Failed("documents.reader_failed", "ValueError")]
)
def test_an_outcome_comes_back_as_it_was(outcome: Prepared | Refused | Failed) -> None:
    assert decode(encode(outcome), Limits()) == outcome


def changed(**header: Any) -> bytes:
    data = encode(PREPARED)
    _, size, _, boxed = _HEAD.unpack_from(data)
    words = json.loads(data[_HEAD.size : _HEAD.size + size])
    words.update(header)
    body = json.dumps(words).encode()
    canonical = PREPARED.canonical.encode()
    return _HEAD.pack(b"FNP3", len(body), len(canonical), boxed) + body + data[_HEAD.size + size :]


@pytest.mark.parametrize(
    "data",
    [
        encode(replace(PREPARED, boxes=b"garbage")),
        encode(
            replace(
                PREPARED,
                boxes=packed(WordBoxes(((1, 9, 9, 1),), array("I", (99,)), array("H", (2,)), array("H", (1, 2, 3, 4)))),
            )
        ),
        b"",
        b"FNP3",
        b"XXXX" + encode(PREPARED)[4:],
        encode(PREPARED)[:-1],
        encode(PREPARED) + b"x",
        changed(title="a\x00b"),
        changed(title="\ud800"),
        changed(title=7),
        changed(title="x" * 5000),
        changed(outcome="Failed", code="portal.forbidden", detail=""),
        changed(outcome="exec"),
        changed(pieces=[[0, 99, None, "prose", 0, 0, 0, 2], [8, 15, None, "table", 1, 1, 0, 1]]),
        changed(pieces=[[8, 15, None, "prose", 0, 0, 0, 2], [0, 6, None, "table", 1, 1, 0, 1]]),
        changed(pieces=[[0, 6, None, "script", 0, 0, 0, 2], [8, 15, None, "table", 1, 1, 0, 1]]),
        changed(pieces=[[0, 6, 0, "prose", 0, 0, 0, 2], [8, 15, None, "table", 1, 1, 0, 1]]),
        changed(pieces=[[0, 6, None, "prose", 9, 0, 0, 2], [8, 15, None, "table", 1, 1, 0, 1]]),
        changed(pieces=[[0, 6, None, "prose", 0, 0, 0, -1], [8, 15, None, "table", 1, 1, 0, 4]]),
        changed(pieces=[[0.0, 6, None, "prose", 0, 0, 0, 2], [8, 15, None, "table", 1, 1, 0, 1]]),
        changed(pieces=[[0, 6, None, "prose", 0, 0, 2, 2], [8, 15, None, "table", 1, 1, 0, 1]]),
        changed(pieces=[[0, 6, None, "prose", 0, 0, -1, 2], [8, 15, None, "table", 1, 1, 0, 1]]),
        changed(entries=[["release", "1.0", "1.0", "javascript:alert(1)", ""]]),
        changed(entries=[["spell", "1.0", "1.0", "", ""]]),
        changed(entries=[["release", "1.0", "1.0", ""]]),
        changed(source_url="javascript:alert(1)"),
        changed(links=[[0, 6, "javascript:alert(1)"]]),
        changed(links=[[0, 99, "b.html"]]),
        changed(report={}),
        changed(report=None),
    ],
)
def test_what_our_child_would_not_write_is_not_believed(data: bytes) -> None:
    with pytest.raises(NotOurs):
        decode(data, Limits())


def test_limits_hold_for_what_comes_back() -> None:
    with pytest.raises(NotOurs):
        decode(encode(PREPARED), Limits(text_characters=5))
    with pytest.raises(NotOurs):
        decode(encode(PREPARED), Limits(pieces=1))


@given(st.binary(max_size=300), st.integers(0, 400))
def test_any_damage_is_told_or_harmless(noise: bytes, at: int) -> None:
    data = encode(PREPARED)
    damaged = data[:at] + noise + data[at + len(noise) :]

    try:
        found = decode(damaged, Limits())
    except NotOurs:
        return
    if isinstance(found, Prepared):
        assert all(item.piece.text == found.canonical[item.piece.start : item.piece.end] for item in found.pieces)
