"""The typed client, its README and the schemas against a served Footnote."""

from __future__ import annotations

import dataclasses
import os
import re
import shutil
import subprocess
import sys
import typing
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from drf_spectacular.generators import SchemaGenerator

import footnote_client as fc
from portal.env import ROOT
from tests.conftest import Cast
from tests.documents.api.conftest import ProgramFor, program, toy_model
from tests.fakes.openai_server import OpenAIServer
from tests.serving import served, working

__all__ = ["program", "toy_model"]
CLIENT = ROOT / "clients" / "python"
LOGS = b"# Logging\n\n## Retention\n\nAccess logs are kept for 90 days and then deleted automatically.\n"


@pytest.fixture
def site(toy_model: OpenAIServer) -> Iterator[str]:
    with served() as address, working():
        yield address


@pytest.fixture(scope="session")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where `pip install clients/python` put it."""
    source, target = tmp_path_factory.mktemp("source") / "python", tmp_path_factory.mktemp("target")
    shutil.copytree(CLIENT, source, ignore=shutil.ignore_patterns("build", "*.egg-info", "__pycache__"))
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "install", "--quiet", "--no-index"]
    subprocess.run(
        [*pip, "--no-build-isolation", "--target", str(target), str(source)], check=True, capture_output=True
    )
    return target


def test_the_installed_client_runs_its_quick_start(cast: Cast, program: ProgramFor, site: str, installed: Path) -> None:
    [code] = re.findall(r"```python\n(.*?)```", (CLIENT / "README.md").read_text(), re.DOTALL)
    key = program(cast.ada).key
    here = {"PATH": os.environ["PATH"], "PYTHONPATH": str(installed), "FOOTNOTE_URL": site, "FOOTNOTE_KEY": key}

    run = subprocess.run([sys.executable, "-c", code], env=here, capture_output=True, text=True, check=False, cwd="/")

    lines = run.stdout.splitlines()
    assert run.returncode == 0, run.stderr
    assert lines[0] == "logging.md has 1 passages" and lines[-1] == "answered from 1 passages"
    assert len([line for line in lines if "90 days" in line]) >= 3 and any(line.startswith("[1]") for line in lines)
    assert (installed / "footnote_client" / "py.typed").exists()


def test_a_programs_day(cast: Cast, program: ProgramFor, site: str, tmp_path: Path) -> None:
    footnote = fc.Footnote(site, program(cast.ben).key)
    shelf = footnote.make_collection("Handbook")
    file = tmp_path / "logs.md"
    file.write_bytes(LOGS)

    taken = footnote.upload(file, collection=shelf.ref, path="ops/logs.md", source_url="https://example.org/logs")
    again = footnote.upload(LOGS, name="logs.md", collection=shelf.ref, path="ops/logs.md")
    ready = footnote.wait_until_ready(taken.document.ref, timeout_s=30, poll_s=0.1)
    listed = list(footnote.documents(collection=shelf.ref, state="ready"))
    chunks = list(footnote.passages(ready.ref))
    found = footnote.search("access logs", k=1, collections=[shelf.ref])
    asked = footnote.ask("How long are access logs kept?", collections=[shelf.ref])
    after = footnote.ask("And then?", previous=asked.ref)
    events = list(footnote.stream("How long are access logs kept?", collections=[shelf.ref]))

    assert (taken.outcome, again.outcome, ready.state) == ("accepted", "duplicate", "ready")
    assert [document.ref for document in listed] == [ready.ref] and [chunk.number for chunk in chunks] == [1]
    assert found.passages[0].document == ready.ref and "90 days" in found.passages[0].text
    assert asked.answer.outcome == "answered" and asked.answer.cited[0].document == ready.ref
    assert after.conversation == asked.conversation
    answer = events[-1]
    assert isinstance(answer, fc.Answer) and answer.text == asked.answer.text
    assert "".join(event.text for event in events if isinstance(event, fc.Token)) == answer.text
    assert {past.ref for past in footnote.history()} == {asked.ref, after.ref, answer.question_ref}
    footnote.delete_question(asked.ref)
    footnote.delete_document(ready.ref)
    footnote.delete_document(ready.ref)
    with pytest.raises(fc.NotFound):
        footnote.question(asked.ref)
    assert list(footnote.documents(collection=shelf.ref)) == []


def test_problems_of_the_real_server_are_exceptions_with_their_codes(
    cast: Cast,
    program: ProgramFor,
    site: str,
    settings: Any,
) -> None:
    reader = fc.Footnote(site, program(cast.dot, "read").key, sleep=lambda _: None)

    with pytest.raises(fc.Forbidden, match=r"portal\.key_scope"):
        reader.ask("How long?")
    with pytest.raises(fc.Invalid) as invalid:
        reader.search("logs", k=99)
    with pytest.raises(fc.NoKey, match=r"portal\.no_key"):
        fc.Footnote(site, "fn_000000000000000000_x").workspace()
    with pytest.raises(fc.Invalid, match=r"documents\.empty"):
        fc.Footnote(site, program(cast.ada).key).upload(b"", name="empty.md")
    settings.LIMIT_PROGRAM = 1
    with pytest.raises(fc.RateLimited) as limited:
        [reader.search("access logs") for _ in range(2)]

    assert "k" in invalid.value.errors
    assert limited.value.retry_after_s > 0


def test_one_key_of_repeats_uploads_once(cast: Cast, program: ProgramFor, site: str) -> None:
    footnote = fc.Footnote(site, program(cast.ada).key)

    first, second = (footnote.upload(LOGS, name="a.md", idempotency_key="once") for _ in range(2))

    assert first == second or (first.document.ref, first.version) == (second.document.ref, second.version)
    with pytest.raises(fc.Invalid, match=r"portal\.key_reused"):
        footnote.upload(LOGS, name="b.md", idempotency_key="once")


NAMES = {
    fc.Workspace: "Workspace", fc.Collection: "Collection", fc.Document: "DocumentState", fc.Job: "Job", fc.Reason: "Reason",
    fc.Taken: "Taken", fc.TextChunk: "Chunk", fc.Scores: "Scores", fc.Passage: "Passage", fc.Note: "SearchNote",
    fc.SearchResult: "SearchAnswer", fc.Quote: "Quote", fc.Citation: "Citation", fc.SourcesSince: "SourcesSince",
    fc.Sentence: "Sentence", fc.Answer: "Answer", fc.Question: "Question", fc.PastQuestion: "PastQuestion",
}  # fmt: skip
JSON = {"string": str, "integer": int, "number": float, "boolean": bool}


@pytest.mark.parametrize("kind", NAMES, ids=lambda kind: kind.__name__)
def test_every_type_is_what_the_schema_says(kind: Any) -> None:
    schema = _schema()
    properties = schema[NAMES[kind]]["properties"]
    hints = typing.get_type_hints(kind)

    for one in dataclasses.fields(kind):
        if one.default is dataclasses.MISSING and one.default_factory is dataclasses.MISSING:
            assert one.name in properties, one.name
            told = properties[one.name]
            may_be_null = "null" in str(told.get("type")) or any("null" in str(part) for part in told.get("oneOf", ()))
            is_fetched = (kind, one.name) == (
                fc.Taken,
                "document",
            )  # null of a `url` alone, which upload() does not send
            assert (type(None) in typing.get_args(hints[one.name])) == (may_be_null and not is_fetched), one.name
            [plain] = [name for name in JSON if name in str(told.get("type"))] or [""]
            if plain and "format" not in told:
                assert JSON[plain] in (hints[one.name], *typing.get_args(hints[one.name])), one.name


def _schema() -> Any:
    generator: Any = SchemaGenerator
    return generator().get_schema(request=None, public=True)["components"]["schemas"]
