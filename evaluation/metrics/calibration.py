"""Whether a confidence means what it says, and what declining more would cost."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Bin:
    """Confidences in (low, high]; the first bin takes 0 too."""

    low: float
    high: float
    count: int
    confidence: float
    accuracy: float


def reliability(confidences: Sequence[float], rights: Sequence[bool], *, bins: int = 10) -> list[Bin]:
    """Equal-width bins that hold something. Raises ValueError for a confidence outside [0, 1] or lists of unequal length."""
    held: dict[int, list[tuple[float, bool]]] = {}
    for confidence, right in zip(confidences, rights, strict=True):
        if not 0 <= confidence <= 1:
            raise ValueError("a confidence lies in [0, 1]")
        place = next(i for i in range(bins) if confidence <= (i + 1) / bins)
        held.setdefault(place, []).append((confidence, right))
    return [
        Bin(
            i / bins,
            (i + 1) / bins,
            len(pairs),
            sum(c for c, _ in pairs) / len(pairs),
            sum(r for _, r in pairs) / len(pairs),
        )
        for i, pairs in sorted(held.items())
    ]


def calibration_error(confidences: Sequence[float], rights: Sequence[bool], *, bins: int = 10) -> float:
    """Expected calibration error: mean distance of confidence and accuracy over bins, by size; 0.0 for none.

    Guo et al., On Calibration of Modern Neural Networks (ICML 2017), equation 3.
    """
    found = reliability(confidences, rights, bins=bins)
    return sum(b.count * abs(b.accuracy - b.confidence) for b in found) / len(confidences) if found else 0.0


def risk_coverage(confidences: Sequence[float], rights: Sequence[bool]) -> list[tuple[float, float]]:
    """(share answered, share of those that is wrong) for every threshold, most confident first; equal confidences together.

    El-Yaniv and Wiener, On the Foundations of Noise-free Selective Classification (JMLR 2010).
    """
    ordered = sorted(zip(confidences, rights, strict=True), key=lambda pair: -pair[0])
    points = []
    wrong = 0
    for place, (confidence, right) in enumerate(ordered, 1):
        wrong += not right
        if place == len(ordered) or ordered[place][0] != confidence:
            points.append((place / len(ordered), wrong / place))
    return points
