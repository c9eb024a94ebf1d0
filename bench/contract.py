"""The API against its own description: schemathesis over every operation (tests/api/test_contract.py), as a bar."""

from __future__ import annotations

import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ET
from pathlib import Path

from bench.inside import environment
from bench.registry import Bar, Bench, Figures, measures
from portal import env

CASES = 2_000


@measures(Bar("contract_cases", ">=", CASES), Bar("contract_faults", "=", 0), Bar("contract_violations", "=", 0))
def contract(bench: Bench) -> Figures:
    """Requests made, answers of 500 and above, answers that are not as described."""
    with tempfile.TemporaryDirectory(prefix="footnote-contract-") as folder:
        report = Path(folder) / "report.xml"
        test = [sys.executable, "-m", "pytest", "-q", "tests/api/test_contract.py"]
        command = [*test, f"--junitxml={report}", "-o", "junit_family=xunit1"]
        services = ["--throwaway", "--without", "embedder", "--without", "valkey"]
        beside = [sys.executable, "-m", "portal.supervisor", "exec", *services, "--", *command]
        here = environment(bench.state / "contract", CONTRACT_CASES=str(CASES))
        subprocess.run(beside, cwd=env.ROOT, env=here, capture_output=True, text=True, check=False)
        return figures(ET.parse(report).getroot())


def figures(report: ET.Element) -> dict[str, float]:
    """What the test told; nothing when it told nothing, and then its bars are short."""
    return {
        item.get("name", ""): float(item.get("value", "0"))
        for item in report.iter("property")
        if item.get("name", "").startswith("contract_")
    }
