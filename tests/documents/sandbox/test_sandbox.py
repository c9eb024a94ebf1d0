"""The cage: hostile readers, each of which must come to a clear outcome and take nothing with it."""

from __future__ import annotations

import json
import os
import secrets
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import psutil
import pytest

from documents import sandbox_readers
from documents.cage import landlock
from documents.sandbox import Failed, Limits, Outcome, Prepared, Refused, prepare
from documents.text.piece import ChunkProfile

ROOT = Path(__file__).parents[3]
MB = 1024 * 1024
LIMITS = Limits(wall_seconds=20)
# What a test reader has at hand: `request`, `file` and `output`; it may tell what it saw as a refusal.
START = """
import os, sys, time
from documents.parsers.outcome import Refused
from documents.sandbox_wire import encode
def tell(words):
    output.write(encode(Refused("documents.seen", str(words))))
    output.flush()
    os._exit(0)
def attempt(action):
    try:
        return action()
    except OSError as refused:
        return type(refused).__name__
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
def walls() -> Mapping[str, int]:
    """What stands here; tests of walls are for kernels that have them."""
    if not landlock.version():
        pytest.skip("this kernel has no Landlock")
    program = ROOT / "documents" / "cage" / "look.py"
    found = prepare(program, filename="a", kind="text", profile=ChunkProfile(), reader=program)
    assert isinstance(found, Refused)
    walls: dict[str, int] = json.loads(found.detail)
    return walls


@pytest.fixture
def read(tmp_path: Path) -> Run:
    def run(name: str, content: str | bytes, *, kind: str = "markdown", limits: Limits = LIMITS) -> Outcome:
        file = tmp_path / secrets.token_hex(4)
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
        ("raise SystemExit(7)", "exit 1"),
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


@pytest.mark.parametrize(
    "action",
    [
        "__import__('socket').socket()",
        "__import__('socket').socket(__import__('socket').AF_UNIX)",
        "os.fork()",
        "os.execv('/bin/true', ['true'])",
        "os.kill(os.getppid(), 0)",
        "os.kill(1, 0)",
        "open('/etc/passwd').read()",
        "open(f'/proc/{os.getppid()}/environ').read()",
        "open('/proc/self/environ').read()",
        "open('/tmp/left-behind', 'w')",
        "os.listdir('/root')",
        "os.setuid(0)",
        "__import__('ctypes').CDLL(None).unshare(0x10000000) and os.listdir('/nonexistent')",
        "__import__('ctypes').CDLL(None).ptrace(16, os.getppid(), 0, 0) and os.listdir('/nonexistent')",
    ],
)
def test_a_reader_may_not(hostile: Run, walls: Mapping[str, int], action: str) -> None:
    found = hostile(f"tell(attempt(lambda: {action}))")

    assert isinstance(found, Refused)
    assert found.detail in ("PermissionError", "FileNotFoundError")


def test_a_reader_is_another_user_when_we_are_root(hostile: Run, walls: Mapping[str, int]) -> None:
    if os.geteuid() != 0:
        pytest.skip("needs root")

    found = hostile("tell((os.getuid(), os.getgroups(), os.getresuid()[2]))")

    assert isinstance(found, Refused)
    assert found.detail == str((walls["user"], [], walls["user"]))
    assert walls["user"] != 0


def test_a_reader_opens_its_own_file_and_no_other_of_ours(hostile: Run, tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_text("hunter2")
    secret.chmod(0o600)

    found = hostile(
        f"tell(open(f'/proc/self/fd/{{file}}').read() + str(attempt(lambda: open({str(secret)!r}).read())))"
    )

    assert isinstance(found, Refused)
    assert found.detail.startswith("words")
    assert "hunter2" not in found.detail


def test_a_reader_holds_its_file_its_output_and_nothing_else(hostile: Run) -> None:
    code = "import fcntl\nheld = []\nfor n in range(256):\n    if attempt(lambda: fcntl.fcntl(n, 1)) != 'OSError': held.append(n)\n"

    found = hostile(code + "tell([n for n in held if n > 2 and n not in (file, output.fileno())])")

    assert found == Refused("documents.seen", "[]")


def test_a_reader_sees_nothing_of_our_environment(hostile: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FOOTNOTE_SECRET_KEY", "hunter2")
    forget_readers()

    found = hostile("tell(dict(os.environ))")

    assert isinstance(found, Refused)
    assert "hunter2" not in found.detail
    assert "FOOTNOTE" not in found.detail


def test_a_killed_reader_process_harms_one_file_only(hostile: Run, read: Run) -> None:
    def look() -> bool:
        if reader().children():
            kill_readers()
        return False

    found = hostile("time.sleep(60)", cancelled=look)

    assert found == Failed("documents.reader_crashed", "SIGKILL")
    assert isinstance(read("a.md", "words"), Prepared)


def test_children_die_with_the_reader_process(hostile: Run) -> None:
    seen: list[int] = []

    def look() -> bool:
        seen.extend(child.pid for child in reader().children())
        if seen:
            kill_readers()
        return False

    hostile("time.sleep(60)", cancelled=look)

    assert seen
    assert gone(seen)


def test_the_reader_process_dies_with_the_one_that_started_it(tmp_path: Path) -> None:
    code = (
        "import sys, time; sys.path[:0] = [sys.argv[1]]\n"
        "from documents.sandbox_readers import reader_process\n"
        "print(reader_process()._process.pid, flush=True)\ntime.sleep(60)\n"
    )
    started = subprocess.Popen([sys.executable, "-c", code, str(ROOT)], stdout=subprocess.PIPE, text=True)
    assert started.stdout is not None
    pid = int(started.stdout.readline())

    started.kill()
    started.wait()
    started.stdout.close()

    assert gone([pid])


def test_files_are_read_side_by_side(read: Run) -> None:
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda number: read(f"{number}.md", f"# File {number}\n\nwords"), range(12)))

    assert [one.title for one in found if isinstance(one, Prepared)] == [f"File {number}" for number in range(12)]


def test_an_idle_reader_process_ends_and_the_next_file_gets_a_new_one(
    read: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sandbox_readers, "IDLE_SECONDS", 0.2)
    forget_readers()
    read("a.md", "words")
    first = reader().pid

    assert gone([first])
    assert isinstance(read("a.md", "words"), Prepared)
    forget_readers()


def reader() -> psutil.Process:
    return psutil.Process(sandbox_readers.reader_process()._process.pid)


def kill_readers() -> None:
    reader().kill()


def forget_readers() -> None:
    """The next file gets a reader process that was started from here on."""
    while sandbox_readers._current:
        sandbox_readers._current.pop().close()


def gone(pids: Sequence[int]) -> bool:
    deadline = time.monotonic() + 5
    while any(_runs(pid) for pid in pids) and time.monotonic() < deadline:
        time.sleep(0.05)
    return not any(_runs(pid) for pid in pids)


def _runs(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
