from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from answers.rules.budget import Evidence, choose
from tests.answers.rules.passages import passage


def test_best_passages_that_fit_are_kept_in_order() -> None:
    long, short, over = passage("a" * 60), passage("b" * 20, no=2), passage("c" * 30, no=3)

    assert choose([long, short, over], limit=100) == Evidence((long, short), (over,), 80)


def test_later_shorter_passage_takes_the_room_of_one_that_does_not_fit() -> None:
    first, huge, small = passage("a" * 60), passage("b" * 60, no=2), passage("c" * 30, no=3)

    assert choose([first, huge, small], limit=100) == Evidence((first, small), (huge,), 90)


def test_passage_inside_another_is_sent_once() -> None:
    outer = passage("one two three")
    inner = passage("two", start=4)

    assert choose([outer, inner]) == Evidence((outer,), (inner,), 13)


def test_headings_and_table_header_are_counted_by_the_given_cost() -> None:
    found = passage("1 | 2", title="Prices", heading_path=("2024",), prefix="a | b")

    assert choose([found], cost=lambda text: len(text.split())).spent == 8


@given(st.lists(st.integers(1, 400), max_size=12), st.integers(1, 1000))
def test_evidence_keeps_the_limits_and_loses_no_passage(sizes: list[int], limit: int) -> None:
    found = [passage("x" * size, no=no) for no, size in enumerate(sizes, start=1)]

    evidence = choose(found, limit=limit)

    assert len(evidence.passages) <= 6
    assert evidence.spent <= max(limit, sizes[0] if sizes else 0)
    assert sorted(p.chunk_id for p in evidence.passages + evidence.dropped) == [p.chunk_id for p in found]
