from __future__ import annotations

from math import log

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrieval.ranking import bm25

CHUNKS = {1: ["cat", "sat", "cat"], 2: ["cat"], 3: ["dog", "ran", "far", "off"], 4: []}

words = st.lists(st.sampled_from("abcdef"), max_size=8)
corpora = st.dictionaries(st.integers(1, 9), words, max_size=6)


def test_scores_are_worked_by_hand() -> None:
    # N 4, mean length (3 + 1 + 4 + 0) / 4 = 2; "cat" in 2 chunks: idf ln(1 + 2.5 / 2.5) = ln 2
    first = log(2) * 2 * 2.2 / (2 + 1.2 * (0.25 + 0.75 * 3 / 2))
    second = log(2) * 1 * 2.2 / (1 + 1.2 * (0.25 + 0.75 * 1 / 2))

    ranked = bm25.rank(CHUNKS, ["cat"])

    assert [chunk_id for chunk_id, _ in ranked] == [2, 1]
    assert dict(ranked) == pytest.approx({1: first, 2: second})


def test_repeated_query_term_counts_once() -> None:
    assert bm25.rank(CHUNKS, ["cat", "cat", "dog"]) == bm25.rank(CHUNKS, ["cat", "dog"])


def test_equal_scores_are_ordered_by_chunk() -> None:
    assert [chunk_id for chunk_id, _ in bm25.rank({7: ["a"], 3: ["a"], 5: ["a"]}, ["a"])] == [3, 5, 7]


@pytest.mark.parametrize(("chunks", "query"), [({}, ["cat"]), (CHUNKS, []), (CHUNKS, ["fish"]), ({1: []}, ["cat"])])
def test_nothing_shared_gives_an_empty_list(chunks: dict[int, list[str]], query: list[str]) -> None:
    assert bm25.rank(chunks, query) == []


@given(corpora, words)
def test_list_holds_exactly_the_chunks_that_share_a_term_each_above_zero(
    chunks: dict[int, list[str]], query: list[str]
) -> None:
    found = dict(bm25.rank(chunks, query))

    assert set(found) == {chunk_id for chunk_id, terms in chunks.items() if set(terms) & set(query)}
    assert all(score > 0 for score in found.values())


@given(st.integers(1, 50), st.integers(1, 50), st.integers(0, 20))
def test_rarer_terms_weigh_more_and_more_of_a_term_adds_less_each_time(df: int, more: int, frequency: int) -> None:
    assert bm25.idf(200, df) > bm25.idf(200, df + more) > 0

    adds = [bm25.term_score(frequency + n, 30, mean_length=20, weight=1) for n in range(3)]
    assert adds[0] < adds[1] < adds[2] < bm25.K1 + 1
    assert frequency == 0 or adds[1] - adds[0] > adds[2] - adds[1]
