"""How sure a mean over questions is, and whether two systems differ on the same questions. Same seed, same figures."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from math import fsum

EXACT_UP_TO = 12
_TOLERANCE = 1e-12


@dataclass(frozen=True, slots=True)
class Interval:
    mean: float
    low: float
    high: float


def bootstrap_interval(values: Sequence[float], *, seed: int, level: float = 0.95, rounds: int = 2000) -> Interval:
    """The mean and its percentile bootstrap interval (Efron 1979) over questions drawn with replacement.

    One value gives an interval of no width. Raises ValueError for no values.
    """
    if not values:
        raise ValueError("an interval needs at least one value")
    draw = random.Random(seed)  # noqa: S311 statistics, not secrets
    count = len(values)
    means = sorted(fsum(draw.choices(values, k=count)) / count for _ in range(rounds))
    tail = (1 - level) / 2
    return Interval(fsum(values) / count, _quantile(means, tail), _quantile(means, 1 - tail))


def permutation_test(one: Sequence[float], other: Sequence[float], *, seed: int, rounds: int = 10_000) -> float:
    """Two-sided p of a paired sign-flip test (Fisher 1935; Smucker et al., CIKM 2007): could chance alone do this?

    `one[i]` and `other[i]` are two systems' scores on question i; ValueError when they differ in number. Exact for up
    to 12 questions that differ, else from `rounds` random flips with the observed one counted in, so never 0. No
    difference at all gives 1.0.
    """
    differences = [a - b for a, b in zip(one, other, strict=True) if a != b]
    if not differences:
        return 1.0
    least = abs(fsum(differences)) - _TOLERANCE
    if len(differences) <= EXACT_UP_TO:
        extreme = [abs(fsum(flipped)) >= least for flipped in product(*((d, -d) for d in differences))]
        return sum(extreme) / len(extreme)
    as_extreme = sum(abs(total) >= least for total in _flipped_totals(differences, seed, rounds))
    return (as_extreme + 1) / (rounds + 1)


def _flipped_totals(differences: Sequence[float], seed: int, rounds: int) -> Iterator[float]:
    draw = random.Random(seed)  # noqa: S311 statistics, not secrets
    whole = fsum(differences)
    for _ in range(rounds):
        bits = draw.getrandbits(len(differences))
        kept = fsum(difference for place, difference in enumerate(differences) if bits >> place & 1)
        yield 2 * kept - whole


def _quantile(ordered: Sequence[float], share: float) -> float:
    """Linear between neighbours; `share` 0 is the first, 1 the last."""
    place = share * (len(ordered) - 1)
    below = int(place)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (ordered[above] - ordered[below]) * (place - below)
