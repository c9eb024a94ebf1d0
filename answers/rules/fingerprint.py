"""The one form of a question that may reach a log: a keyed hash and a length."""

from __future__ import annotations

import hashlib
import hmac
import unicodedata
from typing import Final

MIN_KEY_BYTES: Final = 32


def question_fingerprint(key: bytes, text: str) -> str:
    """HMAC-SHA256 of the normalised text under a workspace's key, as 64 hexadecimal characters.

    Case, white space and compatible spellings (full width, ligatures) do not matter; punctuation and accents do. The
    same question under another key is another hash, so nobody can join workspaces or guess questions without the key.
    Raises ValueError for a key under 32 bytes.
    """
    if len(key) < MIN_KEY_BYTES:
        raise ValueError(f"a fingerprint key holds at least {MIN_KEY_BYTES} bytes, this one {len(key)}")
    return hmac.new(key, normalised(text).encode("utf-8", "surrogatepass"), hashlib.sha256).hexdigest()


def q_len(text: str) -> int:
    """Characters of the normalised question."""
    return len(normalised(text))


def normalised(text: str) -> str:
    """NFKC, case folded, white space collapsed. Idempotent."""
    folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())
    return " ".join(folded.split())
