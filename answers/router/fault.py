"""What can go wrong with a model's endpoint, and whether asking it again can help."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Reason = Literal[
    "busy",  # 429, or 503 and the like with a wish to be asked later
    "failed",  # 5xx, or an error inside the stream
    "refused",  # any other 4xx: a wrong key, an unknown model
    "unreachable",  # no connection
    "forbidden",  # an address that no workspace may name
    "silent",  # a wait that took too long
    "cut",  # the stream ended before the answer did
    "garbage",  # not the protocol
    "empty",  # an answer without a word
    "too_large",  # more bytes than any answer has
]
ONCE_MORE: frozenset[Reason] = frozenset({"busy", "failed", "unreachable", "cut", "garbage", "empty"})
LONGEST_WISH_S = 5.0
"""A person waits: an endpoint that wants to be asked later than this is passed over."""


@dataclass(frozen=True, slots=True)
class ModelFault(Exception):
    """A call that came to nothing. Carries no text of the endpoint: it may quote the prompt or the key."""

    reason: Reason
    status: int = 0
    retry_after_s: float | None = None

    def wait_s(self, attempt: int, chance: float) -> float | None:
        """Seconds before attempt + 1, with `chance` in [0, 1) as jitter; None when another attempt is not worth it."""
        if self.reason not in ONCE_MORE:
            return None
        if self.retry_after_s is not None:
            return self.retry_after_s + 0.2 * chance if self.retry_after_s <= LONGEST_WISH_S else None
        return min(0.3 * 2.0 ** (attempt - 1), 2.0) * (0.5 + chance)


def fault_of_status(status: int, retry_after: str) -> ModelFault:
    """Retry-After in seconds is heeded; a date is read as a wish for later than anyone waits."""
    wish = float(retry_after) if retry_after.replace(".", "", 1).isdigit() else (600.0 if retry_after else None)
    if status in {408, 409, 425, 429, 503}:
        return ModelFault("busy", status, wish)
    return ModelFault("failed" if status >= 500 else "refused", status)
