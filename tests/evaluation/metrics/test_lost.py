from __future__ import annotations

from dataclasses import replace

import pytest

from answers.rules.lost import STAGES, Gold, Passed, lost_at
from evaluation.metrics.lost import ranked_keys

HELD = Gold("a.md", frozenset({1, 2}), "held")
ALL = Passed(words=[1, 5], meaning=[1, 6], kept=[1, 5], given=[1, 5], quoted=[1])


@pytest.mark.parametrize(
    ("gold", "passed", "expected"),
    [
        (HELD, ALL, ""),
        (replace(HELD, state="not_read", chunk_ids=frozenset()), ALL, "not_read"),
        (replace(HELD, state="cut", chunk_ids=frozenset()), ALL, "cut"),
        (HELD, Passed([5], [6], [5], [5], [5]), "not_listed"),
        (HELD, Passed([5], [1], [5], [5], [5]), "not_lexical"),
        (HELD, Passed([1], [6], [5], [5], [5]), "not_dense"),
        (HELD, Passed([1], [2], [5], [5], [5]), "fusion"),
        (HELD, Passed(None, [6], [5], [5], [5]), "not_dense"),
        (HELD, Passed([5], None, [5], [5], [5]), "not_lexical"),
        (HELD, Passed([1], None, [5], [5], [5]), "fusion"),
        (HELD, replace(ALL, given=[5], quoted=[5]), "budget"),
        (HELD, replace(ALL, quoted=[5]), "unused"),
        (HELD, replace(ALL, quoted=[], declined_by="answers.score_too_low"), "declined:answers.score_too_low"),
    ],
)
def test_the_verdict_names_the_stage_that_lost_it(gold: Gold, passed: Passed, expected: str) -> None:
    assert lost_at([gold], passed) == expected
    assert expected.partition(":")[0] in STAGES


def test_the_passage_that_came_furthest_decides() -> None:
    gone = Gold("b.md", frozenset(), "not_read")

    assert lost_at([gone, HELD], ALL) == ""
    assert lost_at([gone, HELD], replace(ALL, quoted=[])) == "unused"
    assert lost_at([], ALL) == ""


def test_a_ranked_list_counts_a_gold_passage_once_and_a_document_once() -> None:
    gold = [HELD, Gold("b.md", frozenset({3}), "held")]

    assert ranked_keys([9, 1, 2, 3, 9], gold, {}) == [("other", 9), 0, 1]
    assert ranked_keys([8, 9, 2], gold, {8: 70, 9: 70}) == [("other", 70), 0]
