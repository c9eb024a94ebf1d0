"""The isolation proofs: the suites of tests/isolation run as they are, and what they found becomes the figure.

A suite whose tests all pass found nothing: 0. A test may tell a figure of its own with pytest's
`record_property("forged_contexts", 10)`; figures of one name add up. A failing test that told none counts as one.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ET
from collections import defaultdict
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from bench.inside import environment
from bench.registry import Bar, Bench, Figures, measures
from portal import env

# Which bar a module of tests/isolation answers for.
SUITES: Final[Mapping[str, str]] = {
    "test_matrix": "p1_leaks",
    "test_agents": "p1_leaks",
    "test_credentials": "p1_leaks",
    "test_hostile": "p2_foreign_rows",
    "test_concurrency": "p3_foreign_canaries",
    "test_catalogue": "p6_faults",
}
EVERY_ROUTE: Final = (
    "test_every_route_has_a_rule_and_every_rule_a_route",
    "test_every_operation_of_the_api_description_has_a_case",
    "test_every_tool_has_a_case_and_every_case_a_tool",
)
BARS = (
    Bar("p1_leaks", "=", 0),
    Bar("p1_cells", ">=", 3_000),
    Bar("p1_every_route", "=", 1),
    Bar("p2_foreign_rows", "=", 0),
    Bar("p3_foreign_canaries", "=", 0),
    Bar("p6_faults", "=", 0),
    Bar("forged_contexts", ">=", 8),
)


@measures(*BARS, is_long=True)
def isolation(bench: Bench) -> Figures:
    """A suite that ran no test gives no figure, and its bar is short."""
    with tempfile.TemporaryDirectory(prefix="footnote-proofs-") as folder:
        report = Path(folder) / "report.xml"
        command = [
            sys.executable,
            "-m",
            "pytest",
            "-q",
            "tests/isolation",
            f"--junitxml={report}",
            "-o",
            "junit_family=xunit1",
        ]
        beside = [sys.executable, "-m", "portal.supervisor", "exec", "--throwaway", "--", *command]
        done = subprocess.run(
            beside, cwd=env.ROOT, env=environment(bench.state / "proofs"), capture_output=True, text=True, check=False
        )
        for line in done.stdout.splitlines():
            if line.startswith(("P1 ", "FAILED tests/", "ERROR tests/")) or " passed" in line or " failed" in line:
                bench.note(line)
        return figures(ET.parse(report).getroot())


def figures(report: ET.Element) -> dict[str, float]:
    """What each bar came to, from pytest's JUnit report."""
    found: dict[str, float] = defaultdict(float)
    passed: set[str] = set()
    for case in report.iter("testcase"):
        told = {item.get("name", ""): float(item.get("value", "0")) for item in case.iter("property")}
        bar = SUITES.get(case.get("classname", "").rsplit(".", 1)[-1], "")
        fell = case.find("failure") is not None or case.find("error") is not None
        if not fell:
            passed.add(case.get("name", ""))
        for name in ("forged_contexts", "p1_cells"):
            if name in told and not fell:
                found[name] += told[name]
        if bar and case.find("skipped") is None:
            found[bar] += told.get(bar, float(fell))
    if "p1_leaks" in found:
        found["p1_every_route"] = float(passed.issuperset(EVERY_ROUTE))
    return dict(found)
