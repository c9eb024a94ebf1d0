"""How good one ranked list is. Each function judges one question; the mean over questions is the caller's.

`ranked` holds distinct ids, best first (ValueError on a repeat: a repeated id would be paid twice). `gains` holds the
judged ids; a gain above 0 is relevant, anything else and every unjudged id is not. With no relevant id every measure is
0, as trec_eval has it. `k` counts from 1 and may be longer than the list; missing places are worth nothing.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from math import log2
from typing import TypeVar

Id = TypeVar("Id", bound=Hashable)


def hit_at(k: int, ranked: Sequence[Id], gains: Mapping[Id, float]) -> float:
    """1.0 when a relevant id is among the first k (success@k of trec_eval), else 0.0."""
    return float(any(_relevances(k, ranked, gains)))


def reciprocal_rank(ranked: Sequence[Id], gains: Mapping[Id, float], *, k: int | None = None) -> float:
    """1 / rank of the first relevant id, 0.0 when there is none among the first k (Voorhees, TREC-8 QA track, 1999)."""
    for rank, relevant in enumerate(_relevances(k, ranked, gains), start=1):
        if relevant:
            return 1 / rank
    return 0.0


def precision_at(k: int, ranked: Sequence[Id], gains: Mapping[Id, float]) -> float:
    """Relevant ids among the first k, divided by k even when the list is shorter (trec_eval's P)."""
    return sum(_relevances(k, ranked, gains)) / k


def recall_at(k: int, ranked: Sequence[Id], gains: Mapping[Id, float]) -> float:
    """Relevant ids among the first k, divided by all relevant ids."""
    found = sum(_relevances(k, ranked, gains))
    return found / _count_relevant(gains) if found else 0.0


def average_precision(ranked: Sequence[Id], gains: Mapping[Id, float], *, k: int | None = None) -> float:
    """Mean over all relevant ids of the precision at their rank, 0 for those not found.

    Averaged over questions this is MAP (Manning, Raghavan, Schütze, Introduction to Information Retrieval, 8.4).
    """
    found, total = 0, 0.0
    for rank, relevant in enumerate(_relevances(k, ranked, gains), start=1):
        if relevant:
            found += 1
            total += found / rank
    return total / _count_relevant(gains) if found else 0.0


def ndcg_at(k: int, ranked: Sequence[Id], gains: Mapping[Id, float]) -> float:
    """Discounted gain of the first k over that of the best possible order, in [0, 1].

    DCG = Σ gain(i) / log2(i + 1), gains linear, as trec_eval and BEIR count (Järvelin and Kekäläinen, TOIS 20(4), 2002,
    with the usual base-2 discount from the first rank); not the 2^gain - 1 of web search.
    """
    _check(k, ranked)
    best = _discounted(sorted(gains.values(), reverse=True)[:k])
    return _discounted([gains.get(found, 0.0) for found in ranked[:k]]) / best if best else 0.0


def _discounted(gains: Sequence[float]) -> float:
    return sum(max(gain, 0.0) / log2(rank + 1) for rank, gain in enumerate(gains, start=1))


def _relevances(k: int | None, ranked: Sequence[Id], gains: Mapping[Id, float]) -> list[bool]:
    _check(k, ranked)
    return [gains.get(found, 0.0) > 0 for found in ranked[:k]]


def _count_relevant(gains: Mapping[Id, float]) -> int:
    return sum(gain > 0 for gain in gains.values())


def _check(k: int | None, ranked: Sequence[Id]) -> None:
    if k is not None and k < 1:
        raise ValueError("k counts from 1")
    if len(set(ranked)) != len(ranked):
        raise ValueError("a ranked list names each id once")
