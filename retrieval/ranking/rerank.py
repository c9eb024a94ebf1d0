"""What a reranker is: it reads the question beside each passage and says how well they fit."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol


class RerankerUnavailable(Exception):
    """No answer, or not the right one; the fused order stands. `code` names the words."""

    def __init__(self, code: str = "retrieval.reranker_down") -> None:
        super().__init__(code)
        self.code = code


class Reranker(Protocol):
    """`name` is for the trace."""

    @property
    def name(self) -> str: ...

    def scores(self, question: str, passages: Sequence[str]) -> list[float]:
        """One score a passage, in their order, more is better. Raises RerankerUnavailable."""
        ...


def reordered(ids: Sequence[int], scores: Sequence[float]) -> list[tuple[int, float]]:
    """The ids with their scores, best first; ties keep the order they came in. ValueError unless there is one score each."""
    pairs = list(zip(ids, scores, strict=True))
    return sorted(pairs, key=lambda pair: -pair[1])
