"""Small sound files of many kinds, to be cut and bent, and what builds them."""

from __future__ import annotations

import io
import zipfile
import zlib
from collections.abc import Mapping

W = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
_WORDS = "The pump must be checked twice a year, and the seal every month. "
_TEXT = (_WORDS * 60).encode()


def zipped(parts: Mapping[str, bytes], *, level: int = 6) -> bytes:
    """A zip archive of these parts."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED, compresslevel=level) as target:
        for name, content in parts.items():
            target.writestr(name, content)
    return out.getvalue()


def pdf_of(objects: Mapping[int, bytes]) -> bytes:
    """A PDF of these objects."""
    out = io.BytesIO()
    out.write(b"%PDF-1.4\n")
    places = {}
    for number, one in objects.items():
        places[number] = out.tell()
        out.write(b"%d 0 obj\n" % number + one + b"\nendobj\n")
    start = out.tell()
    size = max(objects) + 1
    out.write(b"xref\n0 %d\n0000000000 65535 f \n" % size)
    out.write(b"".join(b"%010d 00000 n \n" % places.get(number, 0) for number in range(1, size)))
    out.write(b"trailer << /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF" % (size, start))
    return out.getvalue()


def chunk_of_png(kind: bytes, data: bytes) -> bytes:
    return len(data).to_bytes(4, "big") + kind + data + zlib.crc32(kind + data).to_bytes(4, "big")


def ole_header() -> bytes:
    """The beginning of an old Office file."""
    return b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(16) + b"\x3e\x00\x03\x00\xfe\xff\x09\x00" + bytes(480)


def _docx() -> bytes:
    body = f"<w:p><w:r><w:t>{_WORDS}</w:t></w:r></w:p>" * 40
    return zipped({"word/document.xml": f'<w:document xmlns:w="{W}"><w:body>{body}</w:body></w:document>'.encode()})


def _odt() -> bytes:
    office, text = (f"urn:oasis:names:tc:opendocument:xmlns:{name}:1.0" for name in ("office", "text"))
    body = f"<t:p>{_WORDS}</t:p>" * 40
    names = f'xmlns:o="{office}" xmlns:t="{text}"'
    content = f"<o:document-content {names}><o:body><o:text>{body}</o:text></o:body></o:document-content>"
    return zipped({"mimetype": b"application/vnd.oasis.opendocument.text", "content.xml": content.encode()})


def _pdf() -> bytes:
    lines = f"BT /F1 12 Tf 40 700 Td ({_WORDS}) Tj ET".encode()
    stream = b"<< /Length %d >>\nstream\n" % len(lines) + lines + b"\nendstream"
    font = b"<< /Font << /F1 << /Type /Font /Subtype /Type1 /BaseFont /Helvetica >> >> >>"
    page = b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] /Contents 4 0 R /Resources " + font + b" >>"
    kids = b"<< /Type /Pages /Count 1 /Kids [3 0 R] >>"
    return pdf_of({1: b"<< /Type /Catalog /Pages 2 0 R >>", 2: kids, 3: page, 4: stream})


SEEDS: Mapping[str, bytes] = {
    "docx": _docx(),
    "odt": _odt(),
    "pdf": _pdf(),
    "html": b"<html><body><h1>Pump</h1><p>" + _TEXT + b"</p></body></html>",
    "json": b'[{"name": "pump", "text": "' + _TEXT + b'"}, {"name": "seal", "on": true}]',
    "xml": b"<doc><title>Pump</title><p>" + _TEXT + b"</p></doc>",
    "csv": b"name,text\n" + b'"pump","' + _TEXT[:200] + b'"\n' * 20,
    "rtf": b"{\\rtf1\\ansi " + _TEXT + b"\\par}",
    "eml": b"From: a@b.c\nSubject: Pump\nContent-Type: text/plain; charset=utf-8\n\n" + _TEXT,
    "ipynb": b'{"cells": [{"cell_type": "markdown", "source": ["' + _TEXT + b'"]}], "metadata": {}}',
}
