"""Proportional memory of every process of a stack, while files of three kinds are read and questions are answered."""

from __future__ import annotations

import shutil
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from bench import inside
from bench.processes import Memory, sampled
from bench.registry import Bar, Bench, Figures, measures
from bench.stack import Stack, Upload, Visitor, running

HEAVY = "heavy parser"
QUESTIONS = (
    "How do I declare a path parameter?",
    "How can I send an email after the response has been returned?",
    "What is the capital of Australia?",
    "How do I let a frontend on another domain call my backend?",
)
KINDS = {".md": 25, ".html": 15, ".pdf": 20}
MOST_BYTES = 3_000_000
WITHIN_S = 1800.0


@measures(Bar("memory_pss_mb", "<=", 512), is_long=True, needs=("linux",))
def memory(bench: Bench) -> Figures:
    """The peak of the sum over all processes, sampled every 200 ms; a heavy Office child is told apart."""
    state = bench.state / "memory"
    shutil.rmtree(state, ignore_errors=True)
    files = list(chosen(bench.data))
    with running(state) as stack:
        time.sleep(3)
        idle = Memory()
        idle.take(stack.pid)
        bench.note(f"idle: {said(idle)}")
        with sampled(stack.pid) as peak:
            work(bench, stack, files)
    bench.note(f"at the peak of {peak.samples} samples: {parts(peak.at_peak_mb)} MB; processes {peak.count_at_peak}")
    bench.note(f"each part's own peak: {parts(peak.parts_mb)}")
    return {"memory_pss_mb": peak.total_mb - peak.at_peak_mb.get(HEAVY, 0.0)}


def chosen(data: Path) -> Iterator[Upload]:
    """The first files of each kind by path, none of them huge."""
    for suffix, count in KINDS.items():
        roots = (data / "docs" / "fastapi-md", data / "zoo")
        paths = [
            path for root in roots for path in sorted(root.rglob(f"*{suffix}")) if 0 < path.stat().st_size < MOST_BYTES
        ]
        for path in paths[:count]:
            yield Upload(path.relative_to(data).as_posix(), path.read_bytes())


def work(bench: Bench, stack: Stack, files: list[Upload]) -> None:
    """Ask without a pause while everything is uploaded and until all of it has settled."""
    collection = inside.call(stack.state, "bench.inside_corpus:collection", name="memory")
    visitor = Visitor(stack)
    with asking(stack) as asked:
        taken = 0
        for file in files:
            if visitor.upload([file], collection=collection):
                taken += 1
            else:
                bench.note(f"refused: {file.path}")
        settled = inside.call(
            stack.state, "bench.inside_corpus:await_settled", collection=collection, total=taken, within_s=WITHIN_S
        )
    bench.note(f"{taken} files: {settled['states']}, {settled['chunks']} chunks, {len(asked)} questions meanwhile")
    for name, problem, detail in settled["attention"]:
        bench.note(f"not ready: {name}: {problem} {detail}".rstrip())


@contextmanager
def asking(stack: Stack) -> Iterator[list[float]]:
    """Somebody who asks again a moment after each answer; the seconds that each took."""
    visitor = Visitor(stack)
    done = threading.Event()
    asked: list[float] = []

    def ask() -> None:
        while not done.wait(0.5):
            asked.append(visitor.ask(QUESTIONS[len(asked) % len(QUESTIONS)]).seconds)

    asker = threading.Thread(target=ask, daemon=True)
    asker.start()
    try:
        yield asked
    finally:
        done.set()
        asker.join(60)


def said(found: Memory) -> str:
    return f"{found.total_mb:.0f} MB: {parts(found.at_peak_mb)}"


def parts(held: dict[str, float]) -> str:
    return ", ".join(f"{role} {mb:.0f}" for role, mb in sorted(held.items(), key=lambda item: -item[1]))
