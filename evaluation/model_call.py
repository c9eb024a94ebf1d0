"""A model asked for a few words in an evaluation: prompted from a file, the strangers' text fenced, paid for by who asks."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from answers.prompt import fresh_nonce
from answers.router.route import NoModel, Reply, Router, Void, has_model
from answers.router.said import Message
from portal.model_env import ModelEndpoint
from portal.scope import Scope

PROMPTS = Path(__file__).with_name("prompts")
LONGEST = 12_000

__all__ = ("Prompt", "Said", "ask", "has_model", "read")


@dataclass(frozen=True, slots=True)
class Prompt:
    """What a model is told; {nonce} in it becomes the mark of the fence. `version` names its text."""

    text: str

    @property
    def version(self) -> str:
        return hashlib.sha256(self.text.encode()).hexdigest()[:16]


@dataclass(frozen=True, slots=True)
class Said:
    """What a model wrote, which one, and what it cost."""

    text: str
    model: str
    cost_usd: float


def read(name: str, path: str = "") -> Prompt:
    """The prompt of this name, or of the operator's file. Raises OSError."""
    return Prompt((Path(path) if path else PROMPTS / f"{name}.txt").read_text(encoding="utf-8").strip())


def ask(scope: Scope, prompt: Prompt, parts: Sequence[tuple[str, str]]) -> Said | None:
    """One reply to the named parts, or None where no model wrote. No transaction may be open."""
    mark = fresh_nonce()
    shown = "\n".join(f"<{name} {mark}>\n{text[:LONGEST]}\n</{name} {mark}>" for name, text in parts)
    messages: list[Message] = [
        {"role": "system", "content": prompt.text.replace("{nonce}", mark)},
        {"role": "user", "content": shown},
    ]

    def told(endpoint: ModelEndpoint) -> Sequence[Message]:
        return messages

    pieces: list[str] = []
    try:
        for item in Router(scope).write(told):
            if isinstance(item, Reply):
                return Said("".join(pieces).strip(), item.endpoint.model, item.cost_usd)
            if isinstance(item, Void):
                pieces.clear()
            else:
                pieces.append(item)
    except NoModel:
        return None
    return None
