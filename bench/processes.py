"""What a tree of processes costs: CPU seconds and proportional memory, from /proc."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import psutil

SAMPLE_S = 0.2


def family(pid: int) -> list[psutil.Process]:
    """The process and everything below it, as far as it still lives."""
    try:
        leader = psutil.Process(pid)
        return [leader, *leader.children(recursive=True)]
    except psutil.NoSuchProcess:
        return []


def cpu_seconds(pid: int) -> float:
    """User and system time of the tree, with children that ended and were waited for."""
    total = 0.0
    for process in family(pid):
        try:
            total += sum(process.cpu_times()[:4])
        except psutil.NoSuchProcess:
            continue
    return total


def pss_kb(pid: int) -> int:
    """Proportional set size: shared pages count by their share, so that a sum over processes is what is really held."""
    try:
        for line in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines():
            if line.startswith("Pss:"):
                return int(line.split()[1])
    except OSError:
        return 0
    return 0


PROGRAM_WORDS = 4
"""Of a command line: what follows may be a list of files, and name anything."""
ROLES = {
    "tesseract": "ocr",
    "postgres": "postgres",
    "valkey": "valkey",
    "documents.embedding": "embedder",
    "portal.worker": "worker",
    "uvicorn": "web",
    "portal.supervisor": "supervisor",
    "sandbox_child": "readers",
}
"""What a command line holds → which part of Footnote it is; the first that fits."""


def role_of(process: psutil.Process) -> str:
    try:
        words = " ".join(process.cmdline()[:PROGRAM_WORDS])
    except psutil.Error:
        return "gone"
    return next((role for mark, role in ROLES.items() if mark in words), f"other ({words[:60]})")


@dataclass(slots=True)
class Memory:
    """Peaks in MB: of the whole tree at one moment, and of each part at its own. `count_at_peak` is of its processes."""

    total_mb: float = 0.0
    at_peak_mb: dict[str, float] = field(default_factory=dict)
    count_at_peak: dict[str, int] = field(default_factory=dict)
    parts_mb: dict[str, float] = field(default_factory=dict)
    samples: int = 0

    def take(self, pid: int) -> None:
        now: dict[str, float] = {}
        count: dict[str, int] = {}
        for process in family(pid):
            role = role_of(process)
            now[role] = now.get(role, 0.0) + pss_kb(process.pid) / 1024
            count[role] = count.get(role, 0) + 1
        self.samples += 1
        for role, held in now.items():
            self.parts_mb[role] = max(held, self.parts_mb.get(role, 0.0))
        if (total := sum(now.values())) > self.total_mb:
            self.total_mb, self.at_peak_mb, self.count_at_peak = total, now, count


@contextmanager
def sampled(pid: int) -> Iterator[Memory]:
    """Watch the tree's memory while the block runs."""
    memory = Memory()
    done = threading.Event()

    def watch() -> None:
        while not done.is_set():
            began = time.monotonic()
            memory.take(pid)
            done.wait(max(0.0, SAMPLE_S - (time.monotonic() - began)))

    thread = threading.Thread(target=watch, daemon=True)
    thread.start()
    try:
        yield memory
    finally:
        done.set()
        thread.join()
