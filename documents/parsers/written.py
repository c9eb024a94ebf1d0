"""Read a file that is written as text: its bytes, and their encoding, the same way for every kind."""

from __future__ import annotations

from pathlib import Path

from documents.parsers.builder import Builder, without_zeros
from documents.parsers.outcome import Limits, Refused
from documents.text.normalise import decode, looks_binary


def opened(path: Path, name: str, parser: str, *, limits: Limits) -> tuple[Builder, str] | Refused:
    """Return a builder for the file and its text with LF line ends; refuses binary data and more text than the limit."""
    data = path.read_bytes()
    if looks_binary(data):
        return Refused("documents.mislabelled", f"Its name says {name}, its content is binary data.")
    decoded = decode(data)
    if len(decoded.text) > 2 * limits.text_characters:
        return Refused("documents.too_much_text", f"The limit is {limits.text_characters:,} characters.")
    builder = Builder(parser, encoding=decoded.encoding)
    if decoded.lossy:
        builder.warn("undecodable-bytes")
    text = without_zeros(builder, decoded.text.removeprefix("\ufeff"))
    return builder, text.replace("\r\n", "\n").replace("\r", "\n") if "\r" in text else text
