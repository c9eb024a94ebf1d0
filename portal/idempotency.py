"""`Idempotency-Key`: a POST that is sent again does nothing again, and hears what became of the first (docs/api.md).

What is kept is a hash of the request and the outcome in refs, numbers and codes: the answer to a repeat is made from what is
there then, so that a deleted text does not live on here.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any, Protocol

from django.core.files.uploadedfile import UploadedFile
from django.db import connections
from django.db.models.functions import Now
from django.utils import timezone

from portal.models import IdempotencyKey
from portal.problems import UserProblem
from portal.scope import Scope, principal

HEADER = "Idempotency-Key"
LONGEST = 255
KEPT_FOR = timedelta(hours=24)
LOST_AFTER = timedelta(minutes=2)
"""A claim without an outcome for so long was lost with its process: the next request takes it over."""


class Repeatable(Protocol):
    """What is read of a request: REST's own, or another that says the same."""

    @property
    def method(self) -> str | None: ...
    @property
    def headers(self) -> Mapping[str, str]: ...
    @property
    def data(self) -> Any: ...
    def get_full_path(self) -> str: ...


@dataclass(frozen=True, slots=True)
class Claim:
    """This request is the first of its key."""

    row_id: int


@dataclass(frozen=True, slots=True)
class Kept:
    """What became of the first one."""

    status: int
    location: str
    body: Mapping[str, Any] = field(default_factory=dict)


class Replay(Exception):
    """The request was answered before."""

    def __init__(self, kept: Kept) -> None:
        super().__init__("answered before")
        self.kept = kept


def begin(scope: Scope, request: Repeatable) -> Claim | None:
    """Claim the request's key; None when it carries none.

    Raises Replay when it was answered, UserProblem portal.key_in_use while the first is still worked on, and
    portal.key_reused when the key came with another request.
    """
    presented = request.headers.get(HEADER)
    if presented is None:
        return None
    if not 0 < len(presented) <= LONGEST:
        raise UserProblem("portal.key_malformed")
    key = hashlib.sha256(presented.encode()).digest()
    asked = fingerprint(request)
    with principal(scope):
        _forget_old(scope)
        claimed = _insert(scope, key, asked)
        if claimed is not None:
            return Claim(claimed)
        row: IdempotencyKey = IdempotencyKey.objects.visible_to(scope).select_for_update().get(key_sha256=key)
        if bytes(row.request_sha256) != asked:
            raise UserProblem("portal.key_reused")
        if row.status is not None:
            raise Replay(Kept(row.status, row.location, row.body))
        if row.created_at > timezone.now() - LOST_AFTER:
            raise UserProblem("portal.key_in_use")
        IdempotencyKey.objects.visible_to(scope).filter(pk=row.pk).update(created_at=Now())
        return Claim(row.pk)


def settle(scope: Scope, claim: Claim, kept: Kept) -> None:
    """Keep what became of it. A failure is not kept: the same key may try again."""
    with principal(scope):
        rows = IdempotencyKey.objects.visible_to(scope).filter(pk=claim.row_id)
        if kept.status >= 400:
            rows.delete()
        else:
            rows.update(status=kept.status, location=kept.location[:300], body=dict(kept.body))


def fingerprint(request: Repeatable) -> bytes:
    """SHA-256 over method, path and what was sent; of files their bytes, not their spelling on the wire."""
    found = hashlib.sha256(f"{request.method} {request.get_full_path()}\n".encode())
    data: Any = request.data
    if not hasattr(data, "lists"):
        found.update(json.dumps(data, sort_keys=True, default=str).encode())
        return found.digest()
    for name, values in sorted(data.lists()):
        for value in values:
            found.update(f"\n{name}=".encode())
            _add(found, value)
    return found.digest()


def _add(found: Any, value: Any) -> None:
    if not isinstance(value, UploadedFile):
        found.update(str(value).encode("utf-8", "replace"))
        return
    found.update(f"{value.name}:{value.size}:".encode("utf-8", "replace"))
    value.seek(0)
    for piece in value.chunks():
        found.update(piece)
    value.seek(0)


def _insert(scope: Scope, key: bytes, asked: bytes) -> int | None:
    """The new row's id, or None when the key is there already (the unique constraint idempotency_key_once decides)."""
    with connections["default"].cursor() as cursor:
        cursor.execute(
            "INSERT INTO portal_idempotencykey (workspace_id, user_id, api_key_id, key_sha256, request_sha256, location,"
            " body, created_at) VALUES (%s, %s, %s, %s::bytea, %s::bytea, '', '{}', now())"
            " ON CONFLICT DO NOTHING RETURNING id",
            [scope.workspace_id, scope.user_id, scope.api_key_id, key, asked],
        )
        row = cursor.fetchone()
    return None if row is None else int(row[0])


def _forget_old(scope: Scope) -> None:
    IdempotencyKey.objects.visible_to(scope).filter(
        api_key_id=scope.api_key_id, created_at__lt=timezone.now() - KEPT_FOR
    ).delete()
