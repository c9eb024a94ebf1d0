"""kill -9 of the worker in the middle of its work, five times, on a real stack."""

from __future__ import annotations

import shutil
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench import inside
from bench.registry import Bar, Bench, Figures, measures
from bench.stack import Stack, StackFailed, Upload, Visitor, running, wait_until

KILLS = 5
FILES = 90
BACK_WITHIN_S = 120.0
SETTLED_WITHIN_S = 1800.0


@dataclass(frozen=True, slots=True)
class Ended:
    """What a collection came to."""

    shape: dict[str, Any]
    back_s: tuple[float, ...] = ()

    @property
    def documents(self) -> dict[str, list[Any]]:
        found: dict[str, list[Any]] = self.shape["documents"]
        return found


@measures(
    Bar("kill9_lost", "=", 0),
    Bar("kill9_duplicates", "=", 0),
    Bar("kill9_not_ready", "=", 0),
    Bar("kill9_back_s", "<=", 90),
    is_long=True,
    needs=("linux",),
)
def kill9_worker(bench: Bench) -> Figures:
    """The same ninety files twice: first undisturbed, then in a stack of their own while the worker is killed."""
    files = chosen(bench.data / "docs" / "fastapi-md")
    clean = ingested(bench, "clean", files, kills=0)
    hit = ingested(bench, "hit", files, kills=KILLS)
    lost = [name for name in clean.documents if name not in hit.documents]
    other = [name for name, found in hit.documents.items() if clean.documents.get(name, [])[1:] != found[1:]]
    not_ready = [name for name, found in hit.documents.items() if found[0] != "ready"]
    for fault in [*hit.shape["faults"], *(f"{name}: other chunks than undisturbed" for name in other)]:
        bench.note(fault)
    bench.note(
        f"work went on after {', '.join(f'{seconds:.1f}' for seconds in hit.back_s)} s; jobs left {hit.shape['open_jobs']}"
    )
    return {
        "kill9_lost": len(lost),
        "kill9_duplicates": len(hit.shape["faults"]) + len(other),
        "kill9_not_ready": len(not_ready) + hit.shape["open_jobs"],
        "kill9_back_s": max(hit.back_s),
    }


def chosen(folder: Path) -> list[Upload]:
    """The first files by path of between 2 and 20 KB: enough that the fifth kill finds work half done."""
    paths = [path for path in sorted(folder.rglob("*.md")) if 2_000 < path.stat().st_size < 20_000]
    return [Upload(path.relative_to(folder).as_posix(), path.read_bytes()) for path in paths[:FILES]]


def ingested(bench: Bench, name: str, files: list[Upload], *, kills: int) -> Ended:
    """Upload all, kill while they are read, wait until every one has settled. Each time in a new state directory."""
    state = bench.state / f"kill9-{name}"
    shutil.rmtree(state, ignore_errors=True)
    with running(state) as stack:
        collection = inside.call(state, "bench.inside_corpus:collection", name="kill9")
        Visitor(stack).upload(files, collection=collection)
        back = tuple(kill_once(stack, collection) for _ in range(kills))
        inside.call(
            state,
            "bench.inside_corpus:await_settled",
            collection=collection,
            total=len(files),
            within_s=SETTLED_WITHIN_S,
        )
        return Ended(inside.call(state, "bench.inside_crash:shape", collection=collection), back)


def kill_once(stack: Stack, collection: str) -> float:
    """Kill the worker once it is at work; seconds from the kill until rows are added again."""
    at_work = inside.call(stack.state, "bench.inside_crash:done_count", collection=collection)
    inside.call(stack.state, "bench.inside_crash:await_progress", collection=collection, beyond=at_work, within_s=60)
    wait_until(lambda: bool(stack.processes("worker")), 60, "a worker runs")
    for process in stack.processes("worker"):
        process.kill()
    started = time.monotonic()
    before = inside.call(stack.state, "bench.inside_crash:done_count", collection=collection)
    seconds = inside.call(
        stack.state, "bench.inside_crash:await_progress", collection=collection, beyond=before, within_s=BACK_WITHIN_S
    )
    if seconds < 0 and not inside.call(stack.state, "bench.inside_crash:shape", collection=collection)["open_jobs"]:
        raise StackFailed("all was done before the worker was killed: the bar needs more files on this machine")
    if seconds < 0:
        raise StackFailed(f"no work went on within {BACK_WITHIN_S:.0f} s\n{stack.last_lines()}")
    return time.monotonic() - started
