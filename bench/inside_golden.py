"""Called through bench.inside beside services: a public set as a golden set, run as a member would run it."""

from __future__ import annotations

import io
import time
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from statistics import mean

from django.core.management import call_command
from django.utils import timezone

from answers import ask as asking
from bench import inside_sets
from bench.registry import say
from evaluation import queue
from evaluation.compare import compare
from evaluation.configuration import Configuration
from evaluation.golden import files, store
from evaluation.golden.item import Item
from evaluation.metrics.ranking import ndcg_at
from evaluation.models import GoldenSet, Run
from evaluation.summary import Line, lines_of
from evaluation.worker import work_through
from portal.scope import principal

ASKED = 1000


def measure(folder: str, *, fault: str = "") -> dict[str, float]:
    """The run's figures, and how far its nDCG@10 lies from that of bench.inside_sets; with `fault`, the planted regression too."""
    call_command("bootstrap", verbosity=0, stdout=io.StringIO())
    root = Path(folder)
    seat = inside_sets.ingested(root)
    path = root / "qa.jsonl" if root.name == "squad2-open" else root
    run = ran(seat, kept(seat, root.name, files.read_path(path)))
    means = run.summary["means"]
    found = {**means, **{f"count_{name}": float(count) for name, count in run.summary["counts"].items()}}
    found["held_of_answered"] = held_of_answered(lines_of(seat.scope, run))
    if path is root:
        found["bench_ndcg_10"] = _benchmark(seat, root)
    if fault:
        found.update(_planted(seat, run, fault))
    return found


def held_of_answered(lines: Sequence[Line]) -> float:
    """Of the answerable questions that were answered, the share whose quotes hold an expected text; 0 when there are none.

    `answer_held` among the means counts a declined answerable question as one that holds nothing.
    """
    held = [
        line.figures["answer_held"] for line in lines if line.outcome == "answered" and "answer_held" in line.figures
    ]
    return mean(held) if held else 0.0


def _benchmark(seat: inside_sets.Seat, root: Path) -> float:
    """nDCG@10 of the fused list as bench.inside_sets takes it, over the very index that the run searched."""
    gains = inside_sets.judgements(root / "qrels.tsv")
    names = inside_sets.document_names(seat)
    times: dict[str, list[float]] = defaultdict(list)
    asked = [row for row in inside_sets.rows(root / "queries.jsonl") if row["id"] in gains]
    lists = [(row["id"], inside_sets.legs(inside_sets.ask(seat, row["text"], times), names)["fused"]) for row in asked]
    return mean(ndcg_at(10, ranked, gains[key]) for key, ranked in lists)


def _planted(seat: inside_sets.Seat, run: Run, fault: str) -> dict[str, float]:
    """The least p with which each fault is called worse, 1 where it is not; of the faults, the highest."""
    golden_set: GoldenSet = GoldenSet.objects.using("owner").get(pk=run.golden_set_id)
    highest = 0.0
    for config in fault.split(";"):
        again = ran(seat, golden_set, config)
        found = compare(lines_of(seat.scope, run), lines_of(seat.scope, again))
        called = [d for d in found.differences if d.call == "worse"]
        say(f"# {config}: {found.verdict}, " + ", ".join(f"{d.name} {d.change.mean:+.3f} p {d.p:.4f}" for d in called))
        highest = max(highest, min((d.p for d in called), default=1.0))
    return {"fault_p": highest}


def kept(seat: inside_sets.Seat, name: str, items: list[Item]) -> GoldenSet:
    golden_set = store.open_set(seat.scope, name)
    saved = store.save(seat.scope, golden_set, items, origin="import", replace=True)
    say(f"# {name}: {saved}")
    return golden_set


def ran(seat: inside_sets.Seat, golden_set: GoldenSet, config: str = "") -> Run:
    """Start a run over the set's own collection and work until it is over."""
    run = queue.start(seat.scope, golden_set, Configuration.parse(config), collection_ids=[seat.collection])
    started = time.monotonic()
    while not run.is_over:
        work_through()
        with principal(seat.scope):
            run = Run.objects.visible_to(seat.scope).get(pk=run.pk)
    took = time.monotonic() - started
    say(
        f"# run of {run.total} questions ({config or 'as it is live'}): {took:.0f} s, {run.total / took:.1f} questions/s"
    )
    return run


def overhead(folder: str) -> dict[str, float]:
    """Questions a second in a shell, one by one with history, and in a run; `overhead` is the share that the run takes more.

    In turns of 100, so that a machine that is busy with something else is so for both.
    """
    call_command("bootstrap", verbosity=0, stdout=io.StringIO())
    root = Path(folder)
    seat = inside_sets.ingested(root)
    items = files.read_path(root / "qa.jsonl")[:ASKED]
    settings = Configuration().settings((seat.collection,))
    shell = run = 0.0
    for number in range(0, len(items), 100):
        batch = items[number : number + 100]
        started = time.perf_counter()
        for item in batch:
            list(asking.ask(seat.scope, item.text, settings=settings, now=timezone.now()))
        shell += time.perf_counter() - started
        golden_set = kept(seat, f"overhead {number}", batch)
        started = time.perf_counter()
        ran(seat, golden_set)
        run += time.perf_counter() - started
    return {"shell_per_s": len(items) / shell, "run_per_s": len(items) / run, "overhead": run / shell - 1}
