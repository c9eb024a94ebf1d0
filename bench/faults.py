"""The fault matrix: everything that can die, killed at every stage of a file's way, on a real stack."""

from __future__ import annotations

import random
import re
import shutil
import signal
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Final

import psutil

from bench import inside
from bench.processes import family, role_of
from bench.registry import Bar, Bench, Figures, measures
from bench.stack import Stack, StackFailed, Upload, Visitor, running, wait_until

SEEDS: Final = (1, 2, 3)
BACK_WITHIN_S = 90.0
SETTLED_WITHIN_S = 180.0
NO_MARK: Final = ("", 0.0, 0.0)
STAGES: Final[dict[str, tuple[str, float, float]]] = {
    "received": NO_MARK,
    "claimed": ("stage=claimed", 0.0, 0.005),
    "sniffed": ("stage=reading", 0.0, 0.02),
    "parsed": ("stage=reading", 0.02, 0.08),
    "chunked": ("stage=chunked", 0.0, 0.005),
    "embedding": ("stage=embedding", 0.0, 0.3),
    "writing": ("stage=writing", 0.0, 0.01),
    "committed": ("stage=committed", 0.0, 0.005),
}
"""Stage → the mark in the worker's log, and between how many seconds after it the kill comes. The cage tells nothing of its inner
stages, so a file that is sniffed or parsed is met by time; `embedding` is met at the seed's batch."""
KILLS: Final[dict[str, tuple[str, signal.Signals]]] = {
    "child": ("readers", signal.SIGKILL),
    "worker": ("worker", signal.SIGKILL),
    "worker-term": ("worker", signal.SIGTERM),
    "postgres": ("postgres", signal.SIGKILL),
    "broker": ("valkey", signal.SIGKILL),
}


@dataclass(frozen=True, slots=True)
class Cell:
    stage: str
    kill: str
    seed: int

    @property
    def name(self) -> str:
        return f"{self.stage}-{self.kill}-{self.seed}"

    def file(self) -> Upload:
        """No two cells share a sentence, so every passage has to be embedded; one that is killed there has three batches."""
        parts = 75 if self.stage == "embedding" else 6
        sentence = f"The valve {{n}} of {self.name} is opened slowly and closed again by hand. "
        text = "\n\n".join(f"## Part {n}\n\n" + sentence.format(n=n) * 9 for n in range(parts))
        return Upload(f"{self.name}.md", text.encode())


@dataclass(frozen=True, slots=True)
class Met:
    """What a cell came to."""

    cell: Cell
    hit: bool
    back_s: float
    state: str
    faults: tuple[str, ...]


@measures(
    Bar("fault_lost", "=", 0),
    Bar("fault_duplicates", "=", 0),
    Bar("fault_orphans", "=", 0),
    Bar("fault_missed", "=", 0),
    Bar("fault_back_s", "<=", BACK_WITHIN_S),
    is_long=True,
    needs=("linux",),
)
def fault_matrix(bench: Bench) -> Figures:
    """Eight stages, five kills, three seeds: a file each, in one stack that has to stand up again every time."""
    return figures(bench, SEEDS)


def figures(bench: Bench, seeds: Sequence[int]) -> Figures:
    """The stack begins anew with every stage and seed: its supervisor gives up on what falls five times in a row by itself, and the
    kills are to be faults of their own.
    """
    state = bench.state / "faults"
    shutil.rmtree(state, ignore_errors=True)
    met: list[Met] = []
    collection = ""
    for stage, seed in product(STAGES, seeds):
        with running(state, more={"LOG_LEVEL": "debug"}) as stack:
            collection = inside.call(state, "bench.inside_corpus:collection", name="faults")
            met += [meet(stack, Cell(stage, kill, seed), collection) for kill in KILLS]
    with running(state):
        shape = inside.call(state, "bench.inside_crash:shape", collection=collection)
        left = inside.call(state, "bench.inside_crash:left_over")
    for one in met:
        if one.faults or not one.hit or one.state != "ready" or one.back_s > BACK_WITHIN_S:
            bench.note(f"{one.cell.name}: hit {one.hit}, {one.state} after {one.back_s:.1f} s, {'; '.join(one.faults)}")
    for kill in KILLS:
        times = sorted(one.back_s for one in met if one.cell.kill == kill)
        if times:
            bench.note(f"{kill}: ready again after {times[len(times) // 2]:.1f} s (median), {times[-1]:.1f} s at most")
    lost = sum(one.cell.file().path not in shape["documents"] or one.state != "ready" for one in met)
    return {
        "fault_lost": lost + shape["open_jobs"],
        "fault_duplicates": len(shape["faults"]) + sum(len(one.faults) for one in met),
        "fault_orphans": left["files"] + left["rows"],
        "fault_missed": sum(not one.hit for one in met),
        "fault_back_s": max(one.back_s for one in met),
    }


def meet(stack: Stack, cell: Cell, collection: str) -> Met:
    """Upload the cell's file, kill at its stage, and see what becomes of it. `hit` is False when the stage was over before."""
    wait_until(lambda: idle(stack), 60, "the stack is whole again")
    mark = Mark(stack)
    Visitor(stack).upload([cell.file()], collection=collection)
    pattern, low, high = STAGES[cell.stage]
    seen = not pattern or mark.wait(pattern, times=cell.seed if cell.stage == "embedding" else 1, within_s=60)
    time.sleep(random.Random(cell.name).uniform(low, high))
    done = mark.has("outcome=ready")
    struck = strike(stack, cell.kill)
    started = time.monotonic()
    wait_until(stack.is_ready, SETTLED_WITHIN_S, f"{cell.name}: the stack is ready again")
    name = cell.file().path
    found = inside.call(
        stack.state, "bench.inside_crash:await_one", collection=collection, name=name, within_s=SETTLED_WITHIN_S
    )
    return Met(cell, seen and struck and not done, time.monotonic() - started, found["state"], tuple(found["faults"]))


def idle(stack: Stack) -> bool:
    return stack.is_ready() and bool(stack.processes("worker")) and bool(stack.processes("valkey"))


def strike(stack: Stack, kill: str) -> bool:
    """Signal the newest reader, or the first process of the other parts; False when there is none."""
    role, number = KILLS[kill]
    found = [process for process in family(stack.pid) if role_of(process) == role]
    if not found:
        return False
    order: Callable[[psutil.Process], float] = lambda process: process.create_time()  # noqa: E731
    chosen = max(found, key=order) if kill == "child" else min(found, key=order)
    try:
        chosen.send_signal(number)
    except psutil.NoSuchProcess:
        return False
    return True


class Mark:
    """What the stack's log says from here on."""

    def __init__(self, stack: Stack) -> None:
        self._log = stack.log
        self._from = stack.log.stat().st_size

    def text(self) -> str:
        with self._log.open("rb") as file:
            file.seek(self._from)
            return file.read().decode(errors="replace")

    def has(self, pattern: str, *, times: int = 1) -> bool:
        return len(re.findall(rf"{pattern}\b", self.text())) >= times

    def wait(self, pattern: str, *, times: int, within_s: float) -> bool:
        """False when the job ended before it came there."""
        until = time.monotonic() + within_s
        while not self.has(pattern, times=times):
            if self.has("ingest.done"):
                return False
            if time.monotonic() > until:
                raise StackFailed(f"never said: {pattern}")
            time.sleep(0.002)
        return True
