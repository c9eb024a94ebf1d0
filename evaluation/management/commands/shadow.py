"""`manage.py shadow --config … [--set NAME] [--last N]`: try a configuration beside the live one before it goes live.

Exit codes: 0 not called worse, 1 called worse, 2 a run did not end.
"""

from __future__ import annotations

import argparse
import sys
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from evaluation import arms, queue, report, shadow, trial
from evaluation.configuration import Configuration
from evaluation.management.commands.evaluate import carry_out
from evaluation.management.commands.golden import find_set
from evaluation.models import GoldenSet, Run
from evaluation.operator import add_arguments, scope_for
from portal.problems import UserProblem, words_for
from portal.scope import Scope


class Command(BaseCommand):
    help = "Run a candidate configuration and the live one over a golden set and over offered questions, and compare."

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        add_arguments(parser)
        parser.add_argument(
            "--config", default="", help="the candidate: k=12,max_tokens=120,writer=model,… or a JSON file"
        )
        parser.add_argument("--against", default="", help="what it is compared with; default: as it is live")
        parser.add_argument("--clean", action="store_true", help="remove candidate indexes that were left behind")
        parser.add_argument("--set", default="", help="name of a golden set; without one, offered questions alone")
        parser.add_argument("--last", type=int, default=shadow.LAST, help="how many offered questions")

    def handle(self, *args: Any, **options: Any) -> None:
        if options["clean"]:
            self.stdout.write(f"{trial.drop_left()} collections of candidate indexes removed")
            return
        scope = scope_for(options["email"], options["workspace"])
        try:
            candidate, live = (Configuration.of_operator(options[name]) for name in ("config", "against"))
            if candidate == live:
                raise CommandError("The candidate is what is live. Say with --config what it changes.")
            sets = [find_set(scope, options["set"])] if options["set"] else []
            if offered := shadow.offered_set(scope, last=options["last"]):
                sets.append(offered)
            if not sets:
                raise CommandError("Nobody has offered a question yet: name a golden set with --set.")
            worse = [self._try(scope, golden_set, candidate, live) for golden_set in sets]
        except UserProblem as trouble:
            words = words_for(trouble.code)
            raise CommandError(f"{words.title} {trouble.detail or words.advice}") from None
        except queue.FenceLost:
            self.stderr.write("A run was stopped before its end.")
            sys.exit(2)
        if any(worse):
            sys.exit(1)

    def _try(self, scope: Scope, golden_set: GoldenSet, candidate: Configuration, live: Configuration) -> bool:
        """Whether the candidate is called worse on this set."""
        found = self._over_index(scope, golden_set, candidate) if candidate.needs_index else None
        if found is None:
            started = shadow.start(scope, golden_set, candidate, live=live)
            found = shadow.Shadow(*(self._ended(scope, run) for run in (started.live, started.candidate)))
        self.stdout.write(report.markdown(report.make(scope, found.candidate, baseline=found.live, rules=("worse",))))
        return bool(shadow.compared(scope, found).worse)

    def _over_index(self, scope: Scope, golden_set: GoldenSet, candidate: Configuration) -> shadow.Shadow:
        run = queue.start(scope, golden_set, shadow.LIVE, name="shadow: live")
        return arms.over_index(scope, golden_set, self._ended(scope, run), candidate, say=self.stdout.write)

    def _ended(self, scope: Scope, run: Run) -> Run:
        run = carry_out(scope, run, self.stdout.write)
        if run.state != Run.State.DONE:
            self.stderr.write("A run did not end.")
            sys.exit(2)
        return run
