from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from documents.text.chunk import canonical, chunk, fit_title
from documents.text.piece import ChunkProfile, Piece
from documents.text.section import Kind, Parsed, ParseReport, Section


def words(text: str) -> int:
    """A tokenizer with markers: words, long ones in parts of four, ideographs one each."""
    size = 2
    for word in text.split():
        size += sum(1 for char in word if char > "\u2e80") + -(-sum(1 for char in word if char <= "\u2e80") // 4)
    return size


def parsed(*sections: Section, title: str = "") -> Parsed:
    return Parsed(sections, ParseReport("test"), title=title)


def heading(text: str, *path: str) -> Section:
    return Section(text, "heading", path)


def covers(text: str, pieces: list[Piece]) -> bool:
    seen = {position for piece in pieces for position in range(piece.start, piece.end)}
    return all(char.isspace() or position in seen for position, char in enumerate(text))


def test_canonical_text_joins_sections_by_a_blank_line() -> None:
    text, placed = canonical(parsed(Section("one"), Section("two")))

    assert text == "one\n\ntwo"
    assert [(one.start, one.end) for one in placed] == [(0, 3), (5, 8)]


def test_a_heading_stays_with_what_follows_it() -> None:
    body = "word " * 30
    doc = parsed(
        heading("A"), Section(body.strip(), "prose", ("A",)), heading("B"), Section(body.strip(), "prose", ("B",))
    )

    pieces = chunk(doc, ChunkProfile(max_tokens=60), words)

    assert [(piece.text[:1], piece.heading_path) for piece in pieces] == [("A", ("A",)), ("B", ("B",))]


def test_small_siblings_share_a_piece_under_their_parent() -> None:
    doc = parsed(
        heading("A", "Top"),
        Section("a few words", "prose", ("Top", "A")),
        heading("B", "Top"),
        Section("more", "prose", ("Top", "B")),
    )

    (piece,) = chunk(doc, ChunkProfile(max_tokens=60), words)

    assert piece.heading_path == ("Top",)
    assert piece.text == "A\n\na few words\n\nB\n\nmore"


def test_small_sections_of_different_pages_stay_apart() -> None:
    doc = parsed(Section("one", page=1), Section("two", page=2))

    assert [(piece.text, piece.page) for piece in chunk(doc, ChunkProfile(), words)] == [("one", 1), ("two", 2)]


def test_a_long_section_overlaps_by_whole_sentences() -> None:
    text = " ".join(f"Sentence number {i} here." for i in range(40))

    pieces = chunk(parsed(Section(text)), ChunkProfile(max_tokens=60, overlap_tokens=14), words)

    assert len(pieces) > 3
    for before, after in pairwise(pieces):
        assert before.start < after.start < before.end
        assert text[after.start :].startswith("Sentence number")
        assert text[after.start - 1] == " "


def test_a_table_repeats_its_header_and_is_cut_between_rows() -> None:
    header = "| name | price |\n|---|---|"
    rows = [f"| item{i} | {i} |" for i in range(60)]
    table = Section("\n".join([header, *rows]), "table", ("Prices",), header=header)

    pieces = chunk(parsed(table), ChunkProfile(max_tokens=80), words)

    assert len(pieces) > 2
    assert pieces[0].prefix == ""
    assert {piece.prefix for piece in pieces[1:]} == {header}
    assert [line for piece in pieces for line in piece.text.split("\n")] == table.text.split("\n")
    assert {piece.kind for piece in pieces} == {"table"}


def test_an_absurd_header_is_not_repeated() -> None:
    header = "| " + "column " * 200 + "|\n|---|"
    table = Section(header + "\n" + "\n".join(f"| {i} |" for i in range(50)), "table", header=header)

    pieces = chunk(parsed(table), ChunkProfile(max_tokens=80), words)

    assert {piece.prefix for piece in pieces} == {""}
    assert all(words(piece.searchable_text("")) <= 80 for piece in pieces)


def test_code_is_cut_between_lines() -> None:
    code = "```py\n" + "\n".join(f"value_{i} = compute({i})" for i in range(50)) + "\n```"

    pieces = chunk(parsed(Section(code, "code")), ChunkProfile(max_tokens=50), words)

    assert "\n".join(piece.text for piece in pieces) == code


def test_a_word_without_end_is_cut_between_graphemes() -> None:
    text = "e\u0301" * 400

    pieces = chunk(parsed(Section(text)), ChunkProfile(max_tokens=30), words)

    assert "".join(piece.text for piece in pieces) == text
    assert not any(piece.text.startswith("\u0301") for piece in pieces)


def test_window_ignores_headings_and_whole_keeps_a_unit_together() -> None:
    doc = parsed(
        *(Section(f"word {i} is here.", "prose", ("Unit", str(i))) for i in range(10)),
        Section("x", "prose", ("Other",)),
    )

    assert len(chunk(doc, ChunkProfile("window", 300, 30), words)) == 1
    assert [piece.heading_path[:1] for piece in chunk(doc, ChunkProfile("whole", 300, 30), words)] == [
        ("Unit",),
        ("Other",),
    ]


def test_nothing_gives_no_pieces() -> None:
    assert chunk(parsed(), ChunkProfile(), words) == []


def test_a_title_without_end_is_cut_to_a_quarter_of_the_budget() -> None:
    title = fit_title("word " * 500, ChunkProfile(max_tokens=100), words)

    assert 10 < words(title) <= 25


_TEXT = st.text(alphabet="ab. \n中é\u0301|`-é1", min_size=1, max_size=300).map(str.strip).filter(bool)
_PATH = st.lists(st.sampled_from(["One", "Two", "Three " * 12]), max_size=3).map(tuple)


@st.composite
def _section(draw: st.DrawFn) -> Section:
    kind: Kind = draw(st.sampled_from(["prose", "heading", "list", "table", "code"]))
    header = ""
    text = draw(_TEXT)
    if kind == "table" and draw(st.booleans()):
        header = "| a | b |\n|---|---|"
        text = header + "\n" + text
    return Section(text, kind, draw(_PATH), draw(st.sampled_from([None, 1, 2])), header)


@pytest.mark.parametrize("splitter", ["structure", "window", "whole"])
@given(sections=st.lists(_section(), max_size=8), size=st.integers(24, 90), overlap=st.integers(0, 20))
@settings(max_examples=120, deadline=None)
def test_pieces_of_any_document_keep_their_promises(
    splitter: str, sections: list[Section], size: int, overlap: int
) -> None:
    doc = parsed(*sections)
    profile = ChunkProfile(splitter, size, overlap)  # type: ignore[arg-type]
    title = fit_title("A title of some length", profile, words)

    pieces = chunk(doc, profile, words, title=title)

    text, _ = canonical(doc)
    assert [piece.ordinal for piece in pieces] == list(range(len(pieces)))
    assert all(piece.text == text[piece.start : piece.end] and piece.text.strip() for piece in pieces)
    assert all(before.start < after.start and before.end < after.end for before, after in pairwise(pieces))
    assert all(words(piece.searchable_text(title)) <= size for piece in pieces)
    assert covers(text, pieces)


def test_a_part_that_is_all_overlap_is_no_piece() -> None:
    """Found by the test above: a part was larger than the sum of its units, and one half of it had been said before."""
    header = "| a | b |\n|---|---|"
    doc = parsed(
        Section(f"{header}\n1", "table", (), None, header),
        Section("1", "heading"),
        Section("11111", "heading"),
        Section("1", "prose", ("One", "One")),
        Section("1 11111中中", "prose"),
        Section("1 1111111111111中", "prose"),
    )
    profile = ChunkProfile("window", 24, 4)

    pieces = chunk(doc, profile, words, title=fit_title("A title of some length", profile, words))

    assert all(before.start < after.start and before.end < after.end for before, after in pairwise(pieces))
    assert covers(canonical(doc)[0], pieces)


@pytest.mark.parametrize("splitter", ["structure", "window", "whole"])
def test_no_piece_holds_words_of_two_entries(splitter: str) -> None:
    doc = parsed(
        heading("Changes"),
        Section("2.0", "heading", (), entry=1),
        Section("small", "prose", ("2.0",), entry=1),
        Section("1.0", "heading", (), entry=2),
        Section("word " * 80, "prose", ("1.0",), entry=2),
        Section("and more", "prose", (), entry=0),
    )

    pieces = chunk(doc, ChunkProfile(splitter=splitter, max_tokens=60), words)  # type: ignore[arg-type]

    assert pieces[0].text == "Changes\n\n2.0\n\nsmall"
    assert [piece.entry for piece in pieces] == [1, *[2] * (len(pieces) - 2), 0]
    assert len(pieces) > 3 and all("small" not in piece.text for piece in pieces[1:])


def test_a_release_without_words_is_a_piece_of_its_own() -> None:
    doc = parsed(Section("2.0", "heading", (), entry=1), Section("1.0", "heading", (), entry=2))

    assert [(one.text, one.entry) for one in chunk(doc, ChunkProfile(), words)] == [("2.0", 1), ("1.0", 2)]
