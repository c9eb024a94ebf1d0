"""Read a snippet of HTML inside another format: its words, with nothing hidden and nothing run."""

from __future__ import annotations

import html
import re
from dataclasses import dataclass

_DROPPED = re.compile(
    r"<!--.*?(?:-->|\Z)|<(script|style|template|noscript|iframe|object|svg|math)\b[^<>]*>.*?(?:</\1\s*>|\Z)",
    re.IGNORECASE | re.DOTALL,
)
_HIDDEN = re.compile(
    r"<(\w+)\b[^<>]*(?:\bhidden\b|display\s*:\s*none|visibility\s*:\s*hidden)[^<>]*>.*?(?:</\1\s*>|\Z)",
    re.IGNORECASE | re.DOTALL,
)
_BREAK = re.compile(r"<(?:br|/p|/div|/li|/tr|/h[1-6]|/summary|/dt|/dd)\b[^<>]*>", re.IGNORECASE)
_TAG = re.compile(r"<[/!?a-zA-Z][^<>]*>")
_ALT = re.compile(r"<img\b[^<>]*?\balt\s*=\s*(?:\"([^\"]*)\"|'([^']*)')[^>]*>", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Snippet:
    """The visible words, a line each block, and how many characters were hidden."""

    text: str
    hidden: int


def plain_text(source: str) -> Snippet:
    """Return the visible words of a snippet; comments, scripts and styles go, hidden elements go and are counted."""
    kept = _DROPPED.sub(" ", source)
    visible, hidden = kept, 0
    if "hidden" in kept or "none" in kept:
        visible = _HIDDEN.sub(" ", kept)
        hidden = len(_words(kept)) - len(_words(visible))
    return Snippet(_words(visible), max(0, hidden))


def _words(source: str) -> str:
    source = _ALT.sub(lambda found: f" {found.group(1) or found.group(2) or ''} ", source)
    text = html.unescape(_TAG.sub("", _BREAK.sub("\n", source)))
    lines = (" ".join(line.split()) for line in text.split("\n"))
    return "\n".join(line for line in lines if line)
