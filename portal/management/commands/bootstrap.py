"""`manage.py bootstrap`: roles, database, migrations, context key and, when FOOTNOTE_DEMO is on, the demo workspace."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError
from django.utils.module_loading import import_string

from portal import database, env


class Command(BaseCommand):
    help = "Make the roles, the database and its schema; safe to run again."
    requires_system_checks: list[str] = []

    def handle(self, *args: Any, **options: Any) -> None:
        here = env.current()
        if not here.admin_database_url:
            raise CommandError(
                "Set FOOTNOTE_ADMIN_DATABASE_URL to the superuser's address: roles cannot be made without it."
            )
        missing = [role for role in database.LOGIN_ROLES if not here.database_passwords[role]]
        if missing:
            raise CommandError(
                f"Set FOOTNOTE_DB_{missing[0].upper()}_PASSWORD: every role signs in with its own password."
            )
        admin = database.Admin(here.admin_database_url)
        name = settings.DATABASES["default"]["NAME"]
        self.stdout.write("roles and database")
        database.ensure_roles(admin, here.database_passwords)
        database.ensure_database(admin, name)
        self.stdout.write("migrations")
        call_command("migrate", database="owner", interactive=False, verbosity=0)
        database.seal_context_key(
            admin, name, bytes.fromhex(settings.CONTEXT_KEY), binds_pid=settings.CONTEXT_BINDS_PID
        )
        for step in settings.BOOTSTRAP_STEPS:
            import_string(step)()
        self.stdout.write("static files")
        call_command("collectstatic", interactive=False, verbosity=0)
        if here.demo:
            self.stdout.write("demo workspace")
            import_string(settings.DEMO_BUILDER)()
