"""Tell what a file is from its name and its first bytes, and refuse what the two disagree on."""

from __future__ import annotations

import re

from documents.parsers import kinds
from documents.parsers.kinds import Kind
from documents.parsers.outcome import Refused
from documents.text.normalise import clean, decode, looks_binary

__all__ = ["Refused", "identify"]

_OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_ENCRYPTED_OFFICE = "EncryptedPackage".encode("utf-16-le")
_MAGIC: tuple[tuple[bytes, str], ...] = (
    (b"\x89PNG\r\n", "a PNG picture"),
    (b"\xff\xd8\xff", "a JPEG picture"),
    (b"GIF8", "a GIF picture"),
    (b"II*\x00", "a TIFF picture"),
    (b"MM\x00*", "a TIFF picture"),
    (b"BM6", "a bitmap picture"),
    (b"\x1f\x8b\x08", "a gzip archive"),
    (b"BZh", "a bzip2 archive"),
    (b"7z\xbc\xaf", "a 7z archive"),
    (b"Rar!\x1a", "a RAR archive"),
    (b"\xfd7zXZ\x00", "an xz archive"),
    (b"\x7fELF", "a program"),
    (b"MZ\x90\x00", "a program"),
    (b"SQLite format 3", "an SQLite database"),
    (b"{\\rtf", "a rich-text (RTF) file"),
    (b"%!PS", "a PostScript file"),
    (b"ID3", "an audio file"),
    (b"OggS", "an audio file"),
    (b"wOFF", "a font"),
    (b"wOF2", "a font"),
)
_ZIP = (b"PK\x03\x04", b"PK\x05\x06", b"PK\x07\x08")
_ZIP_CONTENT: tuple[tuple[bytes, str], ...] = (
    (b"word/", "a Word document"),
    (b"xl/", "an Excel workbook"),
    (b"ppt/", "a PowerPoint presentation"),
    (b"application/epub+zip", "an EPUB book"),
    (b"application/vnd.oasis.opendocument", "an OpenDocument file"),
)
_LOOKS_HTML = re.compile(
    rb"^\s*(?:<\?xml[^>]*>\s*)?(?:<!--.*?-->\s*)*<(?:!doctype\s+html|html[\s>])", re.IGNORECASE | re.DOTALL
)
_PDF_WINDOW = 1024


def identify(filename: str, head: bytes) -> Kind | Refused:
    """Return the kind of a file from its name and its first bytes (64 KB are plenty; a short file whole).

    64 KB are plenty; a shorter file is given whole. Refuses with documents.empty, documents.unsupported (an ending we do
    not read), documents.mislabelled (the bytes are not what the ending says) or documents.password (encrypted Office).
    """
    if _is_blank(head):
        return Refused("documents.empty")
    ending = kinds.ending_of(filename)
    kind = kinds.BY_ENDING.get(ending) or _kind_without_ending(filename, ending, head)
    content = _content(head)
    if kind is None:
        return Refused("documents.unsupported", _unsupported(ending, content))
    if kind == kinds.DOCX and head.startswith(_OLE):
        return (
            Refused("documents.password", "It is an encrypted Office file.")
            if _ENCRYPTED_OFFICE in head
            else _mislabelled(kind, "an old Office file (.doc)")
        )
    expected = {kinds.PDF: "a PDF", kinds.DOCX: "a Word document"}.get(kind, "")
    if kind == kinds.DOCX and content == "a zip archive":
        return kind  # the part that tells may stand beyond the head; the reader looks again
    if content != expected:
        return _mislabelled(kind, content or "plain text")
    if kind == kinds.PDF and head.lstrip()[:1] == b"<":
        return _mislabelled(kind, "a web page")
    return kind


def _is_blank(head: bytes) -> bool:
    if len(head.strip(b" \t\r\n\x0b\x0c\x00\xef\xbb\xbf\xff\xfe")) > 64:
        return False
    return not clean(decode(head).text).strip()


def _kind_without_ending(filename: str, ending: str, head: bytes) -> Kind | None:
    if ending:
        return None
    if filename.lower() in kinds.PLAIN_NAMES:
        return kinds.TEXT
    if b"%PDF-" in head[:_PDF_WINDOW]:
        return kinds.PDF
    if _content(head):
        return None
    return kinds.HTML if _LOOKS_HTML.match(head) else kinds.TEXT


def _content(head: bytes) -> str:
    """Name what the bytes are when they are no text; "" for text."""
    for magic, name in _MAGIC:
        if head.startswith(magic) and (name[0:2] != "an" or not head.isascii()):
            return name
    if head.startswith(_OLE):
        return "an old Office file"
    if head.startswith(_ZIP):
        return next((name for mark, name in _ZIP_CONTENT if mark in head), "a zip archive")
    if head[:4] == b"RIFF":
        return "a WebP picture" if head[8:12] == b"WEBP" else "a media file"
    if head[4:8] == b"ftyp":
        return "a video or a photo"
    if b"%PDF-" in head[:_PDF_WINDOW]:
        return "a PDF"
    return "binary data" if looks_binary(head) else ""


def _unsupported(ending: str, content: str) -> str:
    seen = f"A .{ending} file" if ending else (content[:1].upper() + content[1:] if content else "This file")
    return f"{seen} is not read. Supported: {kinds.supported()}."


def _mislabelled(kind: Kind, content: str) -> Refused:
    return Refused("documents.mislabelled", f"Its name says {kinds.NAMES[kind]}, its content is {content}.")
