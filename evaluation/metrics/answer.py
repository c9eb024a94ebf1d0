"""How good one answer is: facts it states, passages it cites, sentences that hold."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from evaluation.metrics.text import normalised


def key_fact_recall(answer: str, facts: Sequence[str]) -> float:
    """Share of the facts whose words stand in the answer as they are, after SQuAD's normalisation. Raises ValueError for none."""
    if not facts:
        raise ValueError("key-fact recall needs a fact")
    return sum(_holds(answer, fact) for fact in facts) / len(facts)


def holds_any(answer: str, expected: Sequence[str]) -> float:
    """1.0 when one of the expected texts stands in the answer, else 0.0: what an extractive answer can be held to."""
    return float(any(_holds(answer, text) for text in expected))


def _holds(answer: str, text: str) -> bool:
    """Whole words only: "5" does not stand in "15"."""
    return bool(normalised(text)) and f" {normalised(text)} " in f" {normalised(answer)} "


def citation_precision(cited: Collection[int], relevant: Collection[int]) -> float:
    """Share of the cited passages that hold a gold passage; nothing cited is 0.0 (Gao et al., ALCE, EMNLP 2023, section 4)."""
    distinct = set(cited)
    return len(distinct & set(relevant)) / len(distinct) if distinct else 0.0


def citation_recall(cited: Collection[int], gold: Sequence[Collection[int]]) -> float:
    """Share of the gold passages that one of the cited passages holds. `gold[i]` are the chunks that hold passage i."""
    if not gold:
        raise ValueError("citation recall needs a gold passage")
    return sum(not set(cited).isdisjoint(holding) for holding in gold) / len(gold)


SUPPORT = {"supported": 1.0, "partly": 0.5, "not_supported": 0.0}


def faithfulness(supports: Sequence[str]) -> float:
    """Mean support of the sentences: supported 1, partly .5, not_supported 0. Raises ValueError for no sentence."""
    if not supports:
        raise ValueError("faithfulness needs a sentence")
    return sum(SUPPORT[support] for support in supports) / len(supports)
