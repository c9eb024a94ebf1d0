"""A credential becomes a scope here and nowhere else: a signed-in person, or a program's key."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import Any

from django.db import connections
from django.http import HttpRequest
from rest_framework.authentication import BaseAuthentication, get_authorization_header
from rest_framework.exceptions import AuthenticationFailed

from portal.models import Membership
from portal.scope import Scope, UserOnly, principal

SESSION_WORKSPACE = "workspace_id"
USED = (
    "WITH used AS (UPDATE portal_apikey SET last_used_at = now()"
    " WHERE id = %s AND (last_used_at IS NULL OR last_used_at < now() - interval '1 minute'))"
    " SELECT scopes, footnote.ctx_role(), footnote.ctx_collections(), footnote.ctx_writable()"
    " FROM portal_apikey WHERE id = %s"
)
"""When a key was used is kept to the minute: a write with each request would make those of one key wait for each other."""


@dataclass(frozen=True, slots=True)
class Seat:
    """One of a person's workspaces."""

    workspace_id: int
    workspace_ref: str
    workspace_name: str
    role: str


def seats_of(user_id: int) -> tuple[Seat, ...]:
    """The workspaces where the person is an active member, oldest membership first."""
    who = UserOnly(user_id)
    with principal(who):
        rows = (
            Membership.objects.filter(user_id=user_id, state=Membership.State.ACTIVE)
            .select_related("workspace")
            .order_by("id")
        )
        return tuple(Seat(row.workspace_id, row.workspace.ref, row.workspace.name, row.role) for row in rows)


def scope_of(
    user_id: int, workspace_id: int, *, api_key_id: int | None = None, key_scopes: tuple[str, ...] = ()
) -> Scope | None:
    """What the database says this person (through this key) may see in the workspace now; None when nothing."""
    bare = Scope(workspace_id, user_id, api_key_id=api_key_id, key_scopes=key_scopes)
    with principal(bare), connections["default"].cursor() as cursor:
        cursor.execute("SELECT footnote.ctx_role(), footnote.ctx_collections(), footnote.ctx_writable()")
        role, visible, writable = cursor.fetchone()
    if role is None:
        return None
    return Scope(workspace_id, user_id, role, tuple(visible), tuple(writable), api_key_id, key_scopes)


def scope_of_session(request: HttpRequest) -> Scope | None:
    """The signed-in person's scope in the workspace the session chose, or in their first. None without either."""
    user_id = request.user.pk
    if user_id is None:
        return None
    chosen = request.session.get(SESSION_WORKSPACE)
    if chosen is not None and (scope := scope_of(user_id, int(chosen))):
        return scope
    seats = seats_of(user_id)
    if not seats:
        return None
    request.session[SESSION_WORKSPACE] = seats[0].workspace_id
    return scope_of(user_id, seats[0].workspace_id)


@dataclass(frozen=True, slots=True)
class Program:
    """Who a key speaks for; stands in for request.user on API routes."""

    scope: Scope
    is_authenticated: bool = True

    @property
    def pk(self) -> int | None:
        return self.scope.user_id


def scope_of_key(presented: str) -> Scope | None:
    """The scope of `fn_<ref>_<secret>`; None for a key that is malformed, unknown, revoked, expired or of a suspended member."""
    prefix, _, rest = presented.partition("_")
    ref, _, secret = rest.partition("_")
    if prefix != "fn" or not ref or not secret or len(presented) > 200:
        return None
    secret_hash = hashlib.sha256(secret.encode()).digest()
    with connections["default"].cursor() as cursor:
        cursor.execute(
            "SELECT api_key_id, workspace_id, user_id FROM footnote.api_key_owner(%s, %s)", [ref, secret_hash]
        )
        api_key_id, workspace_id, user_id = cursor.fetchone()
    if api_key_id is None:
        return None
    with (
        principal(Scope(workspace_id, user_id, api_key_id=api_key_id)),
        connections["default"].cursor() as cursor,
    ):
        cursor.execute(USED, [api_key_id, api_key_id])
        row = cursor.fetchone()
    if row is None or row[1] is None:
        return None
    key_scopes, role, visible, writable = row
    return Scope(workspace_id, user_id, role, tuple(visible), tuple(writable), api_key_id, tuple(key_scopes))


class KeyAuthentication(BaseAuthentication):
    """`Authorization: Bearer fn_…`. A session never authenticates a program's route, nor a key a page."""

    def authenticate(self, request: Any) -> tuple[Program, None] | None:
        words = get_authorization_header(request).split()
        if not words:
            return None
        if len(words) != 2 or words[0].lower() != b"bearer":
            raise AuthenticationFailed("Send the key as: Authorization: Bearer fn_…")
        scope = scope_of_key(words[1].decode("ascii", "replace"))
        if scope is None:
            raise AuthenticationFailed("This key is unknown, revoked or expired.")
        return Program(scope), None

    def authenticate_header(self, request: Any) -> str:
        return "Bearer"
