"""Database sessions that only their cookie reaches: the table keeps a hash, and the row policy asks for what it was made of.

The cookie's SHA-256 is the proof that a statement bears; the table holds the first 160 bits of the proof's own SHA-256.
So reading the table, were it possible, signs nobody in, and no role lists, copies or ends another's session.
"""

from __future__ import annotations

import contextlib
import hashlib
from collections.abc import Iterator
from typing import Any

from django.contrib.sessions.backends import db
from django.db import connections, transaction
from django.utils import timezone

ALIAS = "default"


def proof(cookie: str) -> str:
    return hashlib.sha256(cookie.encode()).hexdigest()


def stored(cookie: str) -> str:
    """What the table keeps of a cookie."""
    return hashlib.sha256(proof(cookie).encode()).hexdigest()[:40]


@contextlib.contextmanager
def bearing(cookie: str) -> Iterator[None]:
    """A transaction, or a savepoint of the open one, that reaches the session of this cookie."""
    with transaction.atomic(using=ALIAS):
        with connections[ALIAS].cursor() as cursor:
            cursor.execute(f"SET LOCAL footnote.session = '{proof(cookie)}'")
        yield


class SessionStore(db.SessionStore):
    _session_key: str | None

    def _get_session_from_db(self) -> Any:
        cookie = self.session_key or ""
        with bearing(cookie):
            row = self.model.objects.filter(session_key=stored(cookie), expire_date__gt=timezone.now()).first()
        if row is None:
            self._session_key = None
        return row

    def exists(self, session_key: str) -> bool:
        with bearing(session_key):
            return super().exists(stored(session_key))

    def create_model_instance(self, data: dict[str, Any]) -> Any:
        row = super().create_model_instance(data)
        row.session_key = stored(row.session_key)
        return row

    def save(self, must_create: bool = False) -> None:
        if self.session_key is None:
            return self.create()
        with bearing(self.session_key):
            return super().save(must_create)

    def delete(self, session_key: str | None = None) -> None:
        cookie = session_key if session_key is not None else self.session_key
        if cookie is not None:
            with bearing(cookie):
                super().delete(stored(cookie))

    @classmethod
    def clear_expired(cls) -> None:
        """Through the owner role: no other sees sessions that it bears no cookie of."""
        cls.get_model_class().objects.using("owner").filter(expire_date__lt=timezone.now()).delete()
