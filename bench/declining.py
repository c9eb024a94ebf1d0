"""Declining what the passages do not answer: the score gate alone and with the answer-side check, over squad2-open.

`python -m bench.declining --data ../shared/data` fits the weights of answers/rules/answerable.py on the questions whose id
has an even CRC-32 and prints them; every figure is of the odd half.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from answers.rules import answerable, extract, gates
from bench.paragraphs import Found, Paragraphs, asked, rows
from bench.registry import Bar, Bench, Figures, measures, say
from documents.embedding.model import Encoder, default_files
from evaluation.metrics.answer import holds_any
from evaluation.metrics.calibration import risk_coverage

RIDGE = 5.0
PUBMED = 500
Numbers = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Judged:
    """One question: what the gates said, and whether its quotes hold a gold answer (never for an unanswerable one)."""

    found: Found
    decision: gates.Answerable | gates.Declined
    is_right: bool

    @property
    def sureness(self) -> float:
        """The check's chance; where it says nothing, the score gate's confidence on the same scale."""
        return _as_chance(self.decision.confidence) if self.decision.chance is None else self.decision.chance

    @property
    def is_declined(self) -> bool:
        return isinstance(self.decision, gates.Declined)


@measures(
    Bar("decline_area_better", ">=", 0.15),
    Bar("decline_off_topic_pubmed", ">=", 0.98),
    Bar("decline_off_topic_django", ">=", 0.98),
    Bar("decline_false", "<=", 0.11),
    is_long=True,
)
def declining(bench: Bench) -> Figures:
    """Area under the risk–coverage curve with the check against the score gate's; off-topic questions; false declines."""
    squad, off_topic = everything(bench.data)
    judged = [judge(found) for found in squad if found.is_odd]
    answered = [one for one in judged if one.found.answers]
    report(judged)
    declined = {name: [judge(found).is_declined for found in asked_] for name, asked_ in off_topic.items()}
    return {
        "decline_area_better": 1 - area(judged, checked=True) / area(judged, checked=False),
        "decline_off_topic_pubmed": float(np.mean(declined["pubmed"])),
        "decline_off_topic_django": float(np.mean(declined["django"])),
        "decline_false": float(np.mean([one.is_declined for one in answered])),
    }


def everything(data: Path) -> tuple[list[Found], dict[str, list[Found]]]:
    """squad2-open's questions, and the off-topic ones asked of the same paragraphs."""
    sets = data / "sets"
    corpus = Paragraphs(rows(sets / "squad2-open" / "corpus.jsonl"), Encoder(default_files()))
    off_topic = {
        "pubmed": asked(corpus, rows(sets / "pubmedqa-pqal" / "queries.jsonl")[:PUBMED]),
        "django": asked(corpus, rows(sets / "faq-django" / "queries.jsonl")),
    }
    return asked(corpus, rows(sets / "squad2-open" / "qa.jsonl")), off_topic


def judge(found: Found) -> Judged:
    draft = extract.write(found.question, found.passages)
    held = bool(found.answers) and bool(holds_any("\n".join(q.text for q in draft.sentences), found.answers))
    return Judged(found, gates.decide(found.question, found.passages, gates.MINILM), held)


def area(judged: Sequence[Judged], *, checked: bool) -> float:
    """Mean risk over all coverages; risk is the share of answered questions whose quotes hold no gold answer."""
    sureness = [one.sureness if checked else one.decision.confidence for one in judged]
    points = risk_coverage(sureness, [one.is_right for one in judged])
    covered, total = 0.0, 0.0
    for coverage, risk in points:
        total += risk * (coverage - covered)
        covered = coverage
    return total


