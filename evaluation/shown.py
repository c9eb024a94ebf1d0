"""Runs and results as their pages show them: plain objects with every label ready."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.urls import reverse

from answers.rules.lost import STAGES
from documents.models import Chunk
from evaluation.charts import Chart, bar_chart, histogram, line_chart, rows_chart
from evaluation.configuration import Configuration
from evaluation.judge import VERDICTS
from evaluation.labels import LABELS, label_of, shown
from evaluation.metrics.calibration import risk_coverage
from evaluation.models import GoldenQuestion, Result, Run
from evaluation.summary import Line, lost_words
from portal.problems import words_for
from portal.scope import Scope

STATE_KINDS = {"queued": "none", "running": "reading", "done": "ok", "failed": "warn", "cancelled": "none"}
CARDS = ("answered", "declined", "unsupported_answer_count", "evidence_match")
MAX_CURVE = 40
"""Points of a curve that are drawn and listed."""


@dataclass(frozen=True, slots=True)
class Card:
    name: str
    value: str
    detail: str = ""
    kind: str = ""


@dataclass(frozen=True, slots=True)
class ShownRun:
    ref: str
    url: str
    name: str
    set_name: str
    set_url: str
    version_label: str
    evaluator: str
    config_label: str
    state_kind: str
    state_label: str
    problem: str
    done: int
    total: int
    is_over: bool
    created_at: datetime
    right_label: str
    facts: tuple[tuple[str, str], ...] = ()


def run_line(run: Run) -> ShownRun:
    """Needs `golden_set` and `user` selected."""
    means = run.summary.get("means", {})
    words = words_for(run.problem) if run.problem else None
    config = Configuration.read(run.configuration).label
    return ShownRun(
        ref=run.ref,
        url=reverse("evaluation_run", args=[run.ref]),
        name=run.name or config,
        set_name=run.golden_set.name,
        set_url=reverse("golden_set", args=[run.golden_set.ref]),
        version_label=f"version {run.set_version}",
        evaluator=run.user.get_full_name(),
        config_label=config,
        state_kind=STATE_KINDS[run.state],
        state_label=Run.State(run.state).label,
        problem=f"{words.title} {words.advice}" if words else "",
        done=run.done,
        total=run.total,
        is_over=run.is_over,
        created_at=run.created_at,
        right_label=f"{means['right']:.0%} right" if "right" in means else "",
        facts=(
            ("Configuration", f"{config} ({run.config_hash})"),
            ("Code", run.code_version),
            ("Embedding model", run.embedding_model or "none"),
            ("Collection epochs", ", ".join(f"{pk}: {epoch}" for pk, epoch in sorted(run.epochs.items())) or "–"),
            ("Cost", f"${run.summary['means'].get('cost_usd', 0.0) * run.summary['questions']:.4f}" if means else "–"),
            ("Seed", str(run.seed)),
            ("Attempts", str(run.attempt)),
        ),
    )


def cards_of(summary: Mapping[str, Any]) -> tuple[Card, ...]:
    """Answered, declined, unsupported, evidence match; () before a run is done."""
    if not summary:
        return ()
    counts, means, total = summary["counts"], summary["means"], summary["questions"]
    unsupported = counts["unsupported_answer_count"]
    wrongly = f"{counts['abstained_wrong']} of them should have been answered"
    return (
        Card("Answered", f"{counts['answered']}", f"of {total} questions"),
        Card("Declined", f"{counts['declined']}", wrongly, "warn" if counts["abstained_wrong"] else ""),
        Card("Unsupported", f"{unsupported}", "answers nobody should rely on", "warn" if unsupported else "ok"),
        Card(
            "Evidence match",
            f"{means['evidence_match']:.0%}" if "evidence_match" in means else "–",
            "of the questions with a gold passage",
        ),
        Card("Right", f"{means['right']:.0%}" if "right" in means else "–", f"{counts['wrong']} wrong"),
    )


def figures_of(means: Mapping[str, float]) -> tuple[tuple[str, str, str], ...]:
    """(name, value, meaning) in the order of the labels."""
    return tuple((LABELS[n].name, shown(n, means[n]), LABELS[n].meaning) for n in LABELS if n in means)


def judged_of(summary: Mapping[str, Any]) -> tuple[tuple[str, str], ...]:
    """What a judge said, as (name, text); () where none was asked. Apart from every figure."""
    found = summary.get("judge")
    if not found:
        return ()
    said = tuple((verdict.capitalize(), str(found["counts"][verdict])) for verdict in (*VERDICTS, "unclear"))
    asked = ("Asked", f"{', '.join(found['models'])}; prompt {', '.join(found['prompts'])}")
    paid = ("Paid", f"${found['cost_usd']:.4f}; {found['cached']} were judged before and cost nothing")
    return (*said, asked, paid)


def lost_of(summary: Mapping[str, Any]) -> tuple[tuple[str, int], ...]:
    found = summary.get("lost", {})
    return tuple((text, found[stage]) for stage, text in STAGES.items() if stage and stage in found)


def charts_of(run: Run, lines: Sequence[Line]) -> tuple[Chart, ...]:
    """What a run page draws; charts without data are left out."""
    tags = run.summary.get("tags", {})
    rights = [(tag, one["means"]["right"], one["questions"]) for tag, one in tags.items() if "right" in one["means"]]
    by_tag = [(tag, right, f"{right:.0%} of {count}") for tag, right, count in rights]
    judged = [line.figures for line in lines if "right" in line.figures and "confidence" in line.figures]
    curve = risk_coverage([one["confidence"] for one in judged], [bool(one["right"]) for one in judged])
    every = max(1, len(curve) // MAX_CURVE)
    risk = [(f"{share:.0%}", wrong) for share, wrong in curve[::every]]
    times = [line.figures["latency_ms"] for line in lines if "latency_ms" in line.figures]
    made = (
        rows_chart("by-tag", "Right by tag", by_tag, head=("Tag", "Right")),
        line_chart("risk", "Risk over coverage: wrong among the most confident", risk, head=("Answered", "Wrong")),
        bar_chart("latency", "Time per question", histogram(times), head=("Up to (ms)", "Questions")),
        *_costs(lines),
    )
    return tuple(chart for chart in made if chart is not None)


def _costs(lines: Sequence[Line]) -> tuple[Chart | None, ...]:
    """What questions cost, in thousandths of a dollar; nothing where quotes cost nothing."""
    paid = [line.figures["cost_usd"] * 1000 for line in lines if line.figures.get("cost_usd", 0) > 0]
    bars = histogram(paid, digits=3)
    return (bar_chart("cost", "Cost per question", bars, head=("Up to ($ / 1,000)", "Questions")),) if paid else ()


def trend_of(runs: Sequence[Run], metric: str) -> Chart | None:
    """The metric over finished runs, oldest first."""
    measured = [run for run in runs if metric in run.summary.get("means", {})]
    points = [(f"{run.created_at:%-d %b %H:%M}", run.summary["means"][metric]) for run in measured]
    most = max([1.0, *(value for _, value in points)])
    return line_chart("trend", f"{label_of(metric)} over runs", points, head=("Run", label_of(metric)), most=most)


@dataclass(frozen=True, slots=True)
class ResultLine:
    key: str
    question: str
    url: str
    outcome: str
    kind: str
    says: str


def result_line(run_ref: str, result: Result) -> ResultLine:
    """Needs `question` selected."""
    right = result.figures.get("right")
    bad = right == 0 or result.figures.get("unsupported", 0) > 0
    return ResultLine(
        result.question.key,
        result.question.text,
        reverse("evaluation_result", args=[run_ref, result.question.ref]),
        result.outcome.replace("_", " "),
        "warn" if bad else "ok" if right else "none",
        lost_words(result.lost_at) if result.lost_at else "",
    )


@dataclass(frozen=True, slots=True)
class Step:
    """A passage in the trace; `text` is "" when its document is gone or out of sight."""

    chunk_id: int
    title: str
    url: str
    text: str
    places: str
    is_gold: bool
    is_quoted: bool


def steps_of(scope: Scope, result: Result) -> tuple[Step, ...]:
    """The evidence and the gold passages with their place in every list, words read under the viewer's own policies."""
    trace = result.trace
    gold = {chunk for one in trace.get("gold", ()) for chunk in one["chunks"][:3]}
    given = trace.get("evidence", [])
    wanted = list(dict.fromkeys([*given, *sorted(gold)]))
    rows = (
        Chunk.objects.visible_to(scope)
        .filter(pk__in=wanted, document__deleted_at__isnull=True)
        .select_related("document")
    )
    chunks = {row.pk: row for row in rows}
    lists = {
        stage["name"].removeprefix("search."): {item[0]: item[1] for item in stage.get("candidates", ())}
        for stage in trace.get("stages", ())
    }
    quoted = {quote[0] for quote in trace.get("quotes", ())}
    return tuple(
        _step(chunk_id, chunks.get(chunk_id), lists, chunk_id in gold, chunk_id in quoted) for chunk_id in wanted
    )


