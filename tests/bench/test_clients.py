"""What the bar over real clients makes of a report: a client counts when it has tests and all of them passed."""

from __future__ import annotations

import xml.etree.ElementTree as ET

from bench.clients import CLIENTS, figures
from portal.env import ROOT


def report(**ends: str) -> ET.Element:
    root = ET.Element("testsuites")
    for name, end in ends.items():
        module = CLIENTS[name].removesuffix(".py").replace("/", ".")
        for number in range(2):
            case = ET.SubElement(root, "testcase", classname=module, name=f"test_{number}")
            if end and number:
                ET.SubElement(case, end)
    return root


def test_a_client_counts_when_all_its_tests_passed() -> None:
    found, failures = figures(report(openai="", curl="skipped", LangChain="failure"))

    assert found == {
        "openai": 2,
        "LangChain": 0,
        "the official MCP client": 0,
        "curl": 0,
        "the typed client": 0,
    }
    assert failures == 2


def test_every_client_has_its_file() -> None:
    assert all((ROOT / path).exists() for path in CLIENTS.values())
