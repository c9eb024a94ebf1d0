"""Whom a command of the operator acts as: a member, by e-mail, in one of their workspaces."""

from __future__ import annotations

from argparse import ArgumentParser

from django.core.management.base import CommandError
from django.db import connections

from documents.demo import EMAIL
from portal.access import scope_of, seats_of
from portal.scope import Scope


def add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("--as", dest="email", default=EMAIL, help="the evaluator's e-mail (default: the demo member)")
    parser.add_argument("--workspace", default="", help="reference or name of the workspace (default: their first)")


def scope_for(email: str, workspace: str = "") -> Scope:
    """Raises CommandError for an unknown person, or one who is no member there."""
    with connections["default"].cursor() as cursor:
        cursor.execute("SELECT footnote.user_by_email(%s)", [email])
        user_id = cursor.fetchone()[0]
    if user_id is None:
        raise CommandError(f"No active account has the e-mail {email}.")
    seats = [seat for seat in seats_of(user_id) if workspace in ("", seat.workspace_ref, seat.workspace_name)]
    scope = scope_of(user_id, seats[0].workspace_id) if seats else None
    if scope is None:
        raise CommandError(f"{email} is no active member of {workspace or 'any workspace'}.")
    return scope
