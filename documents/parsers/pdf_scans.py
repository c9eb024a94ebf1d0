"""Pages of a PDF that are pictures: drawn at 200 dpi and given to OCR."""

from __future__ import annotations

import math
from collections.abc import Sequence
from contextlib import suppress

import pypdfium2 as pdfium
import pypdfium2.raw as pdfium_c

from documents.parsers import ocr
from documents.parsers.builder import Builder
from documents.parsers.outcome import Limits

_SCALE = 200 / 72
_MOST_PIXELS = 24_000_000
_SAMPLE = 61
_WHITE = 0xFFFFFFFF


def read_scans(builder: Builder, document: pdfium.PdfDocument, pages: Sequence[int], limits: Limits) -> dict[int, str]:
    """The texts of these pages (counted from 1) that hold any; what was left out is reported."""
    reader = ocr.here()
    drawn_on = [number for number in pages if _is_drawn_on(document, number - 1)]
    if reader is None:
        if drawn_on:
            builder.warn("ocr-missing")
        return {}
    found: dict[int, str] = {}
    for number in drawn_on[: limits.ocr_pages]:
        with suppress(pdfium.PdfiumError):
            drawn = _drawn(document, number - 1)
            if drawn and (text := reader.text(drawn)):
                found[number] = text
    if len(drawn_on) > limits.ocr_pages:
        builder.warn("ocr-stopped")
    return found


def _is_drawn_on(document: pdfium.PdfDocument, index: int) -> bool:
    """A page without text that is not simply empty."""
    with suppress(pdfium.PdfiumError):
        page = document[index]
        try:
            return any(True for _ in page.get_objects(max_depth=1))
        finally:
            page.close()
    return False


def _drawn(document: pdfium.PdfDocument, index: int) -> bytes:
    """A page as a grey picture (PGM); empty for one on which nothing is."""
    page = document[index]
    try:
        width, height = page.get_size()
        scale = min(_SCALE, (_MOST_PIXELS / max(width * height, 1.0)) ** 0.5)
        bitmap = _grey(page, math.ceil(width * scale), math.ceil(height * scale))
    finally:
        page.close()
    try:
        data = bytes(bitmap.buffer)
        if len(set(data[::_SAMPLE])) < 2:
            return b""
        if bitmap.stride != bitmap.width:
            rows = range(0, bitmap.height * bitmap.stride, bitmap.stride)
            data = b"".join(data[at : at + bitmap.width] for at in rows)
        return b"P5 %d %d 255\n" % (bitmap.width, bitmap.height) + data
    finally:
        bitmap.close()


def _grey(page: pdfium.PdfPage, width: int, height: int) -> pdfium.PdfBitmap:
    """The page drawn on a grey picture. pypdfium2's `grayscale` asks pdfium to turn each picture on the page grey beforehand,
    which takes a copy of it in its own resolution: 122 MB instead of 67 for a sheet scanned at 600 dpi, and twice the time.
    """
    bitmap = pdfium.PdfBitmap.new_native(width, height, pdfium_c.FPDFBitmap_Gray)
    pdfium_c.FPDFBitmap_FillRect(bitmap, 0, 0, width, height, _WHITE)
    pdfium_c.FPDF_RenderPageBitmap(bitmap, page, 0, 0, width, height, 0, pdfium_c.FPDF_ANNOT)
    return bitmap
