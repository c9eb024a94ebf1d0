"""Called through bench.inside beside services: planted regressions through `manage.py evaluate`, and what chance is called."""

from __future__ import annotations

import io
import random
from dataclasses import replace
from pathlib import Path

from django.core.management import call_command

from bench import inside_sets
from bench.inside_golden import kept
from bench.registry import say
from documents import lifecycle
from documents.models import Document
from evaluation.compare import compare
from evaluation.golden import files
from evaluation.golden.item import Item
from evaluation.models import Run
from evaluation.summary import Line, lines_of
from portal.models import Workspace
from portal.scope import principal

FAULTS = ("threshold_scale=2", "shuffle_citations=on", "words=off")
RESAMPLES = 1000
DRAWN = 100
UNSUPPORTED_AMONG = 200


def planted(data: str) -> dict[str, float]:
    """On SciFact, where words and meaning each find what the other misses; figures as bench.golden names them."""
    call_command("bootstrap", verbosity=0, stdout=io.StringIO())
    root = Path(data) / "scifact"
    seat = inside_sets.ingested(root)
    kept(seat, "scifact", files.read_path(root))
    assert evaluated(seat, "scifact", "--fail-on", "error") == 0
    live = newest(seat)
    lines = lines_of(seat.scope, live)
    highest, worse, exits = 0.0, 0, 0
    after: list[Line] = []
    for config in FAULTS:
        exits += evaluated(seat, "scifact", "--config", config, "--baseline", live.ref, "--fail-on", "worse") == 1
        after = lines_of(seat.scope, newest(seat))
        found = compare(lines, after)
        called = [d for d in found.differences if d.call != "no evidence"]
        say(f"# {config}: {found.verdict}; " + ", ".join(f"{d.name} {d.change.mean:+.3f} p {d.p:.4f}" for d in called))
        worse += found.verdict == "worse"
        highest = max(highest, min((d.p for d in called if d.call == "worse"), default=1.0))
    noop = called_by_chance(lines, after)
    exits += lost_document(seat, root, live) + unsupported(Path(data) / "squad2-open")
    return {
        "golden_fault_p": highest,
        "golden_faults_called_worse": worse,
        "golden_fault_exits": exits,
        "golden_noop_called": noop,
    }


def evaluated(seat: inside_sets.Seat, name: str, *more: str) -> int:
    """The exit code of `manage.py evaluate`."""
    ref = Workspace.objects.using("owner").get(pk=seat.scope.workspace_id).ref
    said = io.StringIO()
    try:
        call_command("evaluate", name, "--as", inside_sets.EMAIL, "--workspace", ref, *more, stdout=said)
        code = 0
    except SystemExit as ended:
        code = int(str(ended.code))
    say(f"# evaluate {name} {' '.join(more)}: exit code {code}")
    return code


def newest(seat: inside_sets.Seat) -> Run:
    found: Run = Run.objects.using("owner").filter(workspace_id=seat.scope.workspace_id).latest("pk")
    return found


def called_by_chance(before: list[Line], after: list[Line]) -> float:
    """Share of 1,000 resamples that are called better or worse though nothing differs but chance.

    Each draws 100 of the questions with replacement and swaps the two runs' results of each by a coin: the null hypothesis made
    true with the figures of real questions.
    """
    draw = random.Random(1)
    pairs = list(zip(before, after, strict=True))
    called = 0
    for number in range(RESAMPLES):
        chosen = [draw.choice(pairs) for _ in range(DRAWN)]
        sides = [draw.sample(pair, 2) for pair in chosen]
        one, other = ([replace(side[i], key=str(n)) for n, side in enumerate(sides)] for i in (0, 1))
        called += compare(one, other, seed=number, rounds=500).verdict != "no evidence"
    say(f"# {called} of {RESAMPLES} resamples without a change are called better, worse or mixed")
    return called / RESAMPLES


def lost_document(seat: inside_sets.Seat, root: Path, live: Run) -> int:
    """1 when one deleted document of 5,183 turns the exit code; it is put back afterwards."""
    name = next(iter(inside_sets.judgements(root / "qrels.tsv").values()))
    wanted = next(row for row in inside_sets.rows(root / "corpus.jsonl") if row["id"] in name)
    with principal(seat.scope):
        rows = Document.objects.visible_to(seat.scope).filter(collection_id=seat.collection, deleted_at__isnull=True)
        document = rows.get(name__startswith=f"{inside_sets.stem_of(wanted['id'])}.")
        lifecycle.delete(seat.scope, document)
    code = evaluated(seat, "scifact", "--baseline", live.ref, "--fail-on", "evidence")
    inside_sets.upload(seat, [wanted])
    inside_sets.work(seat, 1)
    return int(code == 1)


def unsupported(root: Path) -> int:
    """1 when an answer where declining was right turns the exit code by default, and not when nothing is asked of the run."""
    seat = inside_sets.ingested(root)
    items: list[Item] = [item for item in files.read_path(root / "qa.jsonl") if item.expects == "decline"]
    kept(seat, "to decline", items[:UNSUPPORTED_AMONG])
    if evaluated(seat, "to decline", "--fail-on", "none") != 0:
        return 0
    return int(evaluated(seat, "to decline") == 1)
