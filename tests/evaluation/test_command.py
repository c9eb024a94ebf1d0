"""The gate of CI: what turns the exit code of `manage.py evaluate`, and what does not."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest
from django.core.management import CommandError, call_command

from documents import lifecycle
from evaluation.golden.item import GoldPassage, Item
from evaluation.models import Run
from portal.scope import principal
from tests.evaluation.conftest import Bench

PARTS = ("rotor", "gasket", "impeller", "manifold", "bearing", "coupling", "flange", "stator", "spindle", "gauge")
FACTS = [
    f"# Part {n}\n\nThe {name} of the pump is inspected every {n + 2} weeks by the {name} keeper.\n"
    for n, name in enumerate(PARTS)
]


def evaluate(*arguments: str) -> int:
    try:
        call_command("evaluate", "Pump", "--as", "ada@example.org", *arguments)
    except SystemExit as ended:
        return int(str(ended.code))
    return 0


def _about(part: str) -> Item:
    gold = GoldPassage(f"{part}.md", f"the {part} keeper")
    return Item(part, f"Who inspects the {part} of the pump?", key_facts=(f"{part} keeper",), gold=(gold,))


@pytest.fixture
def many(bench: Bench) -> Bench:
    """Ten more documents and questions, so that a fault can be told from chance."""
    for part, text in zip(PARTS, FACTS, strict=True):
        bench.shelf.put_and_read(f"{part}.md", text)
    questions = [_about(part) for part in PARTS]
    bench.add(*questions)
    return bench


def test_a_good_run_passes_and_compares_with_the_one_before(many: Bench) -> None:
    assert evaluate() == 0
    assert evaluate("--baseline", "last") == 0


@pytest.mark.parametrize("config", ["threshold_scale=2", "shuffle_citations=on"])
def test_a_planted_regression_is_called_worse_and_fails(many: Bench, config: str, capsys: Any) -> None:
    evaluate()

    code = evaluate("--baseline", "last", "--config", config, "--fail-on", "worse")

    assert code == 1
    assert "worse than the baseline" in capsys.readouterr().out


def test_a_deleted_document_fails_the_evidence_gate(many: Bench) -> None:
    scope = many.shelf.cast.scope(many.shelf.cast.ada)
    document = many.shelf.document(many.shelf.rows("SELECT ref FROM documents_document WHERE name = 'rotor.md'")[0][0])
    assert evaluate() == 0

    with principal(scope):
        lifecycle.delete(scope, document)

    assert evaluate("--fail-on", "evidence") == 1
    assert evaluate("--baseline", Run.objects.using("owner").order_by("pk")[0].ref, "--fail-on", "evidence") == 1
    assert evaluate("--fail-on", "error") == 0


def test_an_unsupported_answer_fails_by_default(bench: Bench) -> None:
    bench.add(Item("trap", "Who may open the motor housing?", "decline"))

    assert evaluate() == 1
    assert evaluate("--fail-on", "none") == 0


def test_reports_are_written_beside_the_exit_code(bench: Bench, tmp_path: Path) -> None:
    bench.add(Item("evil", "What <script>alert(1)</script> | is [this](x)?"))
    paths = [tmp_path / name for name in ("r.md", "r.html", "r.xml")]

    evaluate(*(word for path in paths for word in ("--report", str(path))))

    markdown, html, xml = (path.read_text() for path in paths)
    suite = ET.fromstring(xml)
    assert suite.get("tests") == str(4 + 4)
    assert "The gate holds." in markdown
    assert "<script" not in html + markdown


@pytest.mark.parametrize(
    "arguments",
    [
        ("--config", "magic=1"),
        ("--fail-on", "magic"),
        ("--baseline", "nothing"),
        ("--collection", "nowhere"),
        ("--config", "k=0"),
    ],
)
def test_what_cannot_be_run_says_so(bench: Bench, arguments: tuple[str, str]) -> None:
    with pytest.raises(CommandError):
        evaluate(*arguments)


def test_a_stranger_cannot_evaluate_another_workspaces_set(bench: Bench) -> None:
    with pytest.raises(CommandError, match="no golden set"):
        call_command("evaluate", "Pump", "--as", "cy@example.org")


def test_the_page_of_a_report_brings_its_style_and_nothing_that_runs(bench: Bench, tmp_path: Path) -> None:
    path = tmp_path / "r.html"

    evaluate("--report", str(path))

    page = path.read_text()
    assert page.count("<style>") == 1
    assert "prefers-color-scheme: dark" in page
    assert not any(word in page for word in ("<script", "<link", "src=", "url("))
