"""TF-IDF, the selectable plain ranker: no mean length, no constants to tune.

score(q, d) = Σ over the distinct terms t of q of  tf · idf(t) / √|d|,  idf(t) = ln(N / n(t))

The classic weighting of Salton and Buckley (1988); the square root of the length is the middle road between none, which
favours long chunks, and the whole length, which favours short ones.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from math import log, sqrt


def idf(chunks: int, chunks_with_term: int) -> float:
    """Natural logarithm; 0 for a term that every chunk holds."""
    return log(chunks / chunks_with_term)


def term_score(frequency: int, length: int, *, weight: float) -> float:
    """What one term with idf `weight` adds to a chunk of `length` terms, 0 when the term is not in it."""
    return frequency * weight / sqrt(length) if frequency else 0.0


def rank(chunks: Mapping[int, Sequence[str]], query: Iterable[str]) -> list[tuple[int, float]]:
    """Every chunk that holds a query term with its score, best first, ties by chunk id.

    A chunk whose only terms are held by every chunk is in the list with 0: it was found, it was not told apart.
    """
    counts = {chunk_id: Counter(terms) for chunk_id, terms in chunks.items()}
    scores: dict[int, float] = {}
    for term in dict.fromkeys(query):
        holding = [chunk_id for chunk_id, found in counts.items() if term in found]
        for chunk_id in holding:
            added = term_score(counts[chunk_id][term], len(chunks[chunk_id]), weight=idf(len(chunks), len(holding)))
            scores[chunk_id] = scores.get(chunk_id, 0.0) + added
    return sorted(scores.items(), key=lambda scored: (-scored[1], scored[0]))
