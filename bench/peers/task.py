"""What every peer is handed and gives back; runs in the peer's own virtual environment, with numpy and nothing of ours.

A set's folder holds chunks.jsonl (id, text), vectors.npy (chunks, dimensions), questions.jsonl (text) and asked.npy (questions,
dimensions): the same chunks and the same vectors for all. The answer is {way: {"found": [[chunk id, …], …], "ms": […],
"cpu": […]}}, wall and CPU milliseconds of each question (CPU of the peer and of its database backends, since other work shares the
machine), with "load_s", the seconds that the chunks took.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

Search = Callable[[str, list[float]], list[int]]
WARM_UP = 5


@dataclass(frozen=True, slots=True)
class Task:
    ids: list[int]
    texts: list[str]
    vectors: list[list[float]]
    questions: list[str]
    asked: list[list[float]]
    k: int
    address: str
    """Of a PostgreSQL database that the peer may do with as it likes; "" when it needs none."""

    @property
    def parts(self) -> dict[str, Any]:
        """Host, port, user, password and database of the address."""
        from urllib.parse import unquote, urlsplit

        url = urlsplit(self.address)
        return {
            "host": url.hostname or "",
            "port": url.port or 5432,
            "user": url.username or "",
            "password": unquote(url.password or ""),
            "database": url.path.lstrip("/"),
        }


def read(folder: Path) -> Task:
    chunks = [json.loads(line) for line in (folder / "chunks.jsonl").read_text(encoding="utf-8").splitlines()]
    questions = [json.loads(line) for line in (folder / "questions.jsonl").read_text(encoding="utf-8").splitlines()]
    return Task(
        [chunk["id"] for chunk in chunks],
        [chunk["text"] for chunk in chunks],
        np.load(folder / "vectors.npy").tolist(),
        [row["text"] for row in questions],
        np.load(folder / "asked.npy").tolist(),
        int(os.environ["PEER_K"]),
        os.environ.get("PEER_DATABASE", ""),
    )


def run(load: Callable[[Task], Mapping[str, Search]]) -> None:
    """`load` indexes the chunks and returns the ways to search them; every question goes once each way in turn."""
    task = read(Path(sys.argv[1]))
    started = time.perf_counter()
    ways = load(task)
    answer: dict[str, Any] = {"load_s": time.perf_counter() - started}
    for search in ways.values():
        for text, vector in zip(task.questions[:WARM_UP], task.asked[:WARM_UP], strict=True):
            search(text, vector)
    for name in ways:
        answer[name] = {"found": [], "ms": [], "cpu": []}
    backends = backends_of(task)
    for text, vector in zip(task.questions, task.asked, strict=True):
        for name, search in ways.items():
            spent, started = cpu_ms(backends), time.perf_counter()
            found = search(text, vector)
            answer[name]["ms"].append((time.perf_counter() - started) * 1000)
            answer[name]["cpu"].append(cpu_ms(backends) - spent)
            answer[name]["found"].append(found)
    Path(sys.argv[2]).write_text(json.dumps(answer), encoding="utf-8")


def blocks(count: int, size: int = 500) -> Sequence[slice]:
    return [slice(start, start + size) for start in range(0, count, size)]


def backends_of(task: Task) -> list[Path]:
    """The kernel's account of each process that serves the peer's database; they name it in their command line."""
    if not task.address:
        return []
    mark = f" {task.parts['user']} {task.parts['database']} ".encode()
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            if b"postgres:" + mark in (process / "cmdline").read_bytes():
                found.append(process / "schedstat")
        except OSError:
            continue
    return found


def cpu_ms(backends: Sequence[Path]) -> float:
    return sum(int(path.read_text().split()[0]) for path in backends) / 1e6 + time.process_time() * 1000
