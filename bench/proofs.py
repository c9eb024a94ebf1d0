"""The isolation proofs: the suites of tests/isolation run as they are, and what they count becomes the figure.

A test tells a figure with pytest's `record_property("p1_leaks", 0)`; several tests' figures of one name add up. A test
that fails or errs without having recorded one counts as one more under the bar of its module.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ET
from collections import Counter
from pathlib import Path

from bench.inside import environment
from bench.registry import Bar, Bench, Figures, measures
from portal import env

# Which bar a failing test of a module counts under.
SUITES = {
    "test_p1": "p1_leaks",
    "test_p2": "p2_foreign_rows",
    "test_p3": "p3_foreign_canaries",
    "test_p6": "p6_faults",
    "test_context": "forged_contexts",
}


BARS = (
    Bar("p1_leaks", "=", 0),
    Bar("p1_routes_share", "=", 1),
    Bar("p2_foreign_rows", "=", 0),
    Bar("p3_foreign_canaries", "=", 0),
    Bar("p6_faults", "=", 0),
    Bar("forged_contexts", "=", 8),
)


@measures(*BARS, is_long=True)
def isolation(bench: Bench) -> Figures:
    """Each figure from the tests that record it; a suite without any test gives none, and its bar is short."""
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
            "junit_family=xunit2",
        ]
        beside = [sys.executable, "-m", "portal.supervisor", "exec", "--throwaway", "--", *command]
        done = subprocess.run(
            beside, cwd=env.ROOT, env=environment(bench.state / "proofs"), capture_output=True, text=True, check=False
        )
        for line in done.stdout.splitlines()[-12:]:
            bench.note(line)
        return figures(ET.parse(report).getroot())


def figures(report: ET.Element) -> dict[str, float]:
    """Sums of the recorded figures of this module's bars; failures without one count under their module's bar."""
    found: Counter[str] = Counter()
    bars = {bar.name for bar in BARS}
    for case in report.iter("testcase"):
        recorded = {
            item.get("name", ""): float(item.get("value", "0"))
            for item in case.iter("property")
            if item.get("name") in bars
        }
        found.update(recorded)
        module = case.get("classname", "").rsplit(".", 1)[-1]
        suite = next((bar for start, bar in SUITES.items() if module.startswith(start)), "")
        failed = case.find("failure") is not None or case.find("error") is not None
        if failed and suite not in recorded and suite.startswith("p"):
            found[suite] += 1
    return dict(found)
