"""A finished run on paper: the same content as Markdown, JUnit XML and a page that stands alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal
from xml.etree import ElementTree as ET

from django.conf import settings
from django.template.loader import render_to_string

from evaluation.compare import Comparison, compare
from evaluation.configuration import Configuration
from evaluation.gate import DEFAULT, WORDS, Broken, broken
from evaluation.golden.store import questions_of
from evaluation.labels import label_of, shown
from evaluation.models import GoldenSet, Run
from evaluation.summary import Line, counts, lines_of, lost_words, means
from portal.scope import Scope, principal

Kind = Literal["html", "md", "xml"]


@dataclass(frozen=True, slots=True)
class Report:
    """What a run came to, as far as its reader sees the questions."""

    set_name: str
    run: Run
    lines: tuple[Line, ...]
    questions: Mapping[str, str]
    broken: tuple[Broken, ...]
    rules: tuple[str, ...]
    baseline: Run | None = None
    comparison: Comparison | None = None

    @property
    def title(self) -> str:
        return f"{self.set_name}, version {self.run.set_version}: run {self.run.ref}"

    @property
    def facts(self) -> list[tuple[str, str]]:
        run = self.run
        return [
            ("Configuration", f"{Configuration.read(run.configuration).label} ({run.config_hash})"),
            ("Code", run.code_version),
            ("Embedding model", run.embedding_model or "none"),
            ("Collection epochs", ", ".join(f"{pk}: {epoch}" for pk, epoch in sorted(run.epochs.items()))),
            ("Seed", str(run.seed)),
            ("Questions", f"{len(self.lines)} of {run.total}"),
        ]

    @property
    def figures(self) -> list[tuple[str, str]]:
        return [(label_of(name), shown(name, value)) for name, value in means(self.lines).items()]

    @property
    def counted(self) -> list[tuple[str, int]]:
        return [(name.replace("_", " "), count) for name, count in counts(self.lines).items()]

    @property
    def wrong(self) -> list[tuple[str, str, str]]:
        """(key, question, where it was lost) of what is not right."""
        faulty = [line for line in self.lines if line.figures.get("right") == 0 or line.figures.get("unsupported")]
        return [(one.key, self.questions.get(one.key, ""), lost_words(one.lost_at)) for one in faulty]

    @property
    def differences(self) -> list[tuple[str, str, str, str, str, str]]:
        found = self.comparison.differences if self.comparison else ()
        return [
            (
                label_of(d.name),
                shown(d.name, d.baseline),
                shown(d.name, d.candidate),
                f"{d.change.mean:+.3f} ({d.change.low:+.3f} to {d.change.high:+.3f})",
                f"{d.p:.3f}",
                d.call,
            )
            for d in found
        ]


def make(scope: Scope, run: Run, *, baseline: Run | None = None, rules: Sequence[str] = DEFAULT) -> Report:
    """Read everything once. Opens the principal itself."""
    lines = tuple(lines_of(scope, run))
    comparison = compare(lines_of(scope, baseline), lines, seed=run.seed) if baseline else None
    with principal(scope):
        name = GoldenSet.objects.visible_to(scope).values_list("name", flat=True).get(pk=run.golden_set_id)
        rows = questions_of(scope, run.golden_set_id, run.set_version).values_list("key", "text")
        questions = dict(rows)
    return Report(
        name, run, lines, questions, tuple(broken(lines, rules, comparison)), tuple(rules), baseline, comparison
    )


def write(report: Report, kind: Kind) -> str:
    return {"md": markdown, "xml": junit, "html": page}[kind](report)


def markdown(report: Report) -> str:
    parts = [f"# {_cell(report.title)}", "", _verdict(report), ""]
    parts += _table(("", ""), report.facts) + _table(("Figure", "Mean"), report.figures)
    parts += _table(("Count", "Questions"), [(name, str(count)) for name, count in report.counted])
    if report.comparison:
        parts += [f"## Against run {report.baseline.ref if report.baseline else ''}: {report.comparison.verdict}", ""]
        parts += _table(("Figure", "Before", "Now", "Change (95 %)", "p (Holm)", "Says"), report.differences)
    if report.wrong:
        parts += ["## Not right", "", *_table(("Id", "Question", "Where it was lost"), report.wrong)]
    return "\n".join(parts)


def _verdict(report: Report) -> str:
    if not report.broken:
        return "The gate holds."
    return "The gate is broken:\n\n" + "\n".join(f"- **{one.rule}**: {one.says}" for one in report.broken)


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    lines = [head, ["---"] * len(head), *rows]
    return ["| " + " | ".join(map(_cell, row)) + " |" for row in lines] + [""]


def _cell(text: str) -> str:
    """Text as data: nothing of it becomes a column, a tag or a link."""
    plain = " ".join(text.split()).replace("\\", "\\\\").replace("|", "\\|").replace("<", "&lt;")
    return plain.replace("[", "\\[").replace("`", "\\`")


def junit(report: Report) -> str:
    """A test case per question, failed when it breaks a rule, and one per rule that speaks of the whole run."""
    failed = {key: one for one in report.broken for key in one.keys}
    whole = [rule for rule in report.rules if not any(one.rule == rule and one.keys for one in report.broken)]
    suite = ET.Element(
        "testsuite",
        name=_xml(report.title),
        tests=str(len(report.lines) + len(whole)),
        failures=str(
            len(failed.keys() & {line.key for line in report.lines}) + sum(not one.keys for one in report.broken)
        ),
        time=f"{sum(line.figures.get('latency_ms', 0) for line in report.lines) / 1000:.3f}",
    )
    for line in report.lines:
        name = _xml(f"{line.key}: {report.questions.get(line.key, '')}")
        case = ET.SubElement(suite, "testcase", classname=_xml(report.set_name), name=name)
        case.set("time", f"{line.figures.get('latency_ms', 0) / 1000:.3f}")
        if found := failed.get(line.key):
            ET.SubElement(
                case, "failure", type=found.rule, message=WORDS.get(found.rule, found.says)
            ).text = lost_words(line.lost_at)
    for rule in whole:
        case = ET.SubElement(suite, "testcase", classname="gate", name=rule)
        if broke := next((one for one in report.broken if one.rule == rule), None):
            ET.SubElement(case, "failure", type=rule, message=broke.says)
    return ET.tostring(suite, encoding="unicode", xml_declaration=True) + "\n"


def _xml(text: str) -> str:
    """Without the control characters that XML 1.0 cannot hold."""
    return "".join(c for c in text if c >= " ")[:500]


def page(report: Report) -> str:
    """It is read from a disk or a CI's store, so it brings its style along."""
    style = (Path(settings.BASE_DIR) / "static" / "css" / "report.css").read_text(encoding="utf-8")
    written = render_to_string("evaluation_report.html", {"report": report})
    return written.replace("</head>", f"<style>\n{style}</style>\n  </head>", 1)
