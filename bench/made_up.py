"""Made-up vectors and texts for what depends on size alone: vectors as an embedding model's, words of Zipf frequencies.

The vectors share a mean and lie in 200 topics of Zipf sizes in 48 latent dimensions, noise on top, so that neighbours are nearer
than strangers but never much.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from documents.text import analyse

Vectors = NDArray[np.float32]
Words = NDArray[np.int64]
DIMS = 384
LATENT = 48
TOPICS = 200
VOCABULARY = 30_000
CHUNK_WORDS = 80
ASKED_WORDS = 10
COMMON = 15
"""Ranks of words that no question holds, as stop words are left out of it: a question then meets half a posting for each
chunk of the collection, which is what SciFact's questions do (5,000 postings over 10,806 chunks at p50)."""


class Topics:
    """A world of topics: vectors drawn from one world are near each other, those of another world are off-topic."""

    def __init__(self, random: np.random.Generator, *, mean: NDArray[Any] | None = None) -> None:
        self.mean = random.normal(size=DIMS) * 0.6 if mean is None else mean
        self.lift = random.normal(size=(LATENT, DIMS)) / np.sqrt(LATENT)
        self.centres = random.normal(size=(TOPICS, LATENT))
        weights = 1 / np.arange(1, TOPICS + 1)
        self.weights = weights / weights.sum()

    def draw(self, random: np.random.Generator, count: int) -> Vectors:
        """(count, DIMS), of length 1."""
        topics = random.choice(TOPICS, size=count, p=self.weights)
        latent = self.centres[topics] + random.normal(size=(count, LATENT)) * 0.7
        noise = random.standard_normal(size=(count, DIMS), dtype=np.float32) * 0.15
        return normed(latent @ self.lift + self.mean + noise)


def normed(vectors: NDArray[Any]) -> Vectors:
    unit: Vectors = (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32)
    return unit


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """Words from the most to the least common, each one term of its own under the analyser."""

    words: tuple[str, ...]
    ids: Words

    def draw(self, random: np.random.Generator, count: int) -> Words:
        """(count, CHUNK_WORDS) ranks by Zipf's law."""
        weights = 1 / np.arange(1, len(self.words) + 1)
        steps = np.cumsum(weights / weights.sum())
        ranks = np.searchsorted(steps, random.random((count, CHUNK_WORDS)))
        return np.minimum(ranks, len(self.words) - 1).astype(np.int64)

    def text(self, ranks: Words) -> str:
        return " ".join(self.words[rank] for rank in ranks)

    def question(self, random: np.random.Generator, chunk: Words) -> str:
        """Words of a chunk that are not the most common ones."""
        telling = np.unique(chunk[chunk >= COMMON])
        return self.text(random.permutation(telling)[:ASKED_WORDS])


def vocabulary(random: np.random.Generator) -> Vocabulary:
    consonants, vowels = "bdfgklmnprtvz", "aeiou"
    words: dict[str, int] = {}
    while len(words) < VOCABULARY:
        word = "".join(random.choice(list(part)) for part in (consonants, vowels) * int(random.integers(2, 5))) + "k"
        terms = analyse.query_terms(word, languages=["en"])
        if len(terms) == 1:
            words.setdefault(word, analyse.term_id(terms[0]))
    return Vocabulary(tuple(words), np.array(list(words.values()), dtype=np.int64))


def postings(ranks: Words, ends: NDArray[np.int64]) -> list[tuple[int, int, list[int], list[int]]]:
    """(document, rank of the word, chunks, frequencies); a document's chunks end before its number in `ends`."""
    count = len(ranks)
    keys = (np.arange(count)[:, None] * VOCABULARY + ranks).ravel()
    distinct, frequency = np.unique(keys, return_counts=True)
    chunk, rank = distinct // VOCABULARY, distinct % VOCABULARY
    document = np.asarray(np.searchsorted(ends, chunk, side="right"))
    order = np.lexsort((chunk, rank, document))
    chunk, rank, document, frequency = chunk[order], rank[order], document[order], frequency[order]
    new = np.flatnonzero(np.diff(document) | np.diff(rank)) + 1
    edges = np.concatenate(([0], new, [len(chunk)])).tolist()
    chunks, frequencies = chunk.tolist(), frequency.tolist()
    documents, words = document[edges[:-1]].tolist(), rank[edges[:-1]].tolist()
    return [
        (doc, word, chunks[start:end], frequencies[start:end])
        for doc, word, (start, end) in zip(documents, words, pairwise(edges), strict=True)
    ]


def zipf_sizes(total: int, parts: int, exponent: float) -> list[int]:
    """`total` in `parts` sizes that fall as rank to the power of -exponent, the largest first, each at least 1."""
    weights = np.arange(1.0, parts + 1) ** -exponent
    sizes = np.maximum(1, np.floor(total * weights / weights.sum())).astype(int)
    sizes[0] += total - sizes.sum()
    found: list[int] = sizes.tolist()
    return found
