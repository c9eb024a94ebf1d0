"""Plain text in any encoding: paragraphs at blank lines."""

from __future__ import annotations

import re
from pathlib import Path

from documents.parsers.builder import Builder
from documents.parsers.outcome import Limits, Refused
from documents.text.normalise import decode, looks_binary
from documents.text.section import Parsed

_PARAGRAPHS = re.compile(r"\n[ \t]*\n\s*")


def read(path: Path, *, limits: Limits) -> Parsed | Refused:
    """Read a text file; its line breaks stay, since nobody knows which of them mean something."""
    data = path.read_bytes()
    if looks_binary(data):
        return Refused("documents.mislabelled", "Its name says plain text, its content is binary data.")
    decoded = decode(data)
    builder = Builder("plain", encoding=decoded.encoding)
    if decoded.lossy:
        builder.warn("undecodable-bytes")
    for paragraph in _PARAGRAPHS.split(decoded.text.replace("\r\n", "\n").replace("\r", "\n").replace("\x0c", "\n\n")):
        builder.prose(paragraph)
    return builder.finish()
