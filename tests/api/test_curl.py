"""docs/api-examples.md is run as it stands there, by curl, against a served Footnote."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from portal.env import ROOT
from portal.keys import make_key
from tests.conftest import Cast
from tests.fakes.openai_server import OpenAIServer
from tests.serving import served, working

PAGE = ROOT / "docs" / "api-examples.md"
BLOCK = re.compile(r"```sh\n(?P<command>.*?)```\s*```json\n(?P<told>.*?)```", re.DOTALL)
MARK = "@@@ end of block"


@dataclass(frozen=True, slots=True)
class Example:
    command: str
    told: str

    def fits(self, output: str) -> bool:
        """Whether the pieces between the dots come in the output, in their order."""
        place = 0
        for piece in self.told.strip().split("…"):
            place = output.find(piece, place)
            if place < 0:
                return False
            place += len(piece)
        return True


def examples() -> list[Example]:
    return [Example(found["command"], found["told"]) for found in BLOCK.finditer(PAGE.read_text(encoding="utf-8"))]


@pytest.fixture
def site(toy_model: OpenAIServer) -> Iterator[str]:
    with served() as address, working():
        yield address


@pytest.mark.skipif(not (shutil.which("curl") and shutil.which("jq")), reason="needs curl and jq")
def test_every_command_of_the_page_works_and_tells_what_the_page_says(cast: Cast, site: str, tmp_path: Path) -> None:
    _, key = make_key(cast.scope(cast.ada), "curl", scopes=("read", "ask", "ingest"))
    script = "\n".join(["set -euo pipefail", *(f"{one.command}\necho; echo '{MARK}'" for one in examples())])
    here = {"PATH": os.environ["PATH"], "HOME": str(tmp_path), "SITE": site, "KEY": key}

    run = subprocess.run(
        ["bash", "-c", script], cwd=tmp_path, env=here, capture_output=True, text=True, timeout=60, check=False
    )

    outputs = run.stdout.split(MARK)
    assert run.returncode == 0, (run.stdout[-2000:], run.stderr)
    for one, output in zip(examples(), outputs, strict=False):
        assert one.fits(output), f"{one.command}\n{output[:3000]}\nshould tell\n{one.told}"
    assert len(outputs) == len(examples()) + 1


def test_the_page_has_no_command_without_an_answer_and_no_needless_promise() -> None:
    page = PAGE.read_text(encoding="utf-8")

    assert len(examples()) == page.count("```sh") >= 14
    assert Example("", "a…c").fits("xabcx") and not Example("", "c…a").fits("abc")
    assert all(len(one.told.replace("…", "").strip()) >= 4 for one in examples())
