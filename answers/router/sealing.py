"""Providers' keys at rest: sealed with a key derived from SECRET_KEY, opened only to be sent to their endpoint."""

from __future__ import annotations

import base64
import hashlib
from typing import TYPE_CHECKING

from django.conf import settings

if TYPE_CHECKING:
    from cryptography.fernet import Fernet


def seal(key: str) -> bytes:
    """b"" for no key."""
    return _fernet().encrypt(key.encode()) if key else b""


def unseal(sealed: bytes) -> str:
    """The key; "" where there is none, or where SECRET_KEY has changed since: it must then be entered again."""
    from cryptography.fernet import InvalidToken

    try:
        return _fernet().decrypt(bytes(sealed)).decode() if sealed else ""
    except InvalidToken:
        return ""


def _fernet() -> Fernet:
    from cryptography.fernet import Fernet  # 8 MB, where a workspace has a key of its own

    derived = hashlib.scrypt(settings.SECRET_KEY.encode(), salt=b"footnote.provider_key", n=2**10, r=8, p=1, dklen=32)
    return Fernet(base64.urlsafe_b64encode(derived))
