"""The fault matrix's own machinery: every cell has a file of its own, and marks are seen when and only when they are said."""

from __future__ import annotations

from itertools import product
from pathlib import Path
from typing import Any, cast

import pytest

from bench import throughput
from bench.faults import KILLS, SEEDS, STAGES, Cell, Mark
from bench.stack import Stack, StackFailed


@pytest.fixture
def log(tmp_path: Path) -> Path:
    file = tmp_path / "stack.log"
    file.write_text("worker | ingest.stage job=1 stage=reading\nworker | ingest.done job=1 outcome=ready\n")
    return file


@pytest.fixture
def mark(log: Path) -> Mark:
    stack: Any = type("Said", (), {"log": log})()
    return Mark(cast("Stack", stack))


def said(log: Path, *lines: str) -> None:
    with log.open("a") as file:
        file.writelines(f"{line}\n" for line in lines)


def test_the_matrix_has_eight_stages_five_kills_and_three_seeds() -> None:
    assert (len(STAGES), len(KILLS), len(SEEDS)) == (8, 5, 3)


def test_no_two_cells_share_a_name_or_a_sentence() -> None:
    files = [Cell(*cell).file() for cell in product(STAGES, KILLS, SEEDS)]
    sentences = [line for file in files for line in file.content.decode().splitlines() if line.startswith("The valve")]

    assert len({file.path for file in files}) == 120
    assert len(set(sentences)) == len(sentences)


def test_a_file_that_is_killed_while_it_is_embedded_has_three_batches() -> None:
    parts = Cell("embedding", "worker", 3).file().content.decode().count("## Part")

    assert 64 < parts <= 96


def test_what_was_said_before_is_not_seen(mark: Mark, log: Path) -> None:
    assert not mark.has("stage=reading")
    said(log, "worker | ingest.stage job=2 stage=reading")
    assert mark.has("stage=reading")
    assert not mark.has("stage=read")
    assert not mark.has("stage=reading", times=2)


def test_a_mark_is_waited_for_until_the_job_ended(mark: Mark, log: Path) -> None:
    said(
        log, "worker | ingest.stage job=2 stage=embedding done=0", "worker | ingest.stage job=2 stage=embedding done=32"
    )

    assert mark.wait("stage=embedding", times=2, within_s=0.5)
    with pytest.raises(StackFailed, match="never said"):
        mark.wait("stage=embedding", times=3, within_s=0.05)
    said(log, "worker | ingest.done job=2 outcome=ready")
    assert not mark.wait("stage=embedding", times=3, within_s=0.5)


def test_pages_are_taken_in_the_order_of_their_paths_until_there_are_enough(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(throughput, "PAGES", 3)
    for name in ("b", "a", "c"):
        (tmp_path / f"{name}.rst").write_bytes(b"x" * (2 * throughput.PAGE_CHARACTERS))

    assert [Path(path).name for path in throughput.pages_of(tmp_path)] == ["a.rst", "b.rst"]
    monkeypatch.setattr(throughput, "PAGES", 7)
    with pytest.raises(StackFailed, match="fewer than 7 pages"):
        throughput.pages_of(tmp_path)
