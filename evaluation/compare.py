"""Two runs over the same questions: what differs, how surely, in words; and each question that got better or worse."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from evaluation.labels import COMPARED, LOWER_IS_BETTER
from evaluation.metrics.intervals import Interval, bootstrap_interval, permutation_test
from evaluation.metrics.significance import holm, mcnemar
from evaluation.summary import Line

Call = Literal["better", "worse", "no evidence"]
LEVEL = 0.05
YES_OR_NO = ("right", "abstention_right", "unsupported", "evidence_match", "answered")


@dataclass(frozen=True, slots=True)
class Difference:
    """One metric over the questions that both runs have a figure for.

    `change` is candidate minus baseline with its 95 % bootstrap interval; `p` is adjusted over all metrics (Holm).
    """

    name: str
    questions: int
    baseline: float
    candidate: float
    change: Interval
    p: float
    call: Call


@dataclass(frozen=True, slots=True)
class Pair:
    """A question in both runs."""

    key: str
    baseline: Line
    candidate: Line

    @property
    def went(self) -> Literal["better", "worse", "same"]:
        """By right or wrong where that is known, else by whether its evidence was quoted."""
        for name in ("right", "evidence_match"):
            before, after = self.baseline.figures.get(name), self.candidate.figures.get(name)
            if before is not None and after is not None and before != after:
                return "better" if after > before else "worse"
        return "same"

    @property
    def lost_evidence(self) -> bool:
        """It had a gold passage before the writer in the baseline and has none now."""
        return (
            self.baseline.figures.get("evidence_given", 0) > 0 and self.candidate.figures.get("evidence_given", 0) == 0
        )


@dataclass(frozen=True, slots=True)
class Comparison:
    """`only_baseline` and `only_candidate` count questions that the other run does not have: nothing is said of them."""

    differences: tuple[Difference, ...]
    pairs: tuple[Pair, ...]
    only_baseline: int = 0
    only_candidate: int = 0

    @property
    def worse(self) -> list[str]:
        return [difference.name for difference in self.differences if difference.call == "worse"]

    @property
    def better(self) -> list[str]:
        return [difference.name for difference in self.differences if difference.call == "better"]

    @property
    def lost_evidence(self) -> list[str]:
        return [pair.key for pair in self.pairs if pair.lost_evidence]

    @property
    def verdict(self) -> str:
        """One word for the whole: "mixed" when some metrics got better and others worse."""
        if self.worse and self.better:
            return "mixed"
        return "worse" if self.worse else "better" if self.better else "no evidence"


def compare(baseline: Sequence[Line], candidate: Sequence[Line], *, seed: int = 1, rounds: int = 10_000) -> Comparison:
    """Paired by question key. The same seed gives the same figures."""
    before = {line.key: line for line in baseline}
    after = {line.key: line for line in candidate}
    pairs = tuple(Pair(key, before[key], after[key]) for key in sorted(before.keys() & after.keys()))
    found = {name: values for name in COMPARED if (values := _values(name, pairs))}
    raw = {name: _p(name, values, seed, rounds) for name, values in found.items()}
    adjusted = holm(raw)
    differences = tuple(_difference(name, values, adjusted[name], seed, rounds) for name, values in found.items())
    return Comparison(differences, pairs, len(before.keys() - after.keys()), len(after.keys() - before.keys()))


def _values(name: str, pairs: Sequence[Pair]) -> list[tuple[float, float]]:
    figures: list[tuple[Mapping[str, float], Mapping[str, float]]] = [
        (p.baseline.figures, p.candidate.figures) for p in pairs
    ]
    return [(before[name], after[name]) for before, after in figures if name in before and name in after]


def _p(name: str, values: Sequence[tuple[float, float]], seed: int, rounds: int) -> float:
    before, after = [a for a, _ in values], [b for _, b in values]
    if name in YES_OR_NO:
        return mcnemar([bool(a) for a in before], [bool(b) for b in after])
    return permutation_test(before, after, seed=seed, rounds=rounds)


def _difference(name: str, values: Sequence[tuple[float, float]], p: float, seed: int, rounds: int) -> Difference:
    count = len(values)
    change = bootstrap_interval([b - a for a, b in values], seed=seed, rounds=min(rounds, 2000))
    call: Call = "no evidence"
    if p < LEVEL and change.mean:
        call = "better" if (change.mean > 0) != (name in LOWER_IS_BETTER) else "worse"
    return Difference(
        name, count, sum(a for a, _ in values) / count, sum(b for _, b in values) / count, change, p, call
    )
