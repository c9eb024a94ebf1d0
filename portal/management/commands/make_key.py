"""`manage.py make_key ada@example.org --scopes read,ask`: a key for a program, printed once."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import connections
from django.utils import timezone

from portal.access import Seat, scope_of, seats_of
from portal.keys import SCOPES, make_key
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
        user_id = _user_id(options["email"])
        seat = _seat(seats_of(user_id), options["workspace"])
        scope = scope_of(user_id, seat.workspace_id)
        if scope is None:
            raise CommandError("The membership ended a moment ago.")
        expires_at = timezone.now() + timedelta(days=options["days"]) if options["days"] else None
        scopes = [word.strip() for word in options["scopes"].split(",") if word.strip()]
        try:
            _, plain = make_key(scope, options["name"], scopes=scopes, expires_at=expires_at)
        except UserProblem as problem:
            raise CommandError(f"{words_for(problem.code).title} {problem.detail}") from problem
        self.stdout.write(plain)


def _user_id(email: str) -> int:
    with connections["default"].cursor() as cursor:
        cursor.execute("SELECT footnote.user_by_email(%s)", [email])
        user_id: int | None = cursor.fetchone()[0]
    if user_id is None:
        raise CommandError(f"No active account has the e-mail {email}.")
    return user_id


def _seat(seats: tuple[Seat, ...], ref: str) -> Seat:
    fitting = [seat for seat in seats if ref in ("", seat.workspace_ref)]
    if len(fitting) == 1:
        return fitting[0]
    known = ", ".join(f"{seat.workspace_ref} ({seat.workspace_name})" for seat in seats) or "none"
    raise CommandError(f"Name one workspace with --workspace. This person is an active member of: {known}.")
