"""For whom a command acts: a person by e-mail, in one of their workspaces, with what they may and no more."""

from __future__ import annotations

from django.core.management.base import CommandError
from django.db import connections

from portal.access import Seat, scope_of, seats_of
from portal.scope import Scope


def scope_for(email: str, workspace_ref: str = "") -> Scope:
    """The person's scope now. Raises CommandError for an unknown person, or when the workspace is not theirs or not clear."""
    user_id = _user_id(email)
    seat = _seat(seats_of(user_id), workspace_ref)
    scope = scope_of(user_id, seat.workspace_id)
    if scope is None:
        raise CommandError("The membership ended a moment ago.")
    return scope


def _user_id(email: str) -> int:
    with connections["default"].cursor() as cursor:
        cursor.execute("SELECT footnote.user_by_email(%s)", [email])
        user_id: int | None = cursor.fetchone()[0]
    if user_id is None:
        raise CommandError(f"No active account has the e-mail {email}.")
    return user_id


def _seat(seats: tuple[Seat, ...], ref: str) -> Seat:
    fitting = [seat for seat in seats if ref in ("", seat.workspace_ref, seat.workspace_name)]
    if len(fitting) == 1:
        return fitting[0]
    known = ", ".join(f"{seat.workspace_ref} ({seat.workspace_name})" for seat in seats) or "none"
    raise CommandError(f"Name one workspace with --workspace. This person is an active member of: {known}.")
