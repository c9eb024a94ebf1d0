"""`manage.py backup FILE.tar`: the database and the uploaded files in one file, made while Footnote runs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser
from psycopg import conninfo

from portal import backup, env
from portal.database import Admin
from portal.embedded.state import read_pairs


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
    """The superuser: named, or of the embedded PostgreSQL that runs in this state directory. Raises CommandError without."""
    here = env.current()
    if here.admin_database_url:
        return Admin(here.admin_database_url)
    parts = conninfo.conninfo_to_dict(here.database_url) if here.database_url else {}
    password = read_pairs(here.state_dir / "secrets.env").get("POSTGRES_PASSWORD")
    if password and parts.get("host") == "127.0.0.1":
        return Admin(conninfo.make_conninfo("", **{**parts, "user": "postgres", "password": password}))
    raise CommandError(
        "Set FOOTNOTE_ADMIN_DATABASE_URL, or run it beside a running `manage.py up` with the same FOOTNOTE_STATE_DIR."
    )
