"""Invitations: an owner makes one, its bearer joins once. The code is said once; what is kept is a hash of it."""

from __future__ import annotations

import hashlib
import secrets
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.contrib.auth.hashers import make_password
from django.db import DatabaseError, connections
from django.utils import timezone
from django.views.decorators.debug import sensitive_variables

from portal.models import AuditEvent, Invitation, Membership, new_ref
from portal.problems import UserProblem
from portal.scope import Scope, UserOnly, principal

PREFIX = "fni_"
LASTS = timedelta(days=7)


@dataclass(frozen=True, slots=True)
class Offer:
    """What the bearer of a code may know before joining."""

    workspace_name: str
    role: str


@dataclass(frozen=True, slots=True)
class Open:
    """An invitation that nobody has used yet."""

    ref: str
    role: str
    note: str
    invited_by: str
    expires_at: datetime
    is_over: bool


@sensitive_variables("code")
def invite(scope: Scope, *, role: str, note: str) -> str:
    """The code to hand on. Raises UserProblem portal.owner_only for all but owners, portal.invalid for an unknown role."""
    if not scope.can_manage:
        raise UserProblem("portal.owner_only")
    if role not in Membership.Role.values:
        raise UserProblem("portal.invalid")
    code = PREFIX + secrets.token_urlsafe(24)
    with principal(scope):
        made = Invitation.objects.create_for(
            scope,
            secret_sha256=_hashed(code),
            role=role,
            note=note[:120],
            invited_by_id=scope.user_id,
            expires_at=timezone.now() + LASTS,
        )
        _note(scope, "member.invited", made.ref, role=role)
    return code


def open_invitations(scope: Scope) -> tuple[Open, ...]:
    """Newest first; nothing for who is no owner. Needs an open principal."""
    now = timezone.now()
    rows = Invitation.objects.visible_to(scope).select_related("invited_by").defer("invited_by__password")
    return tuple(
        Open(row.ref, row.role, row.note, row.invited_by.get_full_name(), row.expires_at, row.expires_at <= now)
        for row in rows.order_by("-id")
    )


def withdraw(scope: Scope, ref: str) -> None:
    """From now on it lets nobody in. Raises UserProblem portal.not_found."""
    with principal(scope):
        count, _ = Invitation.objects.visible_to(scope).filter(ref=ref).delete()
        if not count:
            raise UserProblem("portal.not_found")
        _note(scope, "member.uninvited", ref)


@sensitive_variables("code")
def offer(code: str) -> Offer | None:
    """Where the code leads; None when it is unknown, used, withdrawn, over, or of an owner who is one no more."""
    name, role = _one("SELECT workspace_name, member_role FROM footnote.invitation(%s)", _hashed(code))
    return Offer(str(name), str(role)) if role else None


@sensitive_variables("code")
def accept(user_id: int, code: str) -> int:
    """Make the signed-in person a member; the workspace's id. Raises UserProblem portal.invitation_over."""
    with principal(UserOnly(user_id)):
        (workspace_id,) = _one("SELECT footnote.accept_invitation(%s, %s)", _hashed(code), new_ref())
    if workspace_id is None:
        raise UserProblem("portal.invitation_over")
    return int(str(workspace_id))


@sensitive_variables("code", "password")
def join_as(code: str, *, email: str, name: str, password: str) -> int:
    """A new account that is a member; its id. The password has been looked at before (django.contrib.auth.password_validation).

    Raises UserProblem portal.invitation_over, or portal.account_exists for an address that has an account.
    """
    try:
        (user_id,) = _one(
            "SELECT footnote.join_as(%s, %s, %s, %s, %s)",
            _hashed(code),
            email,
            name[:120],
            make_password(password),
            new_ref(),
        )
    except DatabaseError as error:
        if getattr(error.__cause__, "sqlstate", "") not in ("P0002", "23505", "02000"):
            raise
        raise UserProblem("portal.invitation_over") from None
    if user_id is None:
        raise UserProblem("portal.invitation_over")
    if user_id == 0:
        raise UserProblem("portal.account_exists")
    return int(str(user_id))


def _hashed(code: str) -> bytes:
    return hashlib.sha256(code.strip().encode()).digest()


def _one(sql: str, *values: str | bytes) -> tuple[object, ...]:
    with connections["default"].cursor() as cursor:
        cursor.execute(sql, list(values))
        row: tuple[object, ...] = cursor.fetchone()
        return row


def _note(scope: Scope, action: str, ref: str, **detail: str) -> None:
    AuditEvent.objects.create_for(scope, user_id=scope.user_id, action=action, object_ref=ref, detail=detail)
