from __future__ import annotations

import random
from math import sqrt
from statistics import mean, stdev

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.metrics.intervals import Interval, bootstrap_interval, permutation_test

scores = st.lists(st.floats(0, 1), min_size=1, max_size=30)


def test_interval_is_near_the_normal_one_on_many_values() -> None:
    draw = random.Random(3)
    values = [draw.random() for _ in range(400)]

    found = bootstrap_interval(values, seed=1)

    spread = 1.96 * stdev(values) / sqrt(len(values))
    assert found.mean == pytest.approx(mean(values))
    assert (found.low, found.high) == pytest.approx((mean(values) - spread, mean(values) + spread), abs=0.004)


def test_same_seed_gives_the_same_interval_and_another_seed_another() -> None:
    values = [0.1, 0.4, 0.5, 0.9, 0.2]

    assert bootstrap_interval(values, seed=1) == bootstrap_interval(values, seed=1)
    assert bootstrap_interval(values, seed=1, rounds=50) != bootstrap_interval(values, seed=2, rounds=50)


def test_one_value_has_no_width_and_no_value_is_a_fault() -> None:
    assert bootstrap_interval([0.3], seed=1) == Interval(0.3, 0.3, 0.3)
    with pytest.raises(ValueError, match="at least one"):
        bootstrap_interval([], seed=1)


@given(scores)
def test_interval_lies_between_least_and_greatest(values: list[float]) -> None:
    found = bootstrap_interval(values, seed=1, rounds=40)

    assert min(values) - 1e-9 <= found.low <= found.high <= max(values) + 1e-9


def test_small_permutation_test_is_worked_by_hand() -> None:
    # Differences 1, 2, 3: of the 8 sign patterns only +++ and --- reach 6.
    assert permutation_test([2, 3, 4], [1, 1, 1], seed=1) == 2 / 8
    # 1, 1, -1: total 1; every pattern has |total| 1 or 3.
    assert permutation_test([1, 1, 0], [0, 0, 1], seed=1) == 1.0


def test_random_test_is_near_the_exact_one() -> None:
    differences = [0.1, 0.2, -0.05, 0.3, 0.15, -0.1, 0.25, 0.02, -0.01, 0.3, 0.01, -0.2]
    exact = permutation_test(differences, [0.0] * 12, seed=1)

    # a thirteenth difference of next to nothing moves the test past the exact limit without moving its p
    drawn = permutation_test([*differences, 1e-9], [0.0] * 13, seed=1, rounds=20_000)

    assert drawn == pytest.approx(exact, abs=0.01)


def test_same_scores_are_no_difference_and_unequal_numbers_a_fault() -> None:
    assert permutation_test([0.5, 0.7], [0.5, 0.7], seed=1) == 1.0
    with pytest.raises(ValueError, match="argument"):
        permutation_test([0.5], [0.5, 0.7], seed=1)


def test_clear_difference_on_many_questions_is_seen_and_never_zero() -> None:
    draw = random.Random(5)
    one = [draw.random() for _ in range(100)]

    p = permutation_test([value + 0.2 for value in one], one, seed=1, rounds=999)

    assert p == 1 / 1000


@given(st.lists(st.tuples(st.floats(0, 1), st.floats(0, 1)), max_size=10))
def test_order_of_the_systems_does_not_matter(pairs: list[tuple[float, float]]) -> None:
    one, other = [a for a, _ in pairs], [b for _, b in pairs]

    assert permutation_test(one, other, seed=1) == permutation_test(other, one, seed=1)
