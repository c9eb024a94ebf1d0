"""Read one untrusted file in a child process that has no network, no secret, and bounds on everything it may take."""

from __future__ import annotations

import functools
import json
import os
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import IO, cast

from documents.parsers.outcome import Limits, Refused
from documents.prepared import Failed, Outcome, Prepared, PreparedPiece
from documents.sandbox_wire import NotOurs, decode
from documents.text.piece import ChunkProfile
from documents.tokens import default_tokenizer

__all__ = ["Failed", "Limits", "Outcome", "Prepared", "PreparedPiece", "Refused", "prepare"]

_CHILD = Path(__file__).with_name("sandbox_child.py")
_ROOT = str(Path(__file__).parents[1])
_LOOK_SECONDS = 0.25
# A child that died with this share of its memory in use died of it.
_MEMORY_SHARE = 0.85
_NEVER: Callable[[], bool] = lambda: False  # noqa: E731 - a default that is also a type


@dataclass(frozen=True, slots=True)
class _End:
    """How a child ended: "" by itself, else the code of why it was stopped."""

    stopped: str
    status: int
    peak_bytes: int


def prepare(
    path: Path,
    *,
    filename: str,
    kind: str,
    profile: ChunkProfile,
    limits: Limits | None = None,
    cancelled: Callable[[], bool] = _NEVER,
    tokenizer: Path | None = None,
    reader: Path = _CHILD,
) -> Outcome:
    """Read a file, cut it and analyse it in a cage; returns within the wall-clock limit whatever the file does.

    `tokenizer` is the embedding model's tokenizer.json, by default the default model's; `reader` is the program that runs in
    the cage. Asks `cancelled` four times a second.
    """
    limits = limits or Limits()
    with tempfile.TemporaryDirectory(prefix="footnote-cage-") as place, tempfile.TemporaryFile() as output:
        request = {
            "path": str(path.resolve()),
            "filename": filename,
            "kind": kind,
            "profile": asdict(profile),
            "limits": asdict(limits),
            "tokenizer": str(tokenizer or default_tokenizer()),
            "sys_path": [_ROOT, *_library_paths()],
            "output_fd": output.fileno(),
        }
        child = _start(reader, json.dumps(request).encode(), place, output.fileno())
        return _outcome(_watch(child, limits, cancelled), output, limits)


def _start(reader: Path, request: bytes, place: str, output_fd: int) -> subprocess.Popen[bytes]:
    child = subprocess.Popen(
        [*_without_network(), sys.executable, "-I", "-S", str(reader)],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        cwd=place,
        env=_environment(place),
        pass_fds=(output_fd,),
        start_new_session=True,
    )
    with (
        suppress(BrokenPipeError),
        cast("IO[bytes]", child.stdin) as stdin,
    ):  # one that died at once is told by its status
        stdin.write(request)
    return child


def _environment(place: str) -> dict[str, str]:
    """Nothing of ours: where programs are, a home that is empty, one thread, and no telemetry from any library."""
    return {
        "PATH": "/usr/local/bin:/usr/bin:/bin",
        "HOME": place,
        "TMPDIR": place,
        "LANG": "C.UTF-8",
        "OMP_NUM_THREADS": "1",
        "OPENBLAS_NUM_THREADS": "1",
        "TOKENIZERS_PARALLELISM": "false",
        "DO_NOT_TRACK": "1",
        "SCARF_NO_ANALYTICS": "1",
        "UNSTRUCTURED_DISABLE_NOTICE": "1",
        "HF_HUB_OFFLINE": "1",
    }


@functools.cache
def _without_network() -> tuple[str, ...]:
    """The prefix that takes the network away, where the kernel lets us make a namespace of our own."""
    unshare = shutil.which("unshare")
    if unshare is None:
        return ()
    command = (unshare, "--map-root-user", "--net", "--")
    try:
        tried = subprocess.run([*command, "true"], capture_output=True, timeout=5, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return ()
    return command if tried.returncode == 0 else ()


@functools.cache
def _library_paths() -> tuple[str, ...]:
    return tuple(path for path in sys.path if path.endswith("-packages") and Path(path).is_dir())


def _watch(child: subprocess.Popen[bytes], limits: Limits, cancelled: Callable[[], bool]) -> _End:
    """Wait for the child to end, or end it with its whole process group."""
    deadline = time.monotonic() + limits.wall_seconds
    stopped = ""
    while not _ended(child.pid, min(_LOOK_SECONDS, max(0.0, deadline - time.monotonic()))):
        stopped = "documents.cancelled" if cancelled() else "documents.too_slow" if time.monotonic() >= deadline else ""
        if stopped:
            break
    _kill_group(child.pid)
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    return _End(stopped, child.returncode, usage.ru_maxrss * 1024)


def _ended(pid: int, seconds: float) -> bool:
    """Wait up to so many seconds for a process to end, without reaping it."""
    if not hasattr(os, "pidfd_open"):
        time.sleep(min(seconds, 0.02))
        return os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT | os.WNOHANG) is not None
    watched = os.pidfd_open(pid)
    try:
        return bool(select.select([watched], [], [], seconds)[0])
    finally:
        os.close(watched)


def _kill_group(pid: int) -> None:
    """The child leads its own session, so this reaches whatever it started too; it is not reaped yet, so the id is ours."""
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(pid, signal.SIGKILL)


def _outcome(end: _End, output: IO[bytes], limits: Limits) -> Outcome:
    if end.stopped:
        limit = f"The limit is {limits.wall_seconds:g} seconds." if end.stopped == "documents.too_slow" else ""
        return Failed(end.stopped, limit)
    if end.status != 0:
        return _death(end, limits)
    size = os.fstat(output.fileno()).st_size
    if size > limits.output_bytes:
        return Failed("documents.too_much_text")
    output.seek(0)
    try:
        return decode(output.read(limits.output_bytes), limits)
    except NotOurs:
        return Failed("documents.reader_crashed", "What it wrote could not be used.")


def _death(end: _End, limits: Limits) -> Failed:
    if end.status == -signal.SIGXCPU or end.status == -signal.SIGALRM:
        return Failed("documents.too_slow", f"The limit is {limits.cpu_seconds} seconds of computing.")
    if end.peak_bytes > limits.memory_bytes * _MEMORY_SHARE:
        return Failed("documents.too_much_memory")
    cause = signal.Signals(-end.status).name if end.status < 0 else f"exit {end.status}"
    return Failed("documents.reader_crashed", cause)
