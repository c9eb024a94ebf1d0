"""`manage.py doctor`: what is there, what is missing, what that costs, what to do."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand
from django.db import DatabaseError
from django.utils.module_loading import import_string

from portal import diagnose, env

MARKS = {"ok": "ok    ", "lacks": "lacks ", "broken": "BROKEN"}


class Command(BaseCommand):
    help = "Say what this machine has and lacks. Exit code 1 when Footnote cannot start, else 0."
    requires_system_checks = []

    def handle(self, *args: Any, **options: Any) -> None:
        here = env.current()
        findings = [*diagnose.examine(here), *(live_model() if here.database_url else [])]
        width = max(len(finding.name) for finding in findings)
        for finding in findings:
            self.stdout.write(f"{MARKS[finding.level]}  {finding.name.ljust(width)}  {finding.says}")
        if any(finding.level == "broken" for finding in findings):
            sys.exit(1)


def live_model() -> list[diagnose.Finding]:
    """Where the live embedding model is not the one that the environment serves; nothing while the database is away."""
    advice: Callable[[], str] = import_string(settings.MODEL_ADVICE)
    try:
        says = advice()
    except DatabaseError:
        return []
    return [diagnose.Finding("embedding model", "lacks", says)] if says else []
