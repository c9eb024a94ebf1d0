"""Name what the first bytes of a file are, for the kinds that begin with a mark of their own."""

from __future__ import annotations

from documents.text.normalise import looks_binary

OLE_FILE = "an old Office file"
ZIP_FILE = "a zip archive"
PDF_WINDOW = 1024
_OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_MAGIC: tuple[tuple[bytes, str], ...] = (
    (b"\x89PNG\r\n", "a PNG picture"),
    (b"\xff\xd8\xff", "a JPEG picture"),
    (b"GIF8", "a GIF picture"),
    (b"II*\x00", "a TIFF picture"),
    (b"MM\x00*", "a TIFF picture"),
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
    (b"ITSF", "compiled help (CHM)"),
    (b"\xe4\x52\x5c\x7b\x8c\xd8\xa7\x4d", "a OneNote section"),
    (b"\x09\x08\x10\x00\x00\x06\x05\x00", "an old Excel sheet"),
    (b"\x09\x04\x06\x00", "an old Excel sheet"),
    (b"\x09\x02\x06\x00", "an old Excel sheet"),
)
_ZIP = (b"PK\x03\x04", b"PK\x05\x06", b"PK\x07\x08")
_ZIP_CONTENT: tuple[tuple[bytes, str], ...] = (
    (b"mimetypeapplication/epub+zip", "an EPUB book"),
    (b"mimetypeapplication/vnd.oasis.opendocument", "an OpenDocument file"),
    (b"word/", "a Word document"),
    (b"xl/", "an Excel workbook"),
    (b"ppt/", "a PowerPoint presentation"),
)
_TAR_MARK = slice(257, 262)


def content_of(head: bytes) -> str:
    """Name what the bytes are when they are no text; "" for text."""
    for magic, name in _MAGIC:
        if head.startswith(magic) and (not name.startswith("an audio") or not head.isascii()):
            return name
    if head.startswith(_OLE):
        return OLE_FILE
    if head.startswith(_ZIP):
        return next((name for mark, name in _ZIP_CONTENT if mark in head), ZIP_FILE)
    return content_of_tail(head) or ("binary data" if looks_binary(head) else "")


def all_contents_of(head: bytes) -> list[str]:
    """Every kind of document whose parts a zip archive names in these bytes."""
    return [name for mark, name in _ZIP_CONTENT if mark in head] if head.startswith(_ZIP) else []


def content_of_tail(head: bytes) -> str:
    """Name what is told by a mark that does not stand first."""
    if head[:4] == b"RIFF":
        return "a WebP picture" if head[8:12] == b"WEBP" else "a media file"
    if head[4:8] == b"ftyp":
        return "a video or a photo"
    if head[:2] == b"BM" and head[6:10] == bytes(4):
        return "a bitmap picture"
    if head[_TAR_MARK] == b"ustar":
        return "a tar archive"
    return "a PDF" if b"%PDF-" in head[:PDF_WINDOW] else ""
