"""`manage.py backup FILE.tar`: the database and the uploaded files in one file, made while Footnote runs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser

from portal import backup, env
from portal.database import Admin


class Command(BaseCommand):
    help = "Write the database and the uploaded files to a new tar file. secrets.env is not in it: keep it apart."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", type=Path)

    def handle(self, *args: Any, **options: Any) -> None:
        admin = administrator()
        try:
            made = backup.write(admin, settings.DATABASES["default"]["NAME"], options["file"])
        except backup.BackupFailed as failed:
            raise CommandError(str(failed)) from failed
        self.stdout.write(f"{options['file']}: {made.files:,} files, a dump of {made.dump_bytes:,} bytes")


def administrator() -> Admin:
    """Raises CommandError where the superuser's address is not known."""
    url = env.current().admin_database_url
    if not url:
        raise CommandError(
            "Set FOOTNOTE_ADMIN_DATABASE_URL, or run it beside a running `manage.py up` with the same FOOTNOTE_STATE_DIR."
        )
    return Admin(url)
