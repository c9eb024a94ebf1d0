"""Making a program's key. Its secret is said once, here; what is kept is a hash of it (portal/access.py reads it back)."""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Sequence
from datetime import datetime

from portal.models import ApiKey
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
    return key, f"fn_{key.ref}_{secret}"
