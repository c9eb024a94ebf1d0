from __future__ import annotations

import random

import numpy as np
import pytest

from evaluation.metrics.answer import citation_precision, citation_recall, faithfulness, holds_any, key_fact_recall


@pytest.mark.parametrize(
    ("answer", "facts", "expected"),
    [
        ("They are kept for 90 days, then deleted.", ["90 days"], 1.0),
        ("They are kept for 90 days, then deleted.", ["90 days", "automatically"], 0.5),
        ("They are kept for 190 days.", ["90 days"], 0.0),
        ("The Security Lead decides.", ["a security lead"], 1.0),
        ("", ["90 days"], 0.0),
    ],
)
def test_key_facts_are_found_as_whole_words(answer: str, facts: list[str], expected: float) -> None:
    assert key_fact_recall(answer, facts) == expected


def test_one_of_the_expected_texts_is_enough() -> None:
    assert holds_any("It began in October 1973.", ["1973", "October 1974"]) == 1.0
    assert holds_any("It began in October 1973.", ["1974", "  "]) == 0.0


def test_citations_are_worked_by_hand() -> None:
    cited, gold = [7, 7, 8, 9], [{7, 1}, {2}, {9}]

    assert citation_precision(cited, {7, 1, 2, 9}) == pytest.approx(2 / 3)
    assert citation_recall(cited, gold) == pytest.approx(2 / 3)
    assert citation_precision([], {1}) == 0.0


def test_faithfulness_counts_partly_as_a_half() -> None:
    assert faithfulness(["supported", "partly", "not_supported", "supported"]) == 0.625


def test_nothing_to_judge_is_a_fault() -> None:
    with pytest.raises(ValueError, match="needs a fact"):
        key_fact_recall("a", [])
    with pytest.raises(ValueError, match="needs a gold passage"):
        citation_recall([1], [])
    with pytest.raises(ValueError, match="needs a sentence"):
        faithfulness([])


def test_a_thousand_random_citations_agree_with_matrices() -> None:
    """Precision and recall from 0/1 vectors, as scikit-learn defines them."""
    draw = random.Random(3)
    for _ in range(1000):
        cited = [draw.randrange(20) for _ in range(draw.randint(1, 6))]
        gold = [{one} for one in draw.sample(range(20), draw.randint(1, 4))]
        predicted = np.isin(np.arange(20), cited)
        true = np.isin(np.arange(20), [min(holding) for holding in gold])
        hits = np.count_nonzero(predicted & true)

        relevant = {one for holding in gold for one in holding}
        assert citation_precision(cited, relevant) == pytest.approx(hits / np.count_nonzero(predicted), abs=1e-9)
        assert citation_recall(cited, gold) == pytest.approx(hits / np.count_nonzero(true), abs=1e-9)
