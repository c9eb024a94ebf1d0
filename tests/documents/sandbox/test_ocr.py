"""Pages that are pictures, through a real tesseract where there is one."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Sequence
from pathlib import Path

import pypdfium2 as pdfium
import pytest

from documents import ocr
from documents.sandbox import Limits, Outcome, Prepared, Refused, prepare
from documents.text.piece import ChunkProfile

Read = Callable[[str, bytes], Outcome]
needs_tesseract = pytest.mark.skipif(ocr.installed() is None, reason="tesseract is not installed")


@pytest.fixture
def read(tmp_path: Path) -> Read:
    def run(kind: str, data: bytes) -> Outcome:
        file = tmp_path / "blob"
        file.write_bytes(data)
        return prepare(file, filename=f"a.{kind}", kind=kind, profile=ChunkProfile(), limits=Limits(wall_seconds=60))

    return run


def text_pdf(*pages: str) -> bytes:
    """A PDF whose pages hold a line of text; "" for an empty page."""
    streams = [f"BT /F1 24 Tf 40 100 Td ({page}) Tj ET".encode() if page else b"" for page in pages]
    return assembled(
        [(stream, b"/Font << /F1 << /Type /Font /Subtype /Type1 /BaseFont /Helvetica >> >>", b"") for stream in streams]
    )


def scanned(*pages: str) -> bytes:
    """The same, as pictures of the pages."""
    made = []
    document = pdfium.PdfDocument(text_pdf(*pages))
    for page in document:
        drawn = page.render(scale=3, grayscale=True)
        grey = b"".join(bytes(drawn.buffer)[at * drawn.stride :][: drawn.width] for at in range(drawn.height))
        picture = (
            f"/Type /XObject /Subtype /Image /Width {drawn.width} /Height {drawn.height} /ColorSpace /DeviceGray "
            "/BitsPerComponent 8 /Filter /FlateDecode"
        ).encode()
        made.append(
            (b"q 400 0 0 200 0 0 cm /I Do Q", b"/XObject << /I %IMAGE% >>", stream_of(picture, zlib.compress(grey)))
        )
    document.close()
    return assembled(made)


def stream_of(head: bytes, data: bytes) -> bytes:
    return b"<< " + head + b" /Length %d >>\nstream\n" % len(data) + data + b"\nendstream"


def assembled(pages: Sequence[tuple[bytes, bytes, bytes]]) -> bytes:
    objects: list[bytes] = [b"<< /Type /Catalog /Pages 2 0 R >>", b""]
    kids = []
    for content, resources, image in pages:
        objects.append(stream_of(b"", content))
        at = len(objects)
        if image:
            objects.append(image)
        named = resources.replace(b"%IMAGE%", b"%d 0 R" % len(objects))
        objects.append(
            b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 400 200] /Contents %d 0 R /Resources << %s >> >>"
            % (at, named)
        )
        kids.append(b"%d 0 R" % len(objects))
    objects[1] = b"<< /Type /Pages /Count %d /Kids [%s] >>" % (len(kids), b" ".join(kids))
    out = b"%PDF-1.4\n"
    places = []
    for number, one in enumerate(objects, 1):
        places.append(len(out))
        out += b"%d 0 obj\n" % number + one + b"\nendobj\n"
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    start = len(out)
    return out + b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1) + table + (
        b"trailer << /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF" % (len(objects) + 1, start)
    )  # fmt: skip


def joined(first: bytes, second: bytes) -> bytes:
    """One PDF of the pages of two."""
    import io

    document, other = pdfium.PdfDocument(first), pdfium.PdfDocument(second)
    document.import_pages(other)
    out = io.BytesIO()
    document.save(out)
    other.close()
    document.close()
    return out.getvalue()


@needs_tesseract
def test_scanned_pages_are_read_and_marked(read: Read) -> None:
    found = read("pdf", joined(text_pdf("Typed words here"), scanned("Invoice 4711", "")))

    assert isinstance(found, Prepared)
    assert "Typed words here" in found.canonical
    assert "Invoice 4711" in found.canonical
    assert (found.report.pages_by_ocr, found.report.pages_without_text) == ((2,), (3,))
    assert [item.piece.page for item in found.pieces] == [1, 2]


@needs_tesseract
def test_a_picture_of_words_is_read(read: Read) -> None:
    document = pdfium.PdfDocument(text_pdf("Meter reading 8443"))
    drawn = document[0].render(scale=3, grayscale=True)
    data = b"".join(bytes(drawn.buffer)[at * drawn.stride :][: drawn.width] for at in range(drawn.height))
    document.close()
    picture = png(drawn.width, drawn.height, data)

    found = read("picture", picture)

    assert isinstance(found, Prepared)
    assert found.canonical == "Meter reading 8443"


def png(width: int, height: int, grey: bytes) -> bytes:
    def part(kind: bytes, data: bytes) -> bytes:
        return len(data).to_bytes(4, "big") + kind + data + zlib.crc32(kind + data).to_bytes(4, "big")

    rows = b"".join(b"\x00" + grey[at * width : (at + 1) * width] for at in range(height))
    header = width.to_bytes(4, "big") + height.to_bytes(4, "big") + b"\x08\x00\x00\x00\x00"
    return b"\x89PNG\r\n\x1a\n" + part(b"IHDR", header) + part(b"IDAT", zlib.compress(rows)) + part(b"IEND", b"")


@needs_tesseract
def test_a_picture_larger_than_memory_is_refused(read: Read) -> None:
    bomb = png(30_000, 30_000, b"")

    found = read("picture", bomb)

    assert isinstance(found, Refused)


def test_without_tesseract_the_pages_are_listed_with_the_reason(read: Read, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ocr, "installed", lambda: None)

    mixed = read("pdf", joined(text_pdf("Typed words here"), scanned("Invoice 4711", "Invoice 4712")))
    alone = read("pdf", scanned("Invoice 4711"))
    picture = read("picture", png(2, 2, b"\x00\xff\x00\xff"))

    assert isinstance(mixed, Prepared)
    assert mixed.report.pages_without_text == (2, 3)
    assert mixed.report.warnings == ("ocr-missing",)
    assert alone == Refused("documents.no_text", "1 page without text. They are pictures, and OCR is not installed.")
    assert picture == Refused("documents.no_text", "It is a picture, and OCR is not installed.")
