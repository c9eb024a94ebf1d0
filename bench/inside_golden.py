"""Called through bench.inside beside services: a public set as a golden set, run as a member would run it."""

from __future__ import annotations

import io
import time
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from statistics import mean
from typing import Any

from django.core.management import call_command
from django.utils import timezone

from answers import ask as asking
from bench import inside_sets
from bench.registry import say
from documents import lifecycle
from documents.models import Document
from evaluation import queue
from evaluation.configuration import Configuration
from evaluation.golden import files, store
from evaluation.golden.item import GoldPassage, Item
from evaluation.metrics.ranking import ndcg_at
from evaluation.models import GoldenSet, Result, Run
from evaluation.summary import Line, lines_of
from evaluation.worker import work_through
from portal.access import scope_of
from portal.models import Collection, Workspace
from portal.people import add_person
from portal.scope import principal

ASKED = 1000
EVERY = 7
POLL_S = 0.5


def seated(folder: str, password: str) -> dict[str, Any]:
    """The set read and imported, and its evaluator made staff: e-mail, the workspace's ref, the golden set's id, its questions."""
    root = Path(folder)
    seat = inside_sets.ingested(root)
    user = add_person(inside_sets.EMAIL, password=password, is_staff=True)
    _put_away_stale(seat)
    scope = scope_of(user.pk, seat.scope.workspace_id)
    assert scope is not None
    golden_set = kept(inside_sets.Seat(scope, seat.collection), root.name, chosen(root))
    ref = Workspace.objects.using("owner").get(pk=scope.workspace_id).ref
    return {"email": user.email, "workspace": ref, "set": golden_set.pk}


def _put_away_stale(seat: inside_sets.Seat) -> None:
    """Delete what an earlier cutting left in the workspace: the admin's action searches every collection that is not private."""
    with principal(seat.scope):
        rows = Document.objects.visible_to(seat.scope).filter(deleted_at__isnull=True)
        stale = list(rows.exclude(collection_id=seat.collection))
    for document in stale:
        with principal(seat.scope):
            lifecycle.delete(seat.scope, document)


def chosen(root: Path) -> list[Item]:
    """What is imported of a public set. squad2-open has answers and unanswerable questions beside its judgements: every seventh
    of its 7,163, since all take half an hour.
    """
    items = files.read_path(root / "qa.jsonl")[::EVERY] if root.name == "squad2-open" else files.read_path(root)
    return [replace(item, gold=tuple(map(_as_uploaded, item.gold))) for item in items]


def _as_uploaded(passage: GoldPassage) -> GoldPassage:
    """`1973_oil_crisis#0` was uploaded under a name that no path is mistaken for."""
    return replace(passage, document=inside_sets.stem_of(passage.document))


def await_done(run: str, beyond: int | None, within_s: float) -> int:
    """How many questions are done once they are more than `beyond`, or the run is over; -1 when that does not come."""
    started = time.monotonic()
    noted = started
    while (passed := time.monotonic() - started) < within_s:
        row = Run.objects.using("owner").get(ref=run)
        if row.state in (Run.State.FAILED, Run.State.CANCELLED):
            say(f"# run {run}: {row.state} {row.problem} after {row.done} of {row.total}")
            return -1
        if row.state == Run.State.DONE or (beyond is not None and row.done > beyond):
            return row.done
        if time.monotonic() - noted > inside_sets.NOTE_EVERY_S:
            noted = time.monotonic()
            say(f"# {row.done} of {row.total} questions after {passed:.0f} s")
        time.sleep(POLL_S)
    return -1


def outcome(run: str, folder: str) -> dict[str, float]:
    """A finished run's figures, its questions per second, and how far its nDCG@10 lies from that of bench.inside_sets."""
    root = Path(folder)
    seat, row = inside_sets.seat_for(root), Run.objects.using("owner").get(ref=run)
    assert row.finished_at is not None
    assert row.started_at is not None
    assert list(row.collection_ids) == visible(seat)
    means = row.summary["means"]
    found = {**means, **{f"count_{name}": float(count) for name, count in row.summary["counts"].items()}}
    found["held_of_answered"] = held_of_answered(lines_of(seat.scope, row))
    found["per_s"] = row.total / (row.finished_at - row.started_at).total_seconds()
    found["bench_ndcg_10"] = _benchmark(seat, root)
    if not (means["ndcg_10"] and found["bench_ndcg_10"]):
        raise RuntimeError("no gold document was found under its name: two zeros are no agreement")
    return {**found, "ndcg_10_apart": abs(means["ndcg_10"] - found["bench_ndcg_10"])}


def visible(seat: inside_sets.Seat) -> list[int]:
    """Every collection of the workspace that is not private: the set's own, and the empty one that came with the workspace."""
    with principal(seat.scope):
        rows = Collection.objects.visible_to(seat.scope).exclude(kind=Collection.Kind.PRIVATE)
        return sorted(rows.values_list("pk", flat=True))


def beside_calm(calm: str, hit: str) -> dict[str, float]:
    """A run whose worker was killed, beside one in peace: results, distinct questions, attempts, the widest gap of any mean."""
    row, other = (Run.objects.using("owner").get(ref=ref) for ref in (hit, calm))
    results = Result.objects.using("owner").filter(run=row)
    gaps = [
        abs(value - row.summary["means"].get(name, -1.0))
        for name, value in other.summary["means"].items()
        if name != "latency_ms"
    ]
    return {
        "results": results.count(),
        "questions": results.values("question_id").distinct().count(),
        "total": row.total,
        "attempts": row.attempt,
        "apart": max(gaps),
    }


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
    judged = inside_sets.judgements(root / "qrels.tsv")
    gains = {key: {inside_sets.stem_of(name): gain for name, gain in found.items()} for key, found in judged.items()}
    names = inside_sets.document_names(seat)
    times: dict[str, list[float]] = defaultdict(list)
    imported = {item.key for item in chosen(root)}
    asked = [row for row in inside_sets.rows(root / "queries.jsonl") if row["id"] in gains and row["id"] in imported]
    lists = [(row["id"], inside_sets.legs(inside_sets.ask(seat, row["text"], times), names)["fused"]) for row in asked]
    return mean(ndcg_at(10, ranked, gains[key]) for key, ranked in lists)


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
