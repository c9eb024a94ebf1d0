"""`manage.py make_key ada@example.org --scopes read,ask`: a key for a program, printed once."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone

from portal.keys import SCOPES, make_key
from portal.management.acting import scope_for
from portal.problems import UserProblem, words_for


class Command(BaseCommand):
    help = "Make an API key for a member of a workspace and print it. It cannot be shown again."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("email")
        parser.add_argument("--workspace", default="", help="its ref; needed by a member of several")
        parser.add_argument("--scopes", default="read", help=f"some of {','.join(SCOPES)}")
        parser.add_argument("--name", default="made by manage.py make_key")
        parser.add_argument("--days", type=int, default=None, help="until it expires; for ever without")

    def handle(self, *args: Any, **options: Any) -> None:
        scope = scope_for(options["email"], options["workspace"])
        expires_at = timezone.now() + timedelta(days=options["days"]) if options["days"] else None
        scopes = [word.strip() for word in options["scopes"].split(",") if word.strip()]
        try:
            _, plain = make_key(scope, options["name"], scopes=scopes, expires_at=expires_at)
        except UserProblem as problem:
            raise CommandError(f"{words_for(problem.code).title} {problem.detail}") from problem
        self.stdout.write(plain)
