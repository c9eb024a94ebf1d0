"""Making a program's key. Its secret is said once, here; what is kept is a hash of it (portal/access.py reads it back)."""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db import connections
from django.db.models.functions import Now
from django.utils import timezone

from portal.models import ApiKey, AuditEvent, Collection, new_ref
from portal.problems import UserProblem
from portal.scope import Scope, principal

SCOPES = ("read", "ask", "ingest", "admin")
SECRET_BYTES = 32


def make_key(
    scope: Scope,
    name: str,
    *,
    scopes: Sequence[str],
    expires_at: datetime | None = None,
    collection_ids: Sequence[int] | None = None,
) -> tuple[ApiKey, str]:
    """The new key of the scope's person, and `fn_<ref>_<secret>` to hand out.

    `collection_ids` None reaches whatever the person sees. Raises UserProblem portal.key_scopes for an unknown or no scope.
    """
    if not scopes or set(scopes) - set(SCOPES):
        raise UserProblem("portal.key_scopes", f"Known are: {', '.join(SCOPES)}.")
    secret = secrets.token_urlsafe(SECRET_BYTES)
    with principal(scope):
        key: ApiKey = ApiKey.objects.create_for(
            scope,
            name=name[:120],
            secret_sha256=hashlib.sha256(secret.encode()).digest(),
            scopes=sorted(set(scopes), key=SCOPES.index),
            collection_ids=None if collection_ids is None else list(collection_ids),
            expires_at=expires_at,
        )
        _note(scope, "key.made", key.ref)
    return key, f"fn_{key.ref}_{secret}"


@dataclass(frozen=True, slots=True)
class ShownKey:
    """A key without its secret. `collections` None reaches whatever its person sees; (ref, name) of those still visible."""

    ref: str
    name: str
    scopes: tuple[str, ...]
    collections: tuple[tuple[str, str], ...] | None
    created_at: datetime
    expires_at: datetime | None
    last_used_at: datetime | None
    is_replaced: bool
    is_over: bool


def keys_of(scope: Scope) -> tuple[ShownKey, ...]:
    """The person's keys of this workspace, newest first; a key sees itself alone. Two queries."""
    with principal(scope):
        rows = list(ApiKey.objects.visible_to(scope).order_by("-id"))
        known = dict(Collection.objects.visible_to(scope).values_list("pk", "ref"))
        names = dict(Collection.objects.visible_to(scope).values_list("pk", "name"))
    now = timezone.now()
    return tuple(_shown(row, known, names, now) for row in rows)


def _shown(row: ApiKey, refs: dict[int, str], names: dict[int, str], now: datetime) -> ShownKey:
    chosen = row.collection_ids
    return ShownKey(
        ref=row.ref,
        name=row.name,
        scopes=tuple(row.scopes),
        collections=None if chosen is None else tuple((refs[pk], names[pk]) for pk in chosen if pk in refs),
        created_at=row.created_at,
        expires_at=row.expires_at,
        last_used_at=row.last_used_at,
        is_replaced=row.replaced_at is not None,
        is_over=row.revoked_at is not None or (row.expires_at is not None and row.expires_at <= now),
    )


def find_key(scope: Scope, ref: str) -> ShownKey | None:
    return next((key for key in keys_of(scope) if key.ref == ref), None)


def rotate(scope: Scope, ref: str, *, overlap_minutes: int) -> str:
    """`fn_<ref>_<secret>` of an equal key; the old one still works for the overlap (footnote.rotate_key).

    Raises UserProblem portal.not_found for a key that is not the scope's to see, portal.key_over for one that has ended.
    """
    made_ref, secret = new_ref(), secrets.token_urlsafe(SECRET_BYTES)
    with principal(scope):
        if not ApiKey.objects.visible_to(scope).filter(ref=ref).exists():
            raise UserProblem("portal.not_found")
        _note(
            scope, "key.rotated", ref
        )  # first: without an overlap the asking key's own right ends with the next statement
        with connections["default"].cursor() as cursor:
            cursor.execute(
                "SELECT footnote.rotate_key(%s::text, %s::text, %s::bytea, %s::int)",
                [ref, made_ref, hashlib.sha256(secret.encode()).digest(), overlap_minutes],
            )
            if cursor.fetchone()[0] is None:
                raise UserProblem("portal.key_over")
    return f"fn_{made_ref}_{secret}"


def revoke(scope: Scope, ref: str) -> None:
    """From now on it opens nothing. Raises UserProblem portal.not_found."""
    with principal(scope):
        rows = ApiKey.objects.visible_to(scope).filter(ref=ref)
        if not rows.exists():
            raise UserProblem("portal.not_found")
        _note(scope, "key.revoked", ref)
        rows.filter(revoked_at__isnull=True).update(revoked_at=Now())


def _note(scope: Scope, action: str, ref: str) -> None:
    AuditEvent.objects.create_for(scope, user_id=scope.user_id, action=action, object_ref=ref)
