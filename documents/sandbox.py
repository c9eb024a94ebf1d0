"""Read one untrusted file in a caged process that has no network, no secret, and bounds on everything it may take."""

from __future__ import annotations

import json
import os
import select
import shutil
import signal
import socket
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import IO

from documents import ocr
from documents.parsers.outcome import Limits, Refused
from documents.prepared import Failed, Outcome, Prepared, PreparedPiece
from documents.sandbox_readers import ReaderProcess, ReaderUnavailable, discard, reader_process
from documents.sandbox_wire import NotOurs, decode
from documents.text.piece import ChunkProfile
from documents.tokens import default_tokenizer

__all__ = ["Failed", "Limits", "Outcome", "Prepared", "PreparedPiece", "Refused", "prepare"]

_LOOK_SECONDS = 0.25
# How long a reader that was told to end may take until the process that holds it is ended with it.
_GRACE_SECONDS = 5.0
# A reader process that ended by itself before it took the file is no fault of the file.
_TRIES = 3
# A child that died with this share of its memory in use died of it.
_MEMORY_SHARE = 0.85
_WITH_PICTURES = ("pdf", "picture")
_LEAN = frozenset(
    ("text", "markdown", "rst", "html", "code", "csv", "tsv", "subtitles", "ics", "org", "asciidoc", "tex")
)
"""Kinds whose readers stay below 40 MB for what people upload; any other may take hundreds and waits for its turn."""
TURN_SECONDS = 10.0
"""How long a heavy reader waits for the one before it: two at once would need the memory twice, a slow one may not hold
up everybody else's files."""
_heavy = threading.Lock()
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
    reader: Path | None = None,
    measured: Callable[[int], object] = lambda _: None,
) -> Outcome:
    """Read a file, cut it and analyse it in a cage; returns within the wall-clock limit whatever the file does.

    `tokenizer` is the embedding model's tokenizer.json, by default the default model's; `reader` is a program that runs in
    the cage instead of ours. Asks `cancelled` four times a second, and tells `measured`
    the most bytes of memory that the caged process held. Raises FileNotFoundError when there is no such file.
    """
    limits = limits or Limits()
    request = {
        "filename": filename,
        "kind": kind,
        "profile": asdict(profile),
        "limits": asdict(limits),
        "tokenizer": str(tokenizer or default_tokenizer()),
        "reader": str(reader or ""),
        "ocr": ocr.installed() if kind in _WITH_PICTURES else None,
    }
    with tempfile.TemporaryFile() as copy, tempfile.TemporaryFile() as output:
        with path.open("rb") as source:
            shutil.copyfileobj(source, copy, 1 << 20)  # the reader's user may open the copy and nothing of ours
        copy.flush()
        os.fchmod(copy.fileno(), 0o444)  # it has no name: only who holds it can open it
        with nullcontext() if kind in _LEAN else _turn():
            end = _run(request, copy, output, limits, cancelled)
        measured(end.peak_bytes)
        return _outcome(end, output, limits)


@contextmanager
def _turn() -> Iterator[None]:
    """One heavy reader at a time in this process, or two when the first takes longer than `TURN_SECONDS`."""
    mine = _heavy.acquire(timeout=TURN_SECONDS)
    try:
        yield
    finally:
        if mine:
            _heavy.release()


def _run(
    request: Mapping[str, object], copy: IO[bytes], output: IO[bytes], limits: Limits, cancelled: Callable[[], bool]
) -> _End:
    for _ in range(_TRIES):
        process = reader_process()
        try:
            line = process.ask(request, copy, output)
        except ReaderUnavailable:
            discard(process)
            continue
        with line:
            if (end := _watch(process, line, output, limits, cancelled)) is not None:
                return end
        discard(process)
    return _End("documents.reader_crashed", 0, 0)


def _watch(
    process: ReaderProcess, line: socket.socket, output: IO[bytes], limits: Limits, cancelled: Callable[[], bool]
) -> _End | None:
    """Wait for the child to end, or have it ended with its whole process group; None when it was never started."""
    deadline = time.monotonic() + limits.wall_seconds
    heard = b""
    extended = False
    stopped = ""
    while heard.count(b"\n") < 2:
        wait = min(_LOOK_SECONDS, max(0.0, deadline - time.monotonic()))
        if select.select([line], [], [], wait)[0]:
            try:
                part = line.recv(4096)
            except ConnectionResetError:
                part = b""
            if not part:
                return _End(stopped, -signal.SIGKILL, 0) if heard else None
            heard += part
            continue
        if stopped:
            if time.monotonic() >= deadline:
                process.kill()
            continue
        if not extended and os.fstat(output.fileno()).st_size == 1:  # it reads pictures now
            extended = True
            deadline += limits.ocr_seconds
        stopped = "documents.cancelled" if cancelled() else "documents.too_slow" if time.monotonic() >= deadline else ""
        if stopped:
            deadline = time.monotonic() + _GRACE_SECONDS
            with suppress(OSError):
                line.send(b"k")
    end = json.loads(heard.split(b"\n")[1])
    return _End(stopped, end["status"], end["peak_kb"] * 1024)


def _outcome(end: _End, output: IO[bytes], limits: Limits) -> Outcome:
    if end.stopped == "documents.reader_crashed":
        return Failed(end.stopped, "The reading process does not start.")
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
