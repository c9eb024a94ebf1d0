from __future__ import annotations

from array import array

import pytest

from documents.text.boxes import Box, PageWords, WordBoxes, packed, tied, unpacked
from documents.text.section import Section
from documents.text.units import Placed


def page(number: int, *words: str) -> PageWords:
    """Words on one line, each ten tenths wide."""
    boxes = array("H")
    for at in range(len(words)):
        boxes.extend((at * 10, 0, at * 10 + 10, 12))
    return PageWords(number, 6120, 7920, words, boxes)


def placed(*texts: tuple[int, str]) -> list[Placed]:
    found, at = [], 0
    for number, text in texts:
        found.append(Placed(Section(text, page=number), at, at + len(text)))
        at += len(text) + 2
    return found


def test_words_are_tied_to_where_they_stand_in_the_text() -> None:
    boxes = tied([page(1, "one", "two"), page(2, "three")], placed((1, "one two"), (2, "three")))

    assert list(boxes.starts) == [0, 4, 9]
    assert boxes.within(4, 7) == [Box(1, 10, 0, 20, 12)]
    assert boxes.within(5, 12) == [Box(1, 10, 0, 20, 12), Box(2, 0, 0, 10, 12)]


def test_what_is_on_the_page_and_not_in_the_text_is_passed_over() -> None:
    boxes = tied([page(1, "Running", "head", "one", "two", "7")], placed((1, "one two")))

    assert boxes.within(0, 3) == [Box(1, 20, 0, 30, 12)]


def test_a_word_cut_at_the_end_of_a_line_has_a_box_for_each_part() -> None:
    boxes = tied([page(1, "an", "exam-", "ple", "here")], placed((1, "an example here")))

    assert boxes.within(3, 10) == [Box(1, 10, 0, 20, 12), Box(1, 20, 0, 30, 12)]
    assert list(boxes.lengths) == [2, 4, 3, 4]


def test_a_word_that_is_nowhere_on_the_page_has_no_box() -> None:
    boxes = tied([page(1, "one", "two")], placed((1, "one missing two")))

    assert boxes.within(4, 11) == []
    assert boxes.within(12, 15) == [Box(1, 10, 0, 20, 12)]


def test_what_is_kept_comes_back_as_it_was() -> None:
    boxes = tied([page(1, "one", "two"), page(3, "three")], placed((1, "one two"), (3, "three")))

    assert unpacked(packed(boxes)) == boxes
    assert packed(WordBoxes()) == b""
    assert unpacked(b"") == WordBoxes()


def test_what_is_no_boxes_is_not_taken_for_some() -> None:
    good = WordBoxes(((1, 9, 9, 1),), array("I", (0,)), array("H", (2,)), array("H", (1, 2, 3, 4)))
    inside_out = WordBoxes(good.pages, good.starts, good.lengths, array("H", (3, 2, 1, 4)))
    nowhere = WordBoxes(((1, 9, 9, 2),), good.starts, good.lengths, good.boxes)

    for data in (b"x", packed(good)[:-2], packed(inside_out), packed(nowhere), packed(good) + b"x"):
        with pytest.raises(ValueError):
            unpacked(data)
