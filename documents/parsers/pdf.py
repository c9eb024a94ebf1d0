"""PDF through PDFium: the text of each page, its headings told by their size, without running headers and footers."""

from __future__ import annotations

import re
from pathlib import Path

import pypdfium2 as pdfium
import pypdfium2.raw as pdfium_c

from documents.parsers.builder import Builder
from documents.parsers.ocr import add_page
from documents.parsers.outcome import Limits, Refused
from documents.parsers.pdf_layout import Line, body_size, heading_levels, paragraphs, without_running_lines
from documents.parsers.pdf_scans import read_scans
from documents.parsers.pdf_words import LIGATURES, words_on
from documents.parsers.titles import worth_showing
from documents.text.section import Parsed

_LETTERS = re.compile(r"[^\W_]")
_UNMAPPED = re.compile("[\ue000-\uf8ff\ufffd]")
_LEAST_LETTERS = 3
# A larger file is read piece by piece, which takes longer and no memory.
_HELD_BYTES = 48_000_000


def read(path: Path, *, limits: Limits) -> Parsed | Refused:
    """Read a PDF's text layer. Pages without one are listed; scripts, links and forms are not followed or run."""
    try:
        document = pdfium.PdfDocument(path.read_bytes() if path.stat().st_size < _HELD_BYTES else path.open("rb"))
    except pdfium.PdfiumError as trouble:
        locked = "password" in str(trouble).lower() or "security" in str(trouble).lower()
        return Refused("documents.password") if locked else Refused("documents.broken", "It does not open as a PDF.")
    try:
        if len(document) > limits.pages:
            return Refused("documents.too_much_text", f"It has {len(document):,} pages; the limit is {limits.pages:,}.")
        return _read(document, limits)
    finally:
        document.close()


def _read(document: pdfium.PdfDocument, limits: Limits) -> Parsed:
    builder = Builder("pdfium")
    builder.pages = len(document)
    _metadata(builder, document)
    pages = [_lines(builder, document, index) for index in range(len(document))]
    for number, lines in enumerate(pages, 1):
        if sum(len(_LETTERS.findall(line.text)) for line in lines) < _LEAST_LETTERS:
            builder.pages_without_text.append(number)
    scans = read_scans(builder, document, builder.pages_without_text, limits)
    builder.pages_without_text = [number for number in builder.pages_without_text if number not in scans]
    normal = body_size(pages)
    pages = without_running_lines(pages, normal)
    levels = heading_levels(pages, normal)
    for number, lines in enumerate(pages, 1):
        builder.page = number
        if number in scans and not add_page(builder, number, scans[number]):
            builder.pages_without_text.append(number)
        for kind, text, size in paragraphs(lines, levels, normal):
            if kind == "heading":
                builder.heading(levels[size], text)
            elif kind == "list":
                builder.items(text)
            else:
                builder.prose(text)
    builder.pages_without_text.sort()
    if attached := document.count_attachments():
        builder.skip("embedded-file", f"{attached} attached", "not read")
    return builder.finish()


def _metadata(builder: Builder, document: pdfium.PdfDocument) -> None:
    try:
        found = document.get_metadata_dict(skip_empty=True)
    except (pdfium.PdfiumError, UnicodeDecodeError):
        builder.warn("metadata-unreadable")
        return
    for name in ("Title", "Author", "CreationDate"):
        if value := found.get(name, "").replace("\x00", "").strip():
            builder.metadata[name.lower()] = value
    title = builder.metadata.get("title", "")
    builder.title = worth_showing(title)


def _lines(builder: Builder, document: pdfium.PdfDocument, index: int) -> list[Line]:
    """The lines of a page with the size of their first letter and where they stand, in the order of the file."""
    try:
        page = document[index]
        text_page = page.get_textpage()
    except pdfium.PdfiumError:
        builder.warn("page-unreadable")
        return []
    try:
        text = text_page.get_text_range()
        if len(_UNMAPPED.findall(text)) > len(text) * 0.2:
            builder.warn("letters-without-meaning")
        builder.page_words.append(words_on(page, text_page, text, index + 1))
        return _placed_lines(text_page, text, page.get_height())
    finally:
        text_page.close()
        page.close()


def _placed_lines(text_page: pdfium.PdfTextPage, text: str, page_height: float) -> list[Line]:
    found: list[Line] = []
    at = 0
    for raw in text.split("\n"):
        bare = raw.strip("\r ")
        if bare:
            first = at + len(raw) - len(raw.lstrip("\r "))
            left, right, bottom, top = _box(text_page, first)
            last = _box(text_page, first + len(bare) - 1)
            size = round(pdfium_c.FPDFText_GetFontSize(text_page, first) * 2) / 2
            height = max(size if size > 1.5 else 0.0, top - bottom)
            words = " ".join(bare.translate(LIGATURES).split())
            in_margin = not page_height / 8 < (bottom + top) / 2 < page_height * 7 / 8
            found.append(Line(words, height, left, last[1] or right, bottom, top, in_margin))
        at += len(raw) + 1
    return found


def _box(text_page: pdfium.PdfTextPage, index: int) -> tuple[float, float, float, float]:
    """Left, right, bottom and top of a letter in points; zeros when PDFium knows none."""
    try:
        left, bottom, right, top = text_page.get_charbox(index)
    except (pdfium.PdfiumError, IndexError):
        return 0.0, 0.0, 0.0, 0.0
    return left, right, bottom, top
