"""`manage.py restore FILE.tar`: a backup into an installation that has no workspace yet."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import connections

from portal import backup, database, env
from portal.management.commands.backup import administrator


class Command(BaseCommand):
    help = "Bring a backup back. The installation must not have a workspace: use a new STATE_DIR or a new database."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", type=Path)

    def handle(self, *args: Any, **options: Any) -> None:
        admin, name = administrator(), settings.DATABASES["default"]["NAME"]
        connections.close_all()
        try:
            found = backup.read(admin, name, options["file"], env.current().database_passwords)
        except backup.BackupFailed as failed:
            raise CommandError(str(failed)) from failed
        call_command("migrate", database="owner", interactive=False, verbosity=0)
        key = bytes.fromhex(settings.CONTEXT_KEY)
        database.seal_context_key(admin, name, key, binds_pid=settings.CONTEXT_BINDS_PID)
        self.stdout.write(
            f"restored what was there at {found.made_at}: {found.files:,} files. Everybody signs in anew."
        )
