from __future__ import annotations

from math import log, sqrt

import pytest

from retrieval.ranking import tfidf

CHUNKS = {1: ["cat", "sat", "cat"], 2: ["cat"], 3: ["dog", "ran", "far", "off"]}


def test_scores_are_worked_by_hand() -> None:
    # "cat" in 2 of 3 chunks, "dog" in 1
    ranked = tfidf.rank(CHUNKS, ["cat", "dog", "cat"])

    assert [chunk_id for chunk_id, _ in ranked] == [3, 1, 2]
    assert dict(ranked) == pytest.approx({3: log(3) / sqrt(4), 1: 2 * log(1.5) / sqrt(3), 2: log(1.5) / 1})


def test_term_in_every_chunk_finds_and_does_not_rank() -> None:
    assert tfidf.rank({2: ["a", "b"], 1: ["a"]}, ["a"]) == [(1, 0.0), (2, 0.0)]


@pytest.mark.parametrize(("chunks", "query"), [({}, ["cat"]), (CHUNKS, []), (CHUNKS, ["fish"])])
def test_nothing_shared_gives_an_empty_list(chunks: dict[int, list[str]], query: list[str]) -> None:
    assert tfidf.rank(chunks, query) == []