def report(judged: Sequence[Judged]) -> None:
    """The curve, the near misses declined at 10 % false declines, and each kind of question, gate alone and with the check."""
    for checked in (False, True):
        name = "with the check" if checked else "score gate alone"
        points = risk_coverage(
            [one.sureness if checked else one.decision.confidence for one in judged], [one.is_right for one in judged]
        )
        curve = ", ".join(f"{at:.0%} {_risk_at(points, at):.3f}" for at in (0.1, 0.25, 0.5, 0.75, 0.9, 1.0))
        say(f"# risk at coverage, {name}: {curve}; area {area(judged, checked=checked):.4f}")
    kinds = sorted({one.found.question.kind for one in judged})
    for kind in ("all", *kinds):
        mine = [one for one in judged if kind in ("all", one.found.question.kind)]
        say(f"# {kind} ({len(mine)}): " + "; ".join(_told(mine, checked=checked) for checked in (False, True)))
    near = [one for one in judged if not one.found.answers]
    right = [one for one in judged if one.found.answers]
    say(
        f"# as it is live: {np.mean([one.is_declined for one in near]):.3f} of {len(near)} unanswerable and "
        f"{np.mean([one.is_declined for one in right]):.3f} of {len(right)} answerable questions are declined"
    )


def _told(judged: Sequence[Judged], *, checked: bool) -> str:
    value = {True: [], False: []}  # type: dict[bool, list[float]]
    for one in judged:
        value[bool(one.found.answers)].append(one.sureness if checked else one.decision.confidence)
    name = "with the check" if checked else "score gate"
    if not (value[True] and value[False]):
        return f"{name} -"
    cut = float(np.quantile(value[True], 0.1))
    share = float(np.mean(np.asarray(value[False]) < cut))
    told = f"AUROC {auroc(value[True], value[False]):.3f}, {share:.3f} declined at 10 % false"
    return f"{name} {told}, area {area(judged, checked=checked):.3f}"


def _risk_at(points: Sequence[tuple[float, float]], coverage: float) -> float:
    return next(risk for at, risk in points if at >= coverage - 1e-9)


def auroc(right: Sequence[float], wrong: Sequence[float]) -> float:
    """How often a right one scores above a wrong one, ties half."""
    low = np.asarray(wrong)
    return float(np.mean([(low < one).mean() + (low == one).mean() / 2 for one in right]))


# Fitted on the even half for the questions that the check leaves alone, so that both stand on one scale.
GATE_SLOPE, GATE_BIAS = 5.26, -3.44


def _as_chance(confidence: float) -> float:
    return float(1 / (1 + np.exp(-(GATE_BIAS + GATE_SLOPE * confidence))))


def logistic(signs: Numbers, right: npt.NDArray[np.bool_]) -> tuple[Numbers, float]:
    """Weights and bias by Newton's method with a ridge on standardised signs; plain enough to be done again by hand."""
    mean, spread = signs.mean(0), signs.std(0) + 1e-9
    rows_ = np.c_[np.ones(len(signs)), (signs - mean) / spread]
    weights = np.zeros(rows_.shape[1])
    ridge = np.r_[0.0, np.full(signs.shape[1], RIDGE)]
    for _ in range(50):
        chance = 1 / (1 + np.exp(-rows_ @ weights))
        slope = rows_.T @ (chance - right) + ridge * weights
        bend = (rows_ * (chance * (1 - chance))[:, None]).T @ rows_ + np.diag(ridge + 1e-9)
        weights -= np.linalg.solve(bend, slope)
    plain = weights[1:] / spread
    return plain, float(weights[0] - (plain * mean).sum())


def fit(squad: Sequence[Found]) -> dict[str, float]:
    """The weights of answerable.MINILM from the even half."""
    mine = [
        (signs, judge(found).is_right)
        for found in squad
        if not found.is_odd and found.question.kind in answerable.CHECKED and not found.question.identifiers
        if (signs := answerable.signs(found.question, found.passages)) is not None
    ]
    names = answerable.Signs.__slots__
    weights, bias = logistic(
        np.array([[getattr(signs, name) for name in names] for signs, _ in mine]),
        np.array([right for _, right in mine]),
    )
    return {
        **{name: round(float(weight), 3) for name, weight in zip(names, weights, strict=True)},
        "bias": round(bias, 3),
    }


def main() -> None:
    options = argparse.ArgumentParser()
    options.add_argument("--data", type=Path, required=True)
    squad, _ = everything(options.parse_args().data)
    for name, weight in fit(squad).items():
        print(f'    "{name}": {weight},')


if __name__ == "__main__":
    main()
