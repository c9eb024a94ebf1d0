"""`manage.py shadow --config … [--set NAME] [--last N]`: try a configuration beside the live one before it goes live.

Exit codes: 0 not called worse, 1 called worse, 2 a run did not end.
"""

from __future__ import annotations

import argparse
import sys
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from evaluation import report, shadow
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
        parser.add_argument("--config", required=True, help="the candidate: k=12,meaning_weight=2,… or a JSON file")
        parser.add_argument("--set", default="", help="name of a golden set; without one, offered questions alone")
        parser.add_argument("--last", type=int, default=shadow.LAST, help="how many offered questions")

    def handle(self, *args: Any, **options: Any) -> None:
        scope = scope_for(options["email"], options["workspace"])
        try:
            candidate = Configuration.parse(options["config"])
            sets = [find_set(scope, options["set"])] if options["set"] else []
            if offered := shadow.offered_set(scope, last=options["last"]):
                sets.append(offered)
            if not sets:
                raise CommandError("Nobody has offered a question yet: name a golden set with --set.")
            worse = [self._try(scope, golden_set, candidate) for golden_set in sets]
        except UserProblem as trouble:
            words = words_for(trouble.code)
            raise CommandError(f"{words.title} {trouble.detail or words.advice}") from None
        if any(worse):
            sys.exit(1)

    def _try(self, scope: Scope, golden_set: GoldenSet, candidate: Configuration) -> bool:
        """Whether the candidate is called worse on this set."""
        started = shadow.start(scope, golden_set, candidate)
        live, tried = (carry_out(scope, run, self.stdout.write) for run in (started.live, started.candidate))
        if {live.state, tried.state} != {Run.State.DONE}:
            self.stderr.write("A run did not end.")
            sys.exit(2)
        self.stdout.write(report.markdown(report.make(scope, tried, baseline=live, rules=("worse",))))
        return bool(shadow.compared(scope, started).worse)