def _step(
    chunk_id: int, chunk: Chunk | None, lists: Mapping[str, Mapping[int, int]], is_gold: bool, is_quoted: bool
) -> Step:
    names = (("words", "words"), ("meaning", "meaning"), ("fused", "together"))
    places = ", ".join(
        f"{said} {lists.get(name, {}).get(chunk_id) or 'not among the first 50'}" for name, said in names
    )
    if chunk is None:
        return Step(chunk_id, "Source removed", "", "", places, is_gold, is_quoted)
    url = f"{reverse('document', args=[chunk.document.ref])}?chunk={chunk_id}#chunk-{chunk_id}"
    return Step(chunk_id, chunk.document.title or chunk.document.name, url, chunk.text, places, is_gold, is_quoted)


def expectation_of(question: GoldenQuestion) -> tuple[tuple[str, str], ...]:
    """What is expected, as (name, text) pairs."""
    pairs: list[tuple[str, str]] = [("Expects", GoldenQuestion.Expects(question.expects).label)]
    pairs += [("Expected text", text) for text in question.answers]
    pairs += [("Key fact", fact) for fact in question.key_facts]
    for one in question.gold:
        span = f", characters {one['start']}–{one['end']}" if "start" in one else ""
        pairs.append(("Gold passage", f"{one['document']}{span}" + (f": “{one['quote']}”" if one.get("quote") else "")))
    return tuple(pairs)
