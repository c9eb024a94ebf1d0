"""`manage.py up` with options, or called from code; plain `up` never gets here (manage.py)."""

from __future__ import annotations

import os
import sys
from typing import Any

from django.core.management.base import BaseCommand

from portal import env


class Command(BaseCommand):
    help = "Start PostgreSQL, the broker, the embedder, web and worker (what the environment names is not started)."
    requires_system_checks = []

    def handle(self, *args: Any, **options: Any) -> None:
        os.chdir(env.ROOT)
        os.execv(sys.executable, [sys.executable, "-m", "portal.supervisor", "up"])  # noqa: S606 (replaces Django)
