"""The clients that programs really use, each against a served Footnote, as a bar: their tests run as they are."""

from __future__ import annotations

import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ET
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from bench.inside import environment
from bench.registry import Bar, Bench, Figures, measures
from portal import env

CLIENTS: Final[Mapping[str, str]] = {
    "openai": "tests/typed/test_openai_client.py",
    "LangChain": "tests/typed/test_langchain.py",
    "the official MCP client": "tests/agents/test_agents.py",
    "curl": "tests/api/test_curl.py",
    "the typed client": "tests/clients/test_live.py",
}


@measures(Bar("real_clients", "=", len(CLIENTS)), Bar("client_failures", "=", 0))
def clients(bench: Bench) -> Figures:
    """Kinds of client of which every test passed, and tests that did not."""
    with tempfile.TemporaryDirectory(prefix="footnote-clients-") as folder:
        report = Path(folder) / "report.xml"
        test = [sys.executable, "-m", "pytest", "-q", *CLIENTS.values()]
        command = [*test, f"--junitxml={report}", "-o", "junit_family=xunit1"]
        services = ["--throwaway", "--without", "embedder", "--without", "valkey"]
        beside = [sys.executable, "-m", "portal.supervisor", "exec", *services, "--", *command]
        here = environment(bench.state / "clients")
        subprocess.run(beside, cwd=env.ROOT, env=here, capture_output=True, text=True, check=False)
        found, failures = figures(ET.parse(report).getroot())
    for name, passed in found.items():
        bench.note(f"{name}: {passed} tests passed")
    return {"real_clients": sum(passed > 0 for passed in found.values()), "client_failures": failures}


def figures(report: ET.Element) -> tuple[dict[str, int], int]:
    """Tests passed by client, 0 for one that failed or skipped a test; and how many failed or skipped."""
    found: dict[str, int] = {}
    failures = 0
    for name, path in CLIENTS.items():
        module = path.removesuffix(".py").replace("/", ".")
        cases = [case for case in report.iter("testcase") if case.get("classname", "") == module]
        fell = sum(any(case.find(end) is not None for end in ("failure", "error", "skipped")) for case in cases)
        found[name] = 0 if fell else len(cases)
        failures += fell
    return found, failures
