"""The cage: hostile readers, each of which must come to a clear outcome and take nothing with it."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from documents.sandbox import Failed, Limits, Outcome, Prepared, Refused, prepare
from documents.text.piece import ChunkProfile

MB = 1024 * 1024
LIMITS = Limits(wall_seconds=20)
START = """
import json, os, sys, time
request = json.loads(sys.stdin.buffer.read())
sys.path[:0] = request["sys_path"]
from documents.sandbox_child import hold_to_limits
hold_to_limits(request["limits"], heavy=False)
output = os.fdopen(request["output_fd"], "wb")
"""

Run = Callable[..., Outcome]


@pytest.fixture
def hostile(tmp_path: Path) -> Run:
    def run(code: str, *, limits: Limits = LIMITS, cancelled: Callable[[], bool] = lambda: False) -> Outcome:
        reader = tmp_path / "reader.py"
        reader.write_text(START + code)
        file = tmp_path / "a.txt"
        file.write_text("words")
        return prepare(
            file,
            filename="a.txt",
            kind="text",
            profile=ChunkProfile(),
            limits=limits,
            cancelled=cancelled,
            reader=reader,
        )

    return run


@pytest.fixture
def read(tmp_path: Path) -> Run:
    def run(name: str, content: str | bytes, *, kind: str = "markdown", limits: Limits = LIMITS) -> Outcome:
        file = tmp_path / "blob"
        file.write_bytes(content.encode() if isinstance(content, str) else content)
        return prepare(file, filename=name, kind=kind, profile=ChunkProfile(), limits=limits)

    return run


def test_a_document_comes_out_cut_and_analysed(read: Run) -> None:
    found = read("guide.md", "# Guide\n\nThe port is 8443.\n\n## Errors\n\nE4304 means that the disk is full.\n")

    assert isinstance(found, Prepared)
    assert (found.title, found.language) == ("Guide", "en")
    assert found.canonical == "Guide\n\nThe port is 8443.\n\nErrors\n\nE4304 means that the disk is full."
    (piece,) = found.pieces
    assert piece.piece.text == found.canonical[piece.piece.start : piece.piece.end]
    assert piece.length == sum(piece.terms.values())


def test_a_document_without_a_title_is_called_by_its_file_name(read: Run) -> None:
    found = read("release notes.txt", "Nothing changed.", kind="text")

    assert isinstance(found, Prepared)
    assert found.title == "release notes"


def test_a_file_without_text_is_refused(read: Run) -> None:
    assert read("a.md", "<!-- nothing -->") == Refused("documents.no_text")


def test_a_file_with_too_much_text_is_refused(read: Run) -> None:
    found = read("a.txt", "word " * 1000, kind="text", limits=Limits(text_characters=1000))

    assert found == Refused("documents.too_much_text", "The limit is 1,000 characters.")


def test_a_reader_that_hangs_is_stopped_in_time(hostile: Run) -> None:
    started = time.monotonic()

    found = hostile("time.sleep(60)", limits=Limits(wall_seconds=1))

    assert found == Failed("documents.too_slow", "The limit is 1 seconds.")
    assert time.monotonic() - started < 10


def test_a_reader_that_burns_the_processor_is_stopped(hostile: Run) -> None:
    found = hostile("while True: pass", limits=Limits(wall_seconds=30, cpu_seconds=1))

    assert found == Failed("documents.too_slow", "The limit is 1 seconds of computing.")


def test_a_reader_that_takes_all_memory_is_told_so(hostile: Run) -> None:
    code = "held = []\nwhile True: held.append(bytearray(b'x' * 8_000_000))"

    found = hostile(code, limits=Limits(memory_bytes=96 * MB))

    assert isinstance(found, Failed)
    assert found.code in ("documents.too_much_memory", "documents.reader_crashed")


def test_a_real_document_that_needs_too_much_memory_is_told_so(read: Run) -> None:
    found = read("a.md", "* word\n" * 400_000, limits=Limits(wall_seconds=30, memory_bytes=90 * MB))

    assert isinstance(found, Failed)
    assert found.code in ("documents.too_much_memory", "documents.too_slow")


@pytest.mark.parametrize(
    ("code", "detail"),
    [
        ("os.kill(os.getpid(), 9)", "SIGKILL"),
        ("os.kill(os.getpid(), 11)", "SIGSEGV"),
        ("os.abort()", "SIGABRT"),
        ("os._exit(3)", "exit 3"),
        ("raise SystemExit(7)", "exit 7"),
        ("1 / 0", "exit 1"),
        ("os._exit(0)", "What it wrote could not be used."),
        ("output.write(b'garbage' * 1000); output.flush(); os._exit(0)", "What it wrote could not be used."),
    ],
)
def test_a_reader_that_dies_is_told_by_how(hostile: Run, code: str, detail: str) -> None:
    assert hostile(code) == Failed("documents.reader_crashed", detail)


def test_a_flood_of_output_is_cut_off(hostile: Run) -> None:
    found = hostile("while True: output.write(b'x' * 1_000_000)", limits=Limits(output_bytes=4 * MB))

    assert isinstance(found, Failed)
    assert found.code in ("documents.reader_crashed", "documents.too_much_text")


def test_a_flood_on_standard_output_costs_nothing(hostile: Run) -> None:
    found = hostile("for _ in range(200): sys.stdout.write('x' * 1_000_000)\nos._exit(3)")

    assert found == Failed("documents.reader_crashed", "exit 3")


def test_a_cancelled_job_stops_its_reader(hostile: Run) -> None:
    assert hostile("time.sleep(60)", cancelled=lambda: True) == Failed("documents.cancelled")


def test_what_a_reader_started_dies_with_it(hostile: Run, tmp_path: Path) -> None:
    mark = tmp_path / "grandchild"
    code = f"""
pid = os.fork()
if pid == 0:
    time.sleep(60)
open({str(mark)!r}, "w").write(str(pid))
os._exit(3)
"""

    hostile(code)

    grandchild = int(mark.read_text())
    deadline = time.monotonic() + 5
    while _runs(grandchild) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not _runs(grandchild)


def test_a_reader_sees_nothing_of_our_environment(
    hostile: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FOOTNOTE_SECRET_KEY", "hunter2")
    seen = tmp_path / "seen"

    hostile(f"open({str(seen)!r}, 'w').write(repr(dict(os.environ)) + ' '.join(os.listdir('.')))")

    assert "hunter2" not in seen.read_text()
    assert "FOOTNOTE" not in seen.read_text()


def test_a_reader_has_no_network_where_namespaces_are_allowed(hostile: Run, tmp_path: Path) -> None:
    seen = tmp_path / "seen"

    hostile(f"open({str(seen)!r}, 'w').write(open('/proc/net/dev').read())")

    interfaces = [line.split(":")[0].strip() for line in seen.read_text().splitlines()[2:]]
    if interfaces != ["lo"]:
        pytest.skip("this kernel lets nobody make a network namespace")


def _runs(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
