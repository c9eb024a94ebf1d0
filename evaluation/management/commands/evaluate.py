"""`manage.py evaluate SET [--config …] [--baseline RUN] [--fail-on …]`: run a golden set and let CI know.

Exit codes: 0 the gate holds, 1 a rule is broken, 2 the run did not end.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from documents.worker import work_through as read_through
from evaluation import queue, report
from evaluation.configuration import Configuration
from evaluation.gate import read_rules
from evaluation.golden import sample
from evaluation.management.commands.golden import find_set
from evaluation.models import Run
from evaluation.operator import add_arguments, scope_for
from evaluation.worker import work_through
from portal.models import Collection
from portal.problems import UserProblem, words_for
from portal.scope import Scope, principal

POLL_S = 1.0
WAIT_S = 600.0
"""How long the sample documents may take to be read, and a run another worker holds may stand still."""


class Command(BaseCommand):
    help = "Ask every question of a golden set and compare what comes of it; the exit code says whether the gate holds."

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument("set", help="name or reference of the golden set; `sample` for the one that ships")
        add_arguments(parser)
        parser.add_argument("--config", default="", help="k=8,words=off,… or a JSON file; default: as it is live")
        parser.add_argument("--baseline", default="", help="reference of an earlier run, or `last` for the newest")
        parser.add_argument(
            "--fail-on", default="", help="rules such as unsupported,evidence,worse,error,wrong,ndcg_10<0.7; none"
        )
        parser.add_argument(
            "--collection", action="append", default=[], help="name or reference; default: all but private"
        )
        parser.add_argument("--name", default="", help="what the run is called on its page")
        parser.add_argument("--seed", type=int, default=1)
        parser.add_argument("--report", type=Path, action="append", default=[], help="write .md, .html or .xml (JUnit)")

    def handle(self, *args: Any, **options: Any) -> None:
        scope = scope_for(options["email"], options["workspace"])
        try:
            rules, configuration = read_rules(options["fail_on"]), Configuration.of_operator(options["config"])
            golden_set = self._sample(scope) if options["set"] == "sample" else find_set(scope, options["set"])
            scope = scope_for(options["email"], options["workspace"])
            baseline = find_run(scope, options["baseline"], golden_set.pk)
            chosen = collections(scope, options["collection"]) if options["collection"] else None
            run = queue.start(
                scope, golden_set, configuration, collection_ids=chosen, name=options["name"], seed=options["seed"]
            )
        except UserProblem as trouble:
            words = words_for(trouble.code)
            raise CommandError(f"{words.title} {trouble.detail or words.advice}") from None
        run = carry_out(scope, run, self.stdout.write)
        if run.state != Run.State.DONE:
            self.stderr.write(f"The run ended as {run.state}: {words_for(run.problem).title if run.problem else ''}")
            sys.exit(2)
        self._tell(report.make(scope, run, baseline=baseline, rules=rules), options["report"])

    def _sample(self, scope: Scope) -> Any:
        golden_set = sample.ensure(scope)
        until = time.monotonic() + WAIT_S
        while (left := sample.unread(scope)) and time.monotonic() < until:
            self.stdout.write(f"reading {left} sample documents")
            if not read_through(turn_s=30.0):
                time.sleep(POLL_S)
        return golden_set

    def _tell(self, made: report.Report, paths: list[Path]) -> None:
        for path in paths:
            kind = path.suffix.lstrip(".")
            if kind not in ("md", "html", "xml"):
                raise CommandError(f"{path.name}: a report ends in .md, .html or .xml")
            path.write_text(report.write(made, kind), encoding="utf-8")  # type: ignore[arg-type]
        self.stdout.write(report.markdown(made))
        if made.broken:
            sys.exit(1)


def carry_out(scope: Scope, run: Run, say: Callable[[str], object]) -> Run:
    """Work like a worker until the run is over; where a worker was faster, look on."""
    say(f"run {run.ref}: {run.total} questions")
    seen, still_since = -1, time.monotonic()
    while not run.is_over and time.monotonic() - still_since < WAIT_S:
        if not work_through(turn_s=10.0):
            time.sleep(POLL_S)
        with principal(scope):
            run = Run.objects.visible_to(scope).get(pk=run.pk)
        if run.done != seen:
            seen, still_since = run.done, time.monotonic()
            say(f"  {run.done} of {run.total}")
    return run


def find_run(scope: Scope, name: str, golden_set_id: int) -> Run | None:
    """The baseline; None for none. Raises CommandError for one that is not there."""
    if not name:
        return None
    with principal(scope):
        rows = Run.objects.visible_to(scope).filter(golden_set_id=golden_set_id, state=Run.State.DONE).order_by("-pk")
        found: Run | None = rows.first() if name == "last" else rows.filter(ref=name).first()
    if found is None and name != "last":
        raise CommandError(f"There is no finished run {name} of this set.")
    return found


def collections(scope: Scope, names: list[str]) -> list[int]:
    with principal(scope):
        rows = list(Collection.objects.visible_to(scope).values_list("pk", "name", "ref"))
    found = {name: [pk for pk, title, ref in rows if name in (title, ref)] for name in names}
    if missing := [name for name, ids in found.items() if not ids]:
        raise CommandError(f"There is no collection named {missing[0]}.")
    return sorted({pk for ids in found.values() for pk in ids})
