"""`manage.py sweep`: files without rows go, rows without files are named. A worker does the same every hour."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from documents import blobs
from documents.models import Version
from documents.sweep import sweep

SHOWN = 50


class Command(BaseCommand):
    help = "Remove stored files that no row names and rows that nothing uses; name the documents whose file is gone."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--older-than", type=float, default=blobs.LEFT_BEHIND_S, help="seconds; what is younger may be on its way"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        older = max(60.0, options["older_than"])
        swept = sweep(older_than_s=older, unused_s=older, asks_storage=True)
        self.stdout.write(f"Files that no row named: {swept.files} removed.")
        self.stdout.write(f"Rows that no version used: {swept.rows} removed, with their files.")
        self.stdout.write(f"Questions whose answer never came: {swept.others} removed.")
        lost = (
            Version.objects.using("owner")
            .filter(blob__missing_at__isnull=False)
            .select_related("document")
            .only("number", "document__ref")
            .order_by("pk")
        )
        count = lost.count()
        self.stdout.write(f"Versions whose file is gone from the storage: {count}.")
        for version in lost[:SHOWN]:
            self.stdout.write(f"  document {version.document.ref}, version {version.number}")
        if count > SHOWN:
            self.stdout.write(f"  and {count - SHOWN} more")
