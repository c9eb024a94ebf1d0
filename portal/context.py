"""The signed context: what PostgreSQL's row policies believe about the asker, and why an injector cannot say it too.

`key id|workspace|user|job|api key|db role|backend pid|expiry|HMAC-SHA256`, verified by footnote.ctx() inside the database
(portal/sql/0001_context.sql). Set with SET LOCAL as the first statement of a transaction.
"""

from __future__ import annotations

import hashlib
import hmac
import time
from dataclasses import dataclass

from django.conf import settings

KEY_ID = "1"
LIFETIME_S = 600


@dataclass(frozen=True, slots=True)
class Context:
    """Ids alone; None where there is none. `job` is (job id, attempt)."""

    workspace_id: int | None
    user_id: int | None
    job: tuple[int, int] | None
    api_key_id: int | None


def sign(context: Context, db_role: str, backend_pid: int, *, now: float | None = None) -> str:
    """The token for this role on this backend, valid for LIFETIME_S seconds."""
    expiry = int((time.time() if now is None else now) + LIFETIME_S)
    job = f"{context.job[0]}.{context.job[1]}" if context.job else ""
    pid = backend_pid if settings.CONTEXT_BINDS_PID else 0
    body = "|".join(
        (
            KEY_ID,
            _plain(context.workspace_id),
            _plain(context.user_id),
            job,
            _plain(context.api_key_id),
            db_role,
            str(pid),
            str(expiry),
        )
    )
    mac = hmac.new(bytes.fromhex(settings.CONTEXT_KEY), body.encode(), hashlib.sha256).hexdigest()
    return f"{body}|{mac}"


def _plain(value: int | None) -> str:
    return "" if value is None else str(value)


def pads(key: bytes) -> tuple[bytes, bytes]:
    """(inner, outer) key blocks of HMAC-SHA256 (RFC 2104), so that SQL needs sha256() alone."""
    block = (hashlib.sha256(key).digest() if len(key) > 64 else key).ljust(64, b"\0")
    return bytes(byte ^ 0x36 for byte in block), bytes(byte ^ 0x5C for byte in block)
