from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.metrics.text import exact_match, normalised, token_f1


@pytest.mark.parametrize(
    ("text", "expected"),
    [("The  Cat, sat.", "cat sat"), ("an A the", ""), ("theatre", "theatre"), ("U.S.A.", "usa"), ("Zürich!", "zürich")],
)
def test_normalisation_takes_case_points_articles_and_spaces(text: str, expected: str) -> None:
    assert normalised(text) == expected


@pytest.mark.parametrize(
    ("answer", "expected", "match", "f1"),
    [
        ("The Eiffel Tower", ["Eiffel tower."], 1.0, 1.0),
        ("in Paris, France", ["Paris"], 0.0, 2 * 1 / (3 + 1)),
        ("very very big", ["very big"], 0.0, 2 * 2 / (3 + 2)),
        ("blue", ["red", "blue sky"], 0.0, 2 * 1 / (1 + 2)),
        ("", [], 1.0, 1.0),
        ("something", [], 0.0, 0.0),
        ("", ["something"], 0.0, 0.0),
        ("the", ["a"], 1.0, 1.0),
    ],
)
def test_match_and_f1_are_worked_by_hand(answer: str, expected: list[str], match: float, f1: float) -> None:
    assert exact_match(answer, expected) == match
    assert token_f1(answer, expected) == pytest.approx(f1)


@given(st.text(), st.lists(st.text(), max_size=3))
def test_f1_is_at_least_the_exact_match(answer: str, expected: list[str]) -> None:
    assert exact_match(answer, expected) <= token_f1(answer, expected) <= 1


@given(st.text(), st.text())
def test_f1_is_symmetric(one: str, other: str) -> None:
    assert token_f1(one, [other]) == token_f1(other, [one])
