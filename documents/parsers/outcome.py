"""What reading a file may come to, besides its text, and the limits it is read under."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Refused:
    """The file cannot be read, and its owner can do something about it. `code` names the words for people."""

    code: str
    detail: str = ""


@dataclass(frozen=True, slots=True)
class Limits:
    """How much one file may cost. Wall-clock seconds are the parent's; the child holds itself to the rest.

    A file with pages to read by OCR has `ocr_seconds` more.
    """

    wall_seconds: float = 30.0
    cpu_seconds: int = 60
    memory_bytes: int = 384 * 1024 * 1024
    output_bytes: int = 192 * 1024 * 1024
    text_characters: int = 20_000_000
    pages: int = 5_000
    pieces: int = 100_000
    ocr_pages: int = 100
    ocr_seconds: float = 240.0
    archive_bytes: int = 256 * 1024 * 1024
    archive_ratio: int = 200
    archive_members: int = 10_000
