"""A run in figures: weighted means, counts, calibration; over all questions and by tag."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import fsum
from typing import Any

from answers.rules.lost import STAGES
from evaluation.configuration import Configuration
from evaluation.judge import summed
from evaluation.metrics.calibration import calibration_error
from evaluation.models import Result, Run
from portal.scope import Scope, principal

FEW_TAGS = 30
"""Tags shown; the most frequent ones."""


@dataclass(frozen=True, slots=True)
class Line:
    """One question's outcome, as summaries and comparisons take it."""

    key: str
    expects: str
    outcome: str
    lost_at: str
    figures: Mapping[str, float]
    tags: tuple[str, ...] = ()
    weight: float = 1.0
    gold_missing: bool = False
    """A gold document is not there or was not read."""


def lines_of(scope: Scope, run: Run) -> list[Line]:
    """Every result that the scope sees, in the order asked. Opens the principal itself."""
    of_question = ("question__key", "question__expects", "question__tags", "question__weight")
    with principal(scope):
        rows = Result.objects.visible_to(scope).filter(run=run).order_by("question_id")
        values = rows.values_list(*of_question, "outcome", "lost_at", "figures", "trace__gold")
        return [
            Line(
                key,
                expects,
                outcome,
                lost,
                figures,
                tuple(tags),
                weight,
                any(g["state"] == "not_read" for g in gold or ()),
            )
            for key, expects, tags, weight, outcome, lost, figures, gold in values
        ]


def summary_of(scope: Scope, run: Run) -> dict[str, Any]:
    """Plain values for Run.summary: the figures, and apart from them what a judge said."""
    found = summarise(lines_of(scope, run))
    if not Configuration.read(run.configuration).judge:
        return found
    with principal(scope):
        rows = Result.objects.visible_to(scope).filter(run=run)
        said = [{"judge": one} for one in rows.values_list("trace__judge", flat=True)]
    return {**found, "judge": summed(said)}


def summarise(lines: Sequence[Line]) -> dict[str, Any]:
    """Plain values for Run.summary: `means`, `counts`, `lost`, `tags`."""
    tags = Counter(tag for line in lines for tag in line.tags)
    return {
        "questions": len(lines),
        "means": means(lines),
        "counts": counts(lines),
        "lost": dict(Counter(stage_of(line.lost_at) for line in lines if line.lost_at)),
        "tags": {
            tag: {"questions": count, "means": means([line for line in lines if tag in line.tags])}
            for tag, count in tags.most_common(FEW_TAGS)
        },
    }


def means(lines: Iterable[Line]) -> dict[str, float]:
    """Weighted mean of every figure over the questions it applies to, and the calibration error of answers."""
    values: dict[str, list[tuple[float, float]]] = defaultdict(list)
    judged: list[tuple[float, bool]] = []
    for line in lines:
        for name, value in line.figures.items():
            values[name].append((value, line.weight))
        if line.figures.get("answered") and "right" in line.figures and "confidence" in line.figures:
            judged.append((min(1.0, max(0.0, line.figures["confidence"])), bool(line.figures["right"])))
    found = {
        name: round(fsum(v * w for v, w in pairs) / fsum(w for _, w in pairs), 6)
        for name, pairs in sorted(values.items())
    }
    if judged:
        found["calibration_error"] = round(calibration_error([c for c, _ in judged], [r for _, r in judged]), 6)
    return found


def counts(lines: Sequence[Line]) -> dict[str, int]:
    answered = [line for line in lines if line.outcome == "answered"]
    declined = [line for line in lines if line.outcome == "declined"]
    return {
        "answered": len(answered),
        "declined": len(declined),
        "other": len(lines) - len(answered) - len(declined),
        "abstained_right": sum(line.expects == "decline" for line in lines if line.outcome != "answered"),
        "abstained_wrong": sum(line.expects == "answer" for line in lines if line.outcome != "answered"),
        "answered_wrongly": sum(line.expects == "decline" for line in answered),
        "unsupported_answer_count": sum(line.figures.get("unsupported", 0) > 0 for line in lines),
        "wrong": sum(line.figures.get("right") == 0 for line in lines),
        "gold_missing": sum(line.gold_missing for line in lines),
        "errors": sum(line.outcome == "error" for line in lines),
    }


def stage_of(lost: str) -> str:
    """The key of STAGES without the gate."""
    return lost.partition(":")[0]


def lost_words(lost: str) -> str:
    """The verdict in words, with the gate that declined."""
    from portal.problems import words_for

    stage, _, gate = lost.partition(":")
    return STAGES.get(stage, stage) + (f" ({words_for(gate).title.rstrip('.')})" if gate.startswith("answers.") else "")
