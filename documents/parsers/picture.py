"""Pictures: their text through OCR, a page for each picture in the file."""

from __future__ import annotations

from pathlib import Path

from documents.parsers import ocr
from documents.parsers.builder import Builder
from documents.parsers.outcome import Limits, Refused
from documents.text.section import Parsed

_MOST_BYTES = 64_000_000


def read(path: Path, *, limits: Limits) -> Parsed | Refused:
    """Read the text in a picture; refused as documents.no_text where OCR is not installed."""
    reader = ocr.here()
    if reader is None:
        return Refused("documents.no_text", "It is a picture, and OCR is not installed.")
    if path.stat().st_size > _MOST_BYTES:
        return Refused("documents.too_large", f"The limit for a picture is {_MOST_BYTES // 1_000_000} MB.")
    text = reader.text(path.read_bytes())
    if text is None:
        return Refused("documents.broken", "It does not open as a picture, or is too large.")
    builder = Builder("tesseract")
    pages = text.rstrip("\x0c\n").split("\x0c")
    builder.pages = len(pages)
    for number, page in enumerate(pages, 1):
        if not ocr.add_page(builder, number, page):
            builder.pages_without_text.append(number)
    return builder.finish()
