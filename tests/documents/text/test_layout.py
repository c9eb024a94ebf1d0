from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from documents.text.blocks import BLOCK_KINDS, Block, BlockKind
from documents.text.layout import Item, Part, Words, header_of, is_row, lay_out, plain, rows_in, table_of

TABLE = "| Code | Meaning |\n|---|---|\n| E4303 | blocked |\n| E4304 | a \\| b |"


def whole(text: str, kind: BlockKind, *marked: str) -> tuple[Part, ...]:
    spans = [(text.index(one), text.index(one) + len(one)) for one in marked]
    return lay_out(text, (Block(0, len(text), kind),), spans=spans)


def cells(*texts: str) -> tuple[Words, ...]:
    return tuple(Words(text) for text in texts)


def test_prose_is_a_part_for_each_paragraph_with_the_marks_that_fall_in_it() -> None:
    text = "One two.\n\nThree\nfour."

    assert lay_out(text, spans=[(4, 15)]) == (
        Part("prose", Words("One two.", ((4, 8),))),
        Part("prose", Words("Three\nfour.", ((0, 5),))),
    )


@pytest.mark.parametrize("span", [(-1, 2), (2, 2), (3, 1), (0, 99)])
def test_a_span_that_reaches_outside_marks_nothing(span: tuple[int, int]) -> None:
    assert lay_out("twelve chars", spans=[span]) == (Part("prose", Words("twelve chars")),)


def test_a_table_has_its_header_and_marks_what_is_quoted_in_its_cells() -> None:
    [table] = whole(TABLE, "table", "| E4303 | blocked |")

    assert table.header == (cells("Code", "Meaning"),)
    assert table.rows == ((Words("E4303", ((0, 5),)), Words("blocked", ((0, 7),))), cells("E4304", "a | b"))


def test_marks_follow_a_bar_that_was_escaped() -> None:
    [table] = whole("| a \\| b c | d |", "table", "b c")

    assert table.rows == ((Words("a | b c", ((4, 7),)), Words("d")),)


def test_a_passage_that_begins_below_the_header_repeats_it() -> None:
    header, rows = TABLE[:34], TABLE[TABLE.index("| E4304") :]

    [table] = lay_out(rows, (Block(0, len(rows), "table"),), prefix=header)

    assert table == Part("table", header=(cells("Code", "Meaning"),), rows=(cells("E4304", "a | b"),))


def test_the_rest_of_a_row_that_was_cut_stands_by_itself() -> None:
    assert whole("of a cell |\n| c | d |", "table") == (
        Part("prose", Words("of a cell |")),
        Part("table", rows=(cells("c", "d"),)),
    )


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("```python\n  x = 1\n```", "  x = 1"),
        ("```\na\n\n  b", "a\n\n  b"),
        ("  b\n```", "  b"),
        ("````\n```\n````", "```"),
        ("x", "x"),
    ],
)
def test_code_is_shown_without_its_fences_however_it_was_cut(text: str, shown: str) -> None:
    assert whole(text, "code") == (Part("code", Words(shown)),)


def test_a_fence_alone_shows_nothing() -> None:
    assert whole("```", "code") == ()


def test_a_list_has_items_with_their_depth_and_what_stands_among_them() -> None:
    text = "rest of one\n- two\n  goes on\n  - three\n```sh\n- no item\n```\n10. ten\n| a | b |"

    first, code, second, table = whole(text, "list", "goes on")

    assert first.items == (
        Item("", 0, Words("rest of one")),
        Item("•", 0, Words("two\n  goes on", ((6, 13),))),
        Item("•", 1, Words("three")),
    )
    assert code == Part("code", Words("- no item"))
    assert second.items == (Item("10.", 0, Words("ten")),)
    assert table.rows == (cells("a", "b"),)


def test_rows_of_one_table_are_quoted_under_its_header() -> None:
    text = f"Errors\n\n{TABLE}\n\nSee | also | this."
    header, row = "| Code | Meaning |", "| E4304 | a \\| b |"
    spans = [(text.index(one), text.index(one) + len(one)) for one in (header, row)]

    expected = Part("table", header=(cells("Code", "Meaning"),), rows=(cells("E4304", "a | b"),))
    assert table_of(text, spans) == expected
    assert table_of(text, spans[1:]) == expected
    assert table_of(text, spans[:1]) == Part("table", rows=(cells("Code", "Meaning"),))


def test_a_row_below_the_header_takes_the_one_that_is_repeated() -> None:
    assert table_of("| c | d |", [(0, 9)], prefix="| a | b |\n|---|---|").header == (cells("a", "b"),)


def test_a_row_is_told_from_a_rule_and_from_prose() -> None:
    assert [is_row(text) for text in ("| a | b |", "|---|---|", "a | b", "| a |\n| b |")] == [True, False, False, False]
    assert rows_in(TABLE, (0, 48)) == ((0, 18), (29, 48))
    assert rows_in(f"{TABLE}\nx", (0, len(TABLE) + 2)) == ()
    assert header_of("") == ()


def test_plain_text_keeps_what_a_page_shows() -> None:
    text = "Do\nthis:\n\n- a\n  b"

    parts = (*lay_out(text, (Block(10, 17, "list"),)), *whole("```\nx  = 1\n```", "code"), *whole(TABLE, "table"))

    assert plain(parts) == f"Do this:\n• a b\nx  = 1\n{TABLE}"


LINES = st.sampled_from(
    ["- a", "  - b", "3. c", "```", "~~~x", "| a | b |", "|---|", "text | more", "", "   ", "\\|", "|"]
)


@given(st.lists(LINES, max_size=8).map("\n".join), st.sampled_from(BLOCK_KINDS))
def test_no_word_is_lost_or_made_up(text: str, kind: BlockKind) -> None:
    parts = lay_out(text, (Block(0, len(text), kind),) if text else ())

    held = [
        *(part.words for part in parts),
        *(item.words for part in parts for item in part.items),
        *(words for part in parts for row in (*part.header, *part.rows) for words in row),
    ]
    letters = sorted(char for words in held for char in words.text if char.isalpha())
    fenced = kind in ("list", "code")
    expected = sorted(char for char in text if char.isalpha() and not (fenced and char == "x"))
    assert [char for char in letters if not (fenced and char == "x")] == expected


def test_a_second_rule_line_takes_no_header_away() -> None:
    text = "| a | b |\n|---|\n|---|\n| c | d |"

    (part,) = lay_out(text, (Block(0, len(text), "table"),))

    assert [[words.text for words in row] for row in (*part.header, *part.rows)] == [["a", "b"], ["c", "d"]]
