"""`manage.py doctor`: what is there, what is missing, what that costs, what to do."""

from __future__ import annotations

import sys
from typing import Any

from django.core.management.base import BaseCommand

from portal import diagnose, env

MARKS = {"ok": "ok    ", "lacks": "lacks ", "broken": "BROKEN"}


class Command(BaseCommand):
    help = "Say what this machine has and lacks. Exit code 1 when Footnote cannot start, else 0."
    requires_system_checks = []

    def handle(self, *args: Any, **options: Any) -> None:
        findings = diagnose.examine(env.current())
        width = max(len(finding.name) for finding in findings)
        for finding in findings:
            self.stdout.write(f"{MARKS[finding.level]}  {finding.name.ljust(width)}  {finding.says}")
        if any(finding.level == "broken" for finding in findings):
            sys.exit(1)
