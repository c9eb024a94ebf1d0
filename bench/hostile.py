"""Hostile files through the cage, one after another, while a small file is read beside them all the time."""

from __future__ import annotations

import tempfile
import threading
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

from bench.hostile_files import every
from bench.registry import Bar, Bench, Figures, measures
from documents.parsers.sniff import identify
from documents.sandbox import Failed, Outcome, Prepared, Refused, prepare
from documents.sandbox_readers import reader_process
from documents.text.normalise import name_key
from documents.text.piece import ChunkProfile

_PROFILE = ChunkProfile()
_HEAD_BYTES = 64 * 1024


@dataclass(slots=True)
class Seen:
    """What happened so far."""

    peaks: list[int] = field(default_factory=list)
    seconds: list[float] = field(default_factory=list)
    ends: Counter[str] = field(default_factory=Counter)
    lost: list[str] = field(default_factory=list)
    empty: int = 0
    faults: int = 0


@measures(
    Bar("hostile_inputs", ">=", 120),
    Bar("hostile_worker_lost", "=", 0),
    Bar("hostile_readers_started", "=", 1),
    Bar("hostile_over_35_s", "=", 0),
    Bar("hostile_child_mb", "<=", 384),
    Bar("hostile_ready_without_text", "=", 0),
    Bar("hostile_neighbour_s", "<=", 10),
    is_long=True,
)
def hostile_inputs(bench: Bench) -> Figures:
    """`hostile_worker_lost`: faults that would have reached the worker. A child that dies in its cage is no such fault, but noted.

    `hostile_readers_started`: the process that forks the readers survives all of them.

    `hostile_over_35_s`: 30 s are the limit, 5 the grace. `hostile_neighbour_s`: the longest that a small file took beside.
    """
    seen = Seen()
    readers = set()
    with tempfile.TemporaryDirectory() as folder:
        neighbour = Neighbour(Path(folder))
        neighbour.start()
        for number, (name, data) in enumerate(every()):
            file = Path(folder) / f"hostile-{number}"
            file.write_bytes(data)
            one = read(file, name, seen)
            readers.add(id(reader_process()))
            file.unlink()
            bench.note(f"{name:<28} {len(data):>11,} B {seen.seconds[-1]:>6.1f} s  {one}")
        neighbour.stop()
    bench.note(
        f"ends: {dict(seen.ends)}; lost: {seen.lost}; neighbour: {neighbour.read} reads, longest {neighbour.longest_s:.1f} s"
    )
    return {
        "hostile_inputs": len(seen.seconds),
        "hostile_worker_lost": seen.faults,
        "hostile_readers_started": len(readers),
        "hostile_over_35_s": sum(seconds > 35 for seconds in seen.seconds),
        "hostile_child_mb": max(seen.peaks) / 2**20,
        "hostile_ready_without_text": seen.empty,
        "hostile_neighbour_s": neighbour.longest_s,
    }


def read(file: Path, name: str, seen: Seen) -> str:
    """Read one as an upload is read; returns its end in words."""
    started = time.monotonic()
    with file.open("rb") as opened:
        kind = identify(name_key(name), opened.read(_HEAD_BYTES))
    outcome: Outcome = kind if isinstance(kind, Refused) else Refused("documents.empty")
    if not isinstance(kind, Refused):
        try:
            outcome = prepare(file, filename=name, kind=kind, profile=_PROFILE, measured=seen.peaks.append)
        except Exception as fault:  # noqa: BLE001 (what would have reached the worker is what this bar counts)
            seen.faults += 1
            return f"fault: {fault!r}"
    seen.seconds.append(time.monotonic() - started)
    seen.ends[type(outcome).__name__] += 1
    if isinstance(outcome, Prepared):
        seen.empty += not outcome.pieces
        return f"ready, {len(outcome.pieces):,} chunks"
    if isinstance(outcome, Failed) and outcome.code == "documents.reader_crashed":
        seen.lost.append(name)
    return f"{type(outcome).__name__.lower()}: {outcome.code} {outcome.detail}"


class Neighbour(threading.Thread):
    """Reads a small file again and again, and remembers the longest that took."""

    def __init__(self, folder: Path) -> None:
        super().__init__(daemon=True)
        self._file = folder / "small.md"
        self._file.write_text("# Small\n\nA few words.\n")
        self._ended = threading.Event()
        self.longest_s = 0.0
        self.read = 0

    def run(self) -> None:
        while not self._ended.wait(1.0):
            started = time.monotonic()
            prepare(self._file, filename="small.md", kind="markdown", profile=_PROFILE)
            self.longest_s = max(self.longest_s, time.monotonic() - started)
            self.read += 1

    def stop(self) -> None:
        self._ended.set()
        self.join()
