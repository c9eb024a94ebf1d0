"""The bars' own machinery: what a line says, which ones are picked, and what a measurement that breaks comes to."""

from __future__ import annotations

import tomllib
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from bench import bars, corpus, proofs, registry
from bench.registry import Bar, Bench, Figures, Measurement
from bench.stack import Asked


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return Bench(tmp_path / "data", tmp_path / "state")


@pytest.mark.parametrize(
    ("bar", "figure", "line"),
    [
        (Bar("a", ">=", 0.68), 0.6863, "bar a 0.6863 >=0.68 ok"),
        (Bar("a", ">=", 18), 18.0, "bar a 18 >=18 ok"),
        (Bar("a", ">=", 18), 17.0, "bar a 17 >=18 short"),
        (Bar("a", "<", 300), 300.0, "bar a 300 <300 short"),
        (Bar("a", "<=", 90), 90.0, "bar a 90 <=90 ok"),
        (Bar("a", "=", 0), 0.0, "bar a 0 =0 ok"),
        (Bar("a", ">=", -0.005), -0.0041, "bar a -0.0041 >=-0.005 ok"),
        (Bar("a", "=", 0), None, "bar a - =0 short"),
    ],
)
def test_a_line_says_figure_threshold_and_verdict(bar: Bar, figure: float | None, line: str) -> None:
    assert bar.line(figure) == line


def test_every_bar_has_a_name_of_its_own_and_the_issue_has_its_bars() -> None:
    names = [bar.name for measurement in registry.every() for bar in measurement.bars]

    assert len(names) == len(set(names))
    assert {
        "first_run_s",
        "second_start_s",
        "docs_ready_share",
        "questions_first3",
        "offtopic_declined",
        "scifact_hybrid",
        "xquad_zh_bm25",
        "small_beside_large",
        "recall_at_10",
        "p1_leaks",
        "forged_contexts",
        "kill9_back_s",
        "memory_pss_mb",
    } <= set(names)


def test_one_bar_is_picked_without_its_neighbours() -> None:
    ((measurement, wanted),) = registry.pick(["questions_first"])

    assert wanted == {"questions_first"}
    assert {bar.name for bar in measurement.bars} > wanted


def test_quick_leaves_the_long_ones_out() -> None:
    assert not any(measurement.is_long for measurement, _ in registry.pick([], quick=True))


def test_an_unknown_bar_is_named() -> None:
    with pytest.raises(KeyError, match="no_such_bar"):
        registry.pick(["no_such_bar"])


def test_a_bar_cannot_be_registered_twice() -> None:
    taken = registry.every()[0].bars[0]

    with pytest.raises(ValueError, match=taken.name):
        registry.measures(taken)


def test_a_measurement_that_breaks_is_short_and_says_why(bench: Bench, capsys: pytest.CaptureFixture[str]) -> None:
    def run(bench: Bench) -> Figures:
        raise RuntimeError("the cable fell out")

    short = bars.settle(bench, Measurement((Bar("a", ">=", 1), Bar("b", ">=", 1)), run, False, ()), frozenset({"b"}))

    said = capsys.readouterr().out
    assert short == ["b"]
    assert "# RuntimeError: the cable fell out" in said
    assert said.splitlines()[-1] == "bar b - >=1 short"


def test_the_questions_are_forty_with_documents_for_the_first_twenty() -> None:
    plan = tomllib.loads(corpus.QUESTIONS.read_text(encoding="utf-8"))

    asked = corpus.questions(plan)

    assert [bool(item.right) for item in asked] == [True] * 20 + [False] * 20
    assert len({item.text for item in asked}) == 40


def test_the_corpus_is_whole_folders_and_the_first_of_the_hashed_one(tmp_path: Path) -> None:
    for name in ("md/a.md", "md/sub/b.md", "rst/x.rst", "rst/y.rst", "rst/z.rst"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("x")

    names = [
        name
        for name, _ in corpus.corpus(tmp_path, {"corpus_folders": ["md"], "hashed_folder": "rst", "hashed_count": 2})
    ]

    assert names == ["md/a.md", "md/sub/b.md", "rst/z.rst", "rst/x.rst"]


def test_places_and_declines_are_counted(bench: Bench) -> None:
    def answered(ref: str, yes: bool) -> Asked:
        return Asked(ref, yes, "Supported", 0.1)

    asked = [
        (corpus.Asking("first", frozenset({"a"})), answered("1", True)),
        (corpus.Asking("third", frozenset({"a"})), answered("2", True)),
        (corpus.Asking("nowhere", frozenset({"a"})), answered("3", False)),
        (corpus.Asking("off, declined"), answered("4", False)),
        (corpus.Asking("off, answered"), answered("5", True)),
    ]
    lists = {"1": ["a", "b"], "2": ["b", "c", "a"], "3": ["b"], "4": ["b"], "5": ["b"]}
    found = {ref: {"documents": names, "reason": ""} for ref, names in lists.items()}

    assert corpus.judge(bench, asked, found) == {"questions_first": 1, "questions_first3": 2, "offtopic_declined": 1}


def test_a_suite_that_passes_found_nothing_and_failures_count() -> None:
    report = ET.fromstring(
        """<testsuites><testsuite>
        <testcase classname="tests.isolation.test_matrix" name="test_every_route_has_a_rule_and_every_rule_a_route"/>
        <testcase classname="tests.isolation.test_matrix" name="test_every_operation_of_the_api_description_has_a_case"/>
        <testcase classname="tests.isolation.test_agents" name="test_every_tool_has_a_case_and_every_case_a_tool"/>
        <testcase classname="tests.isolation.test_agents" name="a"><properties>
          <property name="p1_cells" value="500"/></properties></testcase>
        <testcase classname="tests.isolation.test_credentials" name="b"><properties>
          <property name="p1_leaks" value="2"/><property name="p1_cells" value="9"/></properties><failure/></testcase>
        <testcase classname="tests.isolation.test_concurrency" name="b"><failure/></testcase>
        <testcase classname="tests.isolation.test_catalogue" name="c"/>
        <testcase classname="tests.isolation.test_hostile" name="d"><properties>
          <property name="p2_foreign_rows" value="3"/></properties><failure/></testcase>
        <testcase classname="tests.isolation.test_context" name="e"><properties>
          <property name="forged_contexts" value="10"/></properties></testcase>
        </testsuite></testsuites>"""
    )

    assert proofs.figures(report) == {
        "p1_leaks": 2,
        "p1_cells": 500,
        "p1_every_route": 1,
        "p2_foreign_rows": 3,
        "p3_foreign_canaries": 1,
        "p6_faults": 0,
        "forged_contexts": 10,
    }
