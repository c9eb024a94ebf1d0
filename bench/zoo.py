"""The zoo of real files, each through the cage as an upload goes: what is ready, refused in words, or failed, kind by kind."""

from __future__ import annotations

import json
import time
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench.registry import Bar, Bench, Figures, measures
from bench.zoo_words import plain_words, words_of
from documents.parsers.sniff import identify
from documents.sandbox import Failed, Limits, Prepared, Refused, prepare
from documents.text.piece import ChunkProfile

_HEAD_BYTES = 64 * 1024
_ENOUGH = 0.95
_PROFILE = ChunkProfile()


@dataclass(frozen=True, slots=True)
class Read:
    """One file: what came of it, how long it took, and what share of the plain probe's words is in its text (or None)."""

    file: str
    type: str
    state: str
    why: str
    seconds: float
    found: float | None
    held_words: bool


@measures(
    Bar("zoo_files", "=", 441),
    Bar("zoo_reader_lost", "=", 0),
    Bar("zoo_over_30_s", "=", 0),
    Bar("zoo_child_mb", "<=", 384),
    Bar("zoo_ready_without_text", "=", 0),
    Bar("zoo_readable_ready", ">=", 0.98),
    Bar("zoo_words", ">=", 0.98),
    is_long=True,
)
def zoo(bench: Bench) -> Figures:
    """`zoo_readable_ready`: of the files that the plain probe opened, that hold words and are of a kind we read.

    `zoo_words`: of those, the share with at least 95 % of the probe's distinct words.
    """
    folder = bench.data / "zoo"
    rows = [json.loads(line) for line in (folder / "index.jsonl").read_text().splitlines()]
    peaks: list[int] = []
    found = [read(folder, row, peaks) for row in rows]
    for line in table(found):
        bench.note(line)
    readable = [one for one in found if one.held_words]
    ready = [one for one in readable if one.state == "ready"]
    full = [one for one in ready if (one.found or 0) >= _ENOUGH]
    for one in readable:
        if one not in full:
            bench.note(f"short: {one.file} {one.state} {one.why} {one.found}")
    return {
        "zoo_files": len(found),
        "zoo_reader_lost": sum(one.state == "lost" for one in found),
        "zoo_over_30_s": sum(one.seconds > 30 for one in found),
        "zoo_child_mb": max(peaks) / 2**20,
        "zoo_ready_without_text": sum(one.state == "ready" and one.why == "empty" for one in found),
        "zoo_readable_ready": len(ready) / max(len(readable), 1),
        "zoo_words": len(full) / max(len(ready), 1),
    }


def read(folder: Path, row: dict[str, Any], peaks: list[int]) -> Read:
    """Read one file as an upload is read; notes the memory that its reader took."""
    path = folder / row["file"]
    name = path.name.partition("__")[2] or path.name
    started = time.monotonic()
    kind = identify(name, path.open("rb").read(_HEAD_BYTES))
    if isinstance(kind, Refused):
        return Read(row["file"], row["type"], "refused", kind.code, time.monotonic() - started, None, held_words=False)
    outcome = prepare(path, filename=name, kind=kind, profile=_PROFILE, limits=Limits(), measured=peaks.append)
    seconds = time.monotonic() - started
    wanted = plain_words(path, kind) if row["probe"].get("ok") else set()
    if isinstance(outcome, Prepared):
        had = words_of(outcome.canonical)
        share = len(wanted & had) / len(wanted) if wanted else None
        why = "" if outcome.pieces and outcome.canonical.strip() else "empty"
        return Read(row["file"], row["type"], "ready", why, seconds, share, held_words=bool(wanted))
    lost = isinstance(outcome, Failed) and outcome.code == "documents.reader_crashed"
    state = "lost" if lost else "failed" if isinstance(outcome, Failed) else "refused"
    return Read(
        row["file"], row["type"], state, f"{outcome.code} {outcome.detail}", seconds, None, held_words=bool(wanted)
    )


def table(found: list[Read]) -> Iterator[str]:
    """A line for each kind, the most files first."""
    kinds: defaultdict[str, list[Read]] = defaultdict(list)
    for one in found:
        kinds[one.type].append(one)
    yield f"{'kind':<9} files ready refused failed lost  words  s/file  refused because"
    for name, files in sorted(kinds.items(), key=lambda item: -len(item[1])):
        states = Counter(one.state for one in files)
        shares = [one.found for one in files if one.found is not None]
        reasons = Counter(one.why.split()[0].partition(".")[2] for one in files if one.state in ("refused", "failed"))
        said = ", ".join(f"{count} {reason}" for reason, count in reasons.most_common())
        mean = f"{sum(shares) / len(shares):.3f}" if shares else "-"
        seconds = sum(one.seconds for one in files) / len(files)
        yield (
            f"{name:<9} {len(files):>5} {states['ready']:>5} {states['refused']:>7} {states['failed']:>6} {states['lost']:>4}"
            f"  {mean:>5}  {seconds:>6.2f}  {said}"
        )
    yield f"states: {dict(Counter(one.state for one in found))}"
