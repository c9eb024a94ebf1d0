"""Pictures: their text through OCR."""

from __future__ import annotations

from pathlib import Path

from documents.parsers.outcome import Limits, Refused
from documents.text.section import Parsed


def read(path: Path, *, limits: Limits) -> Parsed | Refused:
    """Read the text in a picture."""
    return Refused("documents.no_text", "It is a picture.")
