"""A piece is a chunk before it is stored: exact offsets into the canonical text, and what search should know."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Splitter = Literal["structure", "window", "whole"]


@dataclass(frozen=True, slots=True)
class ChunkProfile:
    """How a collection cuts its documents. Sizes are tokens of the embedding model, title and headings included."""

    splitter: Splitter = "structure"
    max_tokens: int = 250
    overlap_tokens: int = 30


@dataclass(frozen=True, slots=True)
class Piece:
    """`text == canonical[start:end]`, always. `prefix` (a repeated table header) is searched and shown.

    `entry` is the number of the one entry that it is from, from 1, or 0: no piece holds words of two.
    """

    ordinal: int
    start: int
    end: int
    text: str
    heading_path: tuple[str, ...] = ()
    page: int | None = None
    kind: str = "prose"
    prefix: str = ""
    entry: int = 0

    def searchable_text(self, title: str) -> str:
        """Title, heading path and prefix before the text, one to a line: what is embedded and analysed."""
        lead = " › ".join(part for part in (title, *self.heading_path) if part)
        return "\n".join(part for part in (lead, self.prefix, self.text) if part)
