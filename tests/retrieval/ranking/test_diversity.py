from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrieval.ranking.diversity import capped


def first_letter(item: str) -> str:
    return item[0]


def test_what_is_over_the_cap_comes_last_in_its_order() -> None:
    found = capped(["a1", "a2", "a3", "b1", "a4", "b2", "c1"], document=first_letter, per_document=2)

    assert found == ["a1", "a2", "b1", "b2", "c1", "a3", "a4"]


def test_cap_below_one_is_a_fault() -> None:
    with pytest.raises(ValueError, match="from 1"):
        capped(["a1"], document=first_letter, per_document=0)


@given(st.lists(st.sampled_from(["a", "b", "c"])), st.integers(1, 4))
def test_nothing_is_lost_and_a_second_pass_changes_nothing(items: list[str], cap: int) -> None:
    once = capped(items, document=first_letter, per_document=cap)

    assert sorted(once) == sorted(items)
    assert capped(once, document=first_letter, per_document=cap) == once
