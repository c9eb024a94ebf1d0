"""A webhook's secret and the signature under each message, as Standard Webhooks has them (docs/events.md).

The secret is derived from SECRET_KEY and random bytes in the webhook's row and is kept nowhere: who copies the database signs
nothing with it.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
from collections.abc import Sequence
from datetime import datetime

from django.conf import settings

PREFIX = "whsec_"


def secret_of(ref: str, nonce: bytes) -> str:
    """`whsec_` and 32 bytes in base64."""
    return PREFIX + base64.b64encode(_key(ref, nonce)).decode()


def headers_of(message: str, at: datetime, body: bytes, *, ref: str, nonces: Sequence[bytes]) -> dict[str, str]:
    """The three headers; with several nonces, while a secret is replaced, a signature by each."""
    seconds = int(at.timestamp())
    signed = f"{message}.{seconds}.".encode() + body
    signatures = [base64.b64encode(hmac.digest(_key(ref, nonce), signed, "sha256")).decode() for nonce in nonces]
    return {
        "webhook-id": message,
        "webhook-timestamp": str(seconds),
        "webhook-signature": " ".join(f"v1,{signature}" for signature in signatures),
    }


def _key(ref: str, nonce: bytes) -> bytes:
    root = hashlib.sha256(b"footnote webhook secrets\n" + settings.SECRET_KEY.encode()).digest()
    return hmac.digest(root, ref.encode() + b"\n" + bytes(nonce), "sha256")
