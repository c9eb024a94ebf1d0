"""What makes a run fail: rules that an exit code, a report and a page read alike."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from evaluation.compare import Comparison
from evaluation.labels import LABELS, label_of
from evaluation.summary import Line, counts, means
from portal.problems import UserProblem

DEFAULT = ("unsupported", "evidence", "worse", "error")
WORDS: Mapping[str, str] = {
    "unsupported": "an answer that is not supported",
    "evidence": "a gold document that is not there, or a question that lost its evidence against the baseline",
    "worse": "a metric called worse than the baseline",
    "error": "a question that ended with an error",
    "wrong": "a question that is wrong",
}
_BOUND = re.compile(r"^(\w+)\s*([<>])\s*(-?\d+(?:\.\d+)?)$")


@dataclass(frozen=True, slots=True)
class Broken:
    """A rule that did not hold, with the keys of the questions that broke it."""

    rule: str
    says: str
    keys: tuple[str, ...] = ()


def read_rules(text: str) -> tuple[str, ...]:
    """`unsupported,ndcg_10<0.7`; "" is the default, "none" no rule. Raises UserProblem for what is no rule."""
    if text.strip() in ("", "none"):
        return DEFAULT if not text.strip() else ()
    rules = tuple(part.strip() for part in text.split(",") if part.strip())
    for rule in rules:
        bound = _BOUND.match(rule)
        if rule not in WORDS and not (bound and bound[1] in LABELS):
            raise UserProblem("evaluation.configuration", f"{rule[:60]} is no rule to fail on.")
    return rules


def broken(lines: Sequence[Line], rules: Sequence[str], comparison: Comparison | None = None) -> list[Broken]:
    """Every rule that does not hold. An empty list lets a release pass."""
    found = [_broken(rule, lines, comparison) for rule in rules]
    return [one for one in found if one is not None]


def _broken(rule: str, lines: Sequence[Line], comparison: Comparison | None) -> Broken | None:
    if bound := _BOUND.match(rule):
        return _out_of_bound(rule, bound, lines)
    if rule == "unsupported":
        keys = [line.key for line in lines if line.figures.get("unsupported", 0) > 0]
        return _of(rule, f"{counts(lines)['unsupported_answer_count']} answers are not supported", keys)
    if rule == "evidence":
        missing = [line.key for line in lines if line.gold_missing]
        lost = comparison.lost_evidence if comparison else []
        keys = list(dict.fromkeys([*missing, *lost]))
        return _of(
            rule,
            f"{len(missing)} questions have a gold passage that is not there, {len(lost)} lost their evidence",
            keys,
        )
    if rule == "error":
        return _of(rule, "questions ended with an error", [line.key for line in lines if line.outcome == "error"])
    if rule == "wrong":
        return _of(rule, "questions are wrong", [line.key for line in lines if line.figures.get("right") == 0])
    worse = comparison.worse if comparison else []
    return Broken(rule, "worse than the baseline: " + ", ".join(map(label_of, worse))) if worse else None


def _of(rule: str, says: str, keys: Sequence[str]) -> Broken | None:
    return Broken(rule, says, tuple(keys)) if keys else None


def _out_of_bound(rule: str, bound: re.Match[str], lines: Sequence[Line]) -> Broken | None:
    """A figure that no question has is out of every bound: a gate must not pass because nothing was measured."""
    name, sign, limit = bound[1], bound[2], float(bound[3])
    value = means(lines).get(name)
    if value is None:
        return Broken(rule, f"{label_of(name)} was not measured")
    out = value < limit if sign == "<" else value > limit
    return Broken(rule, f"{label_of(name)} is {value:.4f}") if out else None
