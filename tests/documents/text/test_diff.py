"""Two texts side by side: every line is told once, both texts can be read back from the diff, and it ends in time."""

from __future__ import annotations

import random
import time

import pytest

from documents.text.diff import MOST_HUNKS, Diff, compare


def said(diff: Diff, kind: str) -> list[str]:
    return [line.text for hunk in diff.hunks for line in hunk.lines if line.kind == kind]


def test_equal_texts_have_no_hunks() -> None:
    assert compare("one\ntwo", "one\ntwo") == Diff()
    assert compare("", "") == Diff()


def test_a_changed_word_is_marked_within_its_line() -> None:
    diff = compare("The gate is 3 m wide.\nEnd.", "The gate is 4 m wide.\nEnd.")

    gone, new, same = diff.hunks[0].lines
    assert [(span.text, span.is_changed) for span in gone.spans] == [
        ("The gate is ", False),
        ("3", True),
        (" m wide.", False),
    ]
    assert [span.text for span in new.spans if span.is_changed] == ["4"]
    assert (same.kind, same.text) == ("same", "End.")
    assert (diff.gone, diff.new, diff.is_cut) == (1, 1, False)


def test_changes_far_apart_are_hunks_of_their_own_with_their_line_numbers() -> None:
    lines = [f"line {n}" for n in range(100)]
    other = [*lines[:10], "new", *lines[10:80], *lines[81:]]

    diff = compare("\n".join(lines), "\n".join(other))

    assert [(hunk.old_line, hunk.new_line) for hunk in diff.hunks] == [(9, 9), (79, 80)]
    assert (said(diff, "new"), said(diff, "gone")) == (["new"], ["line 80"])


@pytest.mark.parametrize("seed", range(20))
def test_the_new_text_comes_out_of_the_old_one_by_what_is_said(seed: int) -> None:
    dice = random.Random(seed)
    old = [dice.choice("abcdef") * dice.randrange(3) for _ in range(dice.randrange(40))]
    new = [line for line in old if dice.random() > 0.2]
    for _ in range(dice.randrange(6)):
        new.insert(dice.randrange(len(new) + 1), dice.choice("xyz"))

    diff = compare("\n".join(old), "\n".join(new))

    rebuilt, position = [], 0
    before = "\n".join(old).split("\n")
    for hunk in diff.hunks:
        rebuilt += before[position : hunk.old_line - 1]
        assert len(rebuilt) == hunk.new_line - 1
        rebuilt += [line.text for line in hunk.lines if line.kind != "gone"]
        position = hunk.old_line - 1 + sum(line.kind != "new" for line in hunk.lines)
    rebuilt += before[position:]
    assert rebuilt == "\n".join(new).split("\n")


def test_long_texts_end_in_time_and_say_what_is_left_out() -> None:
    dice = random.Random(1)
    old = [str(dice.randrange(50)) for _ in range(12_000)]
    new = [str(dice.randrange(50)) for _ in range(12_000)]

    started = time.process_time()
    diff = compare("\n".join(old), "\n".join(new))

    assert time.process_time() - started < 5
    assert diff.is_cut
    assert len(diff.hunks) <= MOST_HUNKS


def test_a_line_of_many_words_is_changed_as_a_whole() -> None:
    diff = compare("a " * 5_000, "a " * 4_999 + "b ")

    assert [line.spans[0].is_changed for hunk in diff.hunks for line in hunk.lines] == [True, True]
