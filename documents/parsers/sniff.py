"""Tell what a file is from its name and its first bytes, and refuse what the two disagree on."""

from __future__ import annotations

import re

from documents.parsers import kinds
from documents.parsers.kinds import Kind
from documents.parsers.magic import OLE_FILE, PDF_WINDOW, ZIP_FILE, all_contents_of, content_of, content_of_tail
from documents.parsers.outcome import Refused
from documents.text.normalise import clean, decode

__all__ = ["Refused", "identify"]

_ENCRYPTED_OFFICE = "EncryptedPackage".encode("utf-16-le")
_LOOKS_HTML = re.compile(
    rb"^\s*(?:<\?xml[^>]*>\s*)?(?:<!--.*?-->\s*)*<(?:!doctype\s+html|html[\s>])", re.IGNORECASE | re.DOTALL
)
# What the bytes of each kind that is not written as text must be; any one of them.
_EXPECTED: dict[Kind, tuple[str, ...]] = {
    kinds.PDF: ("a PDF",),
    kinds.DOCX: ("a Word document",),
    kinds.XLSX: ("an Excel workbook",),
    kinds.XLSB: ("an Excel workbook",),
    kinds.PPTX: ("a PowerPoint presentation",),
    kinds.ODT: ("an OpenDocument file",),
    kinds.ODS: ("an OpenDocument file",),
    kinds.ODP: ("an OpenDocument file",),
    kinds.EPUB: ("an EPUB book",),
    kinds.RTF: ("a rich-text (RTF) file",),
    kinds.MSG: (OLE_FILE,),
    kinds.DOC: (OLE_FILE,),
    kinds.PPT: (OLE_FILE,),
    kinds.XLS: (OLE_FILE, "an old Excel sheet"),
    kinds.PICTURE: (
        "a PNG picture",
        "a JPEG picture",
        "a GIF picture",
        "a TIFF picture",
        "a WebP picture",
        "a bitmap picture",
    ),
}
_OFFICE = frozenset((kinds.DOCX, kinds.XLSX, kinds.PPTX, kinds.XLSB))
_ZIPPED = frozenset((*_OFFICE, kinds.ODT, kinds.ODS, kinds.ODP, kinds.EPUB))
_BY_CONTENT = {
    "a PDF": kinds.PDF,
    "a Word document": kinds.DOCX,
    "an Excel workbook": kinds.XLSX,
    "a PowerPoint presentation": kinds.PPTX,
    "an EPUB book": kinds.EPUB,
    "a rich-text (RTF) file": kinds.RTF,
    **dict.fromkeys(_EXPECTED[kinds.PICTURE], kinds.PICTURE),
}


def identify(filename: str, head: bytes) -> Kind | Refused:
    """Return the kind of a file from its name and its first bytes.

    64 KB are plenty; a shorter file is given whole. Refuses with documents.empty, documents.unsupported (an ending we do
    not read), documents.mislabelled (the bytes are not what the ending says) or documents.password (encrypted Office).
    """
    if _is_blank(head):
        return Refused("documents.empty")
    ending = kinds.ending_of(filename)
    content = content_of(head)
    kind = kinds.BY_ENDING.get(ending) or _kind_without_ending(filename, ending, head, content)
    if kind is None:
        return Refused("documents.unsupported", _unsupported(ending, content))
    if kind in _OFFICE and content == OLE_FILE:
        return (
            Refused("documents.password", "It is an encrypted Office file.")
            if _ENCRYPTED_OFFICE in head
            else _mislabelled(kind, content)
        )
    if kind in _ZIPPED and content == ZIP_FILE:
        return kind  # the part that tells may stand beyond the head; the reader looks again
    if kind in _ZIPPED and any(name in all_contents_of(head) for name in _EXPECTED[kind]):
        return kind  # one Office file may hold another
    if content not in _EXPECTED.get(kind, ("",)):
        return _disagreement(kind, head, content)
    if kind == kinds.PDF and head.lstrip()[:1] == b"<":
        return _mislabelled(kind, "a web page")
    return kind


def _is_blank(head: bytes) -> bool:
    if len(head.strip(b" \t\r\n\x0b\x0c\x00\xef\xbb\xbf\xff\xfe")) > 64:
        return False
    return not clean(decode(head).text).strip()


def _kind_without_ending(filename: str, ending: str, head: bytes, content: str) -> Kind | None:
    name = filename.lower()
    if name in kinds.CODE_NAMES and not content:
        return kinds.CODE
    if ending:
        return None
    if name in kinds.PLAIN_NAMES:
        return kinds.TEXT
    if b"%PDF-" in head[:PDF_WINDOW]:
        return kinds.PDF
    if content:
        return _BY_CONTENT.get(content)
    return kinds.HTML if _LOOKS_HTML.match(head) else kinds.TEXT


def _disagreement(kind: Kind, head: bytes, content: str) -> Kind | Refused:
    """Some programs write another kind under the old ending; where its reader tells them apart it may."""
    if kind == kinds.XLS and not content:
        return _mislabelled(kind, "a web page" if _LOOKS_HTML.match(head) else "plain text")
    if kind == kinds.RTF and head.lstrip()[:5] == b"{\\rtf":
        return kind
    return _mislabelled(kind, content or content_of_tail(head) or "plain text")


def _unsupported(ending: str, content: str) -> str:
    seen = f"A .{ending} file" if ending else (content[:1].upper() + content[1:] if content else "This file")
    way_out = kinds.REFUSED_ENDINGS.get(ending, "")
    return f"{seen} is not read. {way_out or f'Supported: {kinds.supported()}.'}"


def _mislabelled(kind: Kind, content: str) -> Refused:
    return Refused("documents.mislabelled", f"Its name says {kinds.NAMES[kind]}, its content is {content}.")
