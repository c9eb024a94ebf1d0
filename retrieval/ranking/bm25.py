"""BM25 with Lucene's idf: the reference that retrieval/sql/words.sql is tested against.

score(q, d) = Σ over the distinct terms t of q of  idf(t) · tf (k1 + 1) / (tf + k1 (1 - b + b |d| / mean length))

Robertson and Zaragoza, The Probabilistic Relevance Framework: BM25 and Beyond (2009), eq. 3.15; the idf with 1 added
inside the logarithm, so that it is never negative, is Lucene's (BM25Similarity).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from math import log

# The figures for other values are in docs/adr/0005-fusion.md: flat within .007 nDCG@10 on SciFact train for k1 .6 to 2.
K1 = 1.2
B = 0.75


def idf(chunks: int, chunks_with_term: int) -> float:
    """Natural logarithm, above 0; `chunks` is at least `chunks_with_term`."""
    return log(1 + (chunks - chunks_with_term + 0.5) / (chunks_with_term + 0.5))


def term_score(
    frequency: int, length: int, *, mean_length: float, weight: float, k1: float = K1, b: float = B
) -> float:
    """What one term with idf `weight` adds to a chunk of `length` terms, 0 when the term is not in it."""
    if not frequency:
        return 0.0
    return weight * frequency * (k1 + 1) / (frequency + k1 * (1 - b + b * length / mean_length))


def rank(
    chunks: Mapping[int, Sequence[str]], query: Iterable[str], *, k1: float = K1, b: float = B
) -> list[tuple[int, float]]:
    """Every chunk that holds a query term with its score, best first, ties by chunk id.

    `chunks` maps ids to analysed terms, repeats included; a repeated query term counts once.
    """
    counts = {chunk_id: Counter(terms) for chunk_id, terms in chunks.items()}
    mean_length = max(sum(map(len, chunks.values())) / len(chunks), 1) if chunks else 1.0
    scores: dict[int, float] = {}
    for term in dict.fromkeys(query):
        holding = [chunk_id for chunk_id, found in counts.items() if term in found]
        weight = idf(len(chunks), len(holding))
        for chunk_id in holding:
            frequency, length = counts[chunk_id][term], len(chunks[chunk_id])
            added = term_score(frequency, length, mean_length=mean_length, weight=weight, k1=k1, b=b)
            scores[chunk_id] = scores.get(chunk_id, 0.0) + added
    return sorted(scores.items(), key=lambda scored: (-scored[1], scored[0]))
