from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from documents.text.sentences import sentences


def split(text: str) -> list[str]:
    return [text[start:end] for start, end in sentences(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("One. Two! Three?", ["One.", "Two!", "Three?"]),
        (
            "Dr. Smith went to the U.S. The trip cost $3.5 million.",
            ["Dr. Smith went to the U.S.", "The trip cost $3.5 million."],
        ),
        ("Use 2.0.10, e.g. in Node.js. See Fig. 3.", ["Use 2.0.10, e.g. in Node.js.", "See Fig. 3."]),
        ('He said "Stop!" Then left. "Why?" he asked.', ['He said "Stop!"', "Then left.", '"Why?" he asked.']),
        ("They said no. Then No. 5 left.", ["They said no.", "Then No. 5 left."]),
        ("Am 3. Oktober ist z.B. frei. Ja.", ["Am 3. Oktober ist z.B. frei.", "Ja."]),
        ("这是第一句。第二句！「引用。」完", ["这是第一句。", "第二句！", "「引用。」", "完"]),
        ("मैं घर जाता हूँ। वह आता है।", ["मैं घर जाता हूँ।", "वह आता है।"]),
        ("هل هذا صحيح؟ نعم.", ["هل هذا صحيح؟", "نعم."]),
        ("A wrapped\nline. Next\none.", ["A wrapped\nline.", "Next\none."]),
        ("Heading\n\nBody text", ["Heading", "Body text"]),
        ("- one. More.\n- two\n  goes on\n3. three", ["one.", "More.", "two\n  goes on", "three"]),
        ("| a | b |\n|---|---|\n| 1 | 2 |", ["| a | b |", "| 1 | 2 |"]),
        ("Run:\n\n```sh\na. B\n\nc\n```\nDone.", ["Run:", "```sh\na. B\n\nc\n```", "Done."]),
        ("Run:\n\n    a. B\n\n    c\n\nDone.", ["Run:", "    a. B\n\n    c", "Done."]),
        ("", []),
        (" \n ", []),
    ],
)
def test_text_splits_into_these_sentences(text: str, expected: list[str]) -> None:
    assert split(text) == expected


@given(st.text(alphabet="aB1 .!?\n\t-|`'\"。中", max_size=200))
def test_sentences_are_in_order_and_lose_no_word(text: str) -> None:
    spans = sentences(text)

    assert all(start < end for start, end in spans)
    assert all(before[1] <= after[0] for before, after in pairwise(spans))
    covered = {position for start, end in spans for position in range(start, end)}
    assert all(position in covered for position, char in enumerate(text) if char in "B中")
