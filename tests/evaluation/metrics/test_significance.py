from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest  # type: ignore[import-untyped]

from evaluation.metrics.significance import holm, mcnemar


def test_mcnemar_is_worked_by_hand() -> None:
    """Eight questions changed, seven of them for the worse: 2 · (1 + 8) / 2^8 = 0.0703125."""
    one = [True] * 7 + [False] + [True, False]
    other = [False] * 7 + [True] + [True, False]

    assert mcnemar(one, other) == 0.0703125
    assert mcnemar(one, one) == 1.0


def test_a_thousand_random_pairs_agree_with_the_binomial_test() -> None:
    draw = random.Random(11)
    for _ in range(1000):
        one, other = ([draw.random() < 0.7 for _ in range(40)] for _ in range(2))
        lost = sum(a and not b for a, b in zip(one, other, strict=True))
        won = sum(b and not a for a, b in zip(one, other, strict=True))

        theirs = binomtest(lost, lost + won).pvalue if lost + won else 1.0

        assert mcnemar(one, other) == pytest.approx(theirs, abs=1e-9)


def test_holm_is_worked_by_hand() -> None:
    assert holm({"a": 0.01, "b": 0.04, "c": 0.03, "d": 0.5}) == pytest.approx(
        {"a": 0.04, "c": 0.09, "b": 0.09, "d": 0.5}
    )
    assert holm({}) == {}


@given(st.dictionaries(st.text(max_size=3), st.floats(0, 1), max_size=8))
def test_holm_never_makes_evidence_and_keeps_the_order(p_values: dict[str, float]) -> None:
    adjusted = holm(p_values)

    assert all(p <= adjusted[name] <= 1 for name, p in p_values.items())
    names = sorted(p_values, key=lambda name: p_values[name])
    assert [adjusted[name] for name in names] == sorted(adjusted.values())
