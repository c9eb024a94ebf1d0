from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from answers.rules.answer_type import fits
from tests.answers.rules.passages import asked


@pytest.mark.parametrize(
    ("question", "text", "expected"),
    [
        ("When was the lease signed?", "It was signed on 3 March 2019.", 1.0),
        ("When was the lease signed?", "It was signed by both parties.", 0.0),
        ("When did the lease of 2019 end?", "The lease of 2019 ended.", 0.0),
        ("How many spaces are there?", "There are forty spaces.", 1.0),
        ("How many of the 40 spaces are free?", "The 40 spaces are free.", 0.0),
        ("Who signed the lease?", "It was signed by Maria Olsen.", 1.0),
        ("Who signed the lease?", "It was signed by the tenant.", 0.0),
        ("Which version dropped it?", "Removed in 4.2.1 for good.", 1.0),
        ("Which version dropped it?", "Removed long ago.", 0.0),
        ("Why does the pump stop?", "It stops because the tank is empty.", 1.0),
        ("How do I reset the pump?", "Press and run `pump reset`.", 1.0),
        ("Describe the pump", "The pump is red since 2019.", 0.0),
        ("会议什么时候开始？", "会议于2024年开始。", 1.0),
    ],
)
def test_text_holds_the_kind_of_thing_that_is_asked_for(question: str, text: str, expected: float) -> None:
    assert fits(asked(question), text) == expected


@given(st.sampled_from(["When was it signed?", "How many seats?", "Who signed it?"]), st.text(max_size=100))
def test_question_itself_never_answers_it(question: str, text: str) -> None:
    assert fits(asked(question), question) == 0.0
    assert 0.0 <= fits(asked(question), text) <= 1.0
