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


def role_of(process: psutil.Process) -> str:
    """Which part of Footnote a process is, told by its command line."""
    try:
        words = " ".join(process.cmdline())
    except psutil.Error:
        return "gone"
    marks = {
        "postgres": "postgres",
        "valkey": "valkey",
        "documents.embedding": "embedder",
        "celery": "worker",
        "uvicorn": "web",
        "portal.supervisor": "supervisor",
        "sandbox": "parser",
        "parse": "parser",
    }
    return next((role for mark, role in marks.items() if mark in words), "other")


@dataclass(slots=True)
class Memory:
    """Peaks in MB: of the whole tree at one moment, and of each part at its own."""

    total_mb: float = 0.0
    at_peak_mb: dict[str, float] = field(default_factory=dict)
    parts_mb: dict[str, float] = field(default_factory=dict)
    samples: int = 0

    def take(self, pid: int) -> None:
        now: dict[str, float] = {}
        for process in family(pid):
            role = role_of(process)
            now[role] = now.get(role, 0.0) + pss_kb(process.pid) / 1024
        self.samples += 1
        for role, held in now.items():
            self.parts_mb[role] = max(held, self.parts_mb.get(role, 0.0))
        if (total := sum(now.values())) > self.total_mb:
            self.total_mb, self.at_peak_mb = total, now


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
