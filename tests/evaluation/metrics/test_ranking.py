from __future__ import annotations

import random
from math import log2

import ir_measures
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.metrics.ranking import (
    average_precision,
    hit_at,
    ndcg_at,
    precision_at,
    recall_at,
    reciprocal_rank,
)

# Relevant: a (gain 3), c (1), z (2). Judged and not relevant: b (0), d (-1). The list finds a at 2 and c at 4, never z.
GAINS = {"a": 3, "c": 1, "z": 2, "b": 0, "d": -1}
RANKED = ["b", "a", "x", "c", "d"]

lists = st.lists(st.integers(0, 30), unique=True, max_size=20)
judged = st.dictionaries(st.integers(0, 30), st.integers(-1, 3), max_size=12)


@pytest.mark.parametrize(("k", "expected"), [(1, 0.0), (2, 1.0), (50, 1.0)])
def test_hit_says_whether_one_is_among_the_first(k: int, expected: float) -> None:
    assert hit_at(k, RANKED, GAINS) == expected


def test_reciprocal_rank_of_the_second_place_is_a_half() -> None:
    assert reciprocal_rank(RANKED, GAINS) == 0.5
    assert reciprocal_rank(RANKED, GAINS, k=1) == 0.0


@pytest.mark.parametrize(("k", "expected"), [(1, 0.0), (2, 1 / 2), (4, 2 / 4), (10, 2 / 10)])
def test_precision_divides_by_k(k: int, expected: float) -> None:
    assert precision_at(k, RANKED, GAINS) == expected


@pytest.mark.parametrize(("k", "expected"), [(1, 0.0), (2, 1 / 3), (4, 2 / 3), (10, 2 / 3)])
def test_recall_divides_by_all_relevant(k: int, expected: float) -> None:
    assert recall_at(k, RANKED, GAINS) == expected


def test_average_precision_counts_the_one_never_found() -> None:
    # precision at a is 1/2, at c 2/4; z adds 0; three relevant
    assert average_precision(RANKED, GAINS) == pytest.approx((1 / 2 + 2 / 4 + 0) / 3)
    assert average_precision(RANKED, GAINS, k=3) == pytest.approx((1 / 2) / 3)


def test_ndcg_is_worked_by_hand() -> None:
    found = 3 / log2(3) + 1 / log2(5)  # a at 2, c at 4
    best = 3 / log2(2) + 2 / log2(3) + 1 / log2(4)  # a, z, c

    assert ndcg_at(10, RANKED, GAINS) == pytest.approx(found / best)
    assert ndcg_at(2, RANKED, GAINS) == pytest.approx((3 / log2(3)) / (3 + 2 / log2(3)))


@pytest.mark.parametrize(("ranked", "gains"), [([], GAINS), (RANKED, {}), (RANKED, {"a": 0}), ([], {})])
def test_nothing_found_or_nothing_relevant_is_zero(ranked: list[str], gains: dict[str, int]) -> None:
    found = [
        hit_at(5, ranked, gains),
        reciprocal_rank(ranked, gains),
        precision_at(5, ranked, gains),
        recall_at(5, ranked, gains),
        average_precision(ranked, gains),
        ndcg_at(5, ranked, gains),
    ]

    assert found == [0.0] * 6


def test_repeated_id_and_k_of_zero_are_faults() -> None:
    with pytest.raises(ValueError, match="once"):
        ndcg_at(5, ["a", "a"], GAINS)
    with pytest.raises(ValueError, match="from 1"):
        recall_at(0, RANKED, GAINS)


@given(lists, judged, st.integers(1, 25))
def test_every_measure_is_between_0_and_1_and_grows_with_k(ranked: list[int], gains: dict[int, int], k: int) -> None:
    for measure in (hit_at, recall_at):
        assert 0 <= measure(k, ranked, gains) <= measure(k + 1, ranked, gains) <= 1
    for value in (precision_at(k, ranked, gains), ndcg_at(k, ranked, gains), average_precision(ranked, gains)):
        assert 0 <= value <= 1 + 1e-9


@given(judged.filter(lambda gains: any(gain > 0 for gain in gains.values())))
def test_best_order_is_worth_one(gains: dict[int, int]) -> None:
    best = sorted(gains, key=lambda found: -gains[found])

    assert ndcg_at(len(best), best, gains) == pytest.approx(1)
    assert average_precision(best, gains) == pytest.approx(1)
    assert reciprocal_rank(best, gains) == 1


@given(lists, judged, st.data())
def test_moving_a_relevant_id_up_never_costs(ranked: list[int], gains: dict[int, int], data: st.DataObject) -> None:
    places = [place for place in range(1, len(ranked)) if gains.get(ranked[place], 0) > gains.get(ranked[place - 1], 0)]
    if not places:
        return
    place = data.draw(st.sampled_from(places))
    better = [*ranked[: place - 1], ranked[place], ranked[place - 1], *ranked[place + 1 :]]

    assert ndcg_at(10, better, gains) >= ndcg_at(10, ranked, gains) - 1e-12
    assert average_precision(better, gains) >= average_precision(ranked, gains) - 1e-12


def test_a_thousand_random_lists_agree_with_ir_measures() -> None:
    draw = random.Random(7)
    gains = {f"q{n}": _random_gains(draw) for n in range(1000)}
    lists = {question: draw.sample([str(n) for n in range(60)], draw.randint(1, 40)) for question in gains}
    run = {q: {found: float(100 - place) for place, found in enumerate(ranked)} for q, ranked in lists.items()}
    measures = [
        ir_measures.nDCG @ 10,
        ir_measures.AP,
        ir_measures.RR,
        ir_measures.R @ 10,
        ir_measures.P @ 10,
        ir_measures.Success @ 3,
    ]

    theirs = {(m.query_id, str(m.measure)): m.value for m in ir_measures.iter_calc(measures, gains, run)}

    for question, ranked in lists.items():
        ours = {
            "nDCG@10": ndcg_at(10, ranked, gains[question]),
            "AP": average_precision(ranked, gains[question]),
            "RR": reciprocal_rank(ranked, gains[question]),
            "R@10": recall_at(10, ranked, gains[question]),
            "P@10": precision_at(10, ranked, gains[question]),
            "Success@3": hit_at(3, ranked, gains[question]),
        }
        assert ours == pytest.approx({name: theirs[question, name] for name in ours}, abs=1e-9, rel=1e-9), question


def _random_gains(draw: random.Random) -> dict[str, int]:
    """One to twelve judged ids, at least one of them relevant."""
    judged_ids = draw.sample([str(n) for n in range(60)], draw.randint(1, 12))
    return {found: draw.randint(0, 3) for found in judged_ids} | {judged_ids[0]: draw.randint(1, 3)}
