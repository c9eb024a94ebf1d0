"""Tests beside the permutation test: McNemar for right and wrong, Holm over several metrics."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import comb
from typing import TypeVar

Name = TypeVar("Name")


def mcnemar(one: Sequence[bool], other: Sequence[bool]) -> float:
    """Two-sided exact p that both are right equally often on these questions (McNemar 1947, binomial form); no change gives 1.0."""
    pairs = list(zip(one, other, strict=True))
    lost, won = sum(a and not b for a, b in pairs), sum(b and not a for a, b in pairs)
    changed = lost + won
    tail = sum(comb(changed, i) for i in range(min(lost, won) + 1))
    return min(1.0, tail / 2 ** (changed - 1)) if changed else 1.0


def holm(p_values: Mapping[Name, float]) -> dict[Name, float]:
    """Step-down adjusted p values (Holm 1979): compare them with the level as they are."""
    adjusted: dict[Name, float] = {}
    highest = 0.0
    for place, name in enumerate(sorted(p_values, key=lambda name: p_values[name])):
        highest = max(highest, min(1.0, p_values[name] * (len(p_values) - place)))
        adjusted[name] = highest
    return adjusted
