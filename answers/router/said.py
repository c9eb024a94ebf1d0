"""What goes into a call of a model and how it ends; without the SDK, which only a process that calls one loads."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypedDict


class Message(TypedDict):
    role: str
    content: str


@dataclass(frozen=True, slots=True)
class End:
    """The last item of a call. Tokens are the endpoint's own count, or None where it gave none."""

    is_capped: bool
    tokens_in: int | None = None
    tokens_out: int | None = None


class Stopped(Exception):
    """Somebody ended the call; what was written before it is the caller's."""
