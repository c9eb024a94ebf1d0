"""Heavy readers go one after the other; lean ones beside them."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from documents.sandbox import Limits, Refused, prepare
from documents.text.piece import ChunkProfile

READER = """
import json, os, time
from documents.parsers.outcome import Refused
from documents.sandbox_wire import encode
began = time.monotonic()
time.sleep(0.3)
output.write(encode(Refused("documents.seen", json.dumps([began, time.monotonic()]))))
output.flush()
os._exit(0)
"""


@pytest.mark.parametrize(
    ("kinds", "together"),
    [(("pdf", "xlsx"), False), (("pdf", "markdown"), True), (("text", "text"), True)],
    ids=["two heavy", "heavy and lean", "two lean"],
)
def test_only_heavy_readers_wait_for_each_other(tmp_path: Path, kinds: tuple[str, str], together: bool) -> None:
    with ThreadPoolExecutor(2) as pool:
        first, second = sorted(pool.map(lambda kind: read(tmp_path, kind), kinds))

    assert (second[0] < first[1]) is together


def read(folder: Path, kind: str) -> list[float]:
    """When the reader of a file of this kind began and ended."""
    reader = folder / f"{kind}.py"
    reader.write_text(READER)
    file = folder / f"a.{kind}"
    file.write_text("words")
    outcome = prepare(
        file, filename=file.name, kind=kind, profile=ChunkProfile(), limits=Limits(wall_seconds=20), reader=reader
    )
    assert isinstance(outcome, Refused), outcome
    began: list[float] = json.loads(outcome.detail)
    return began
