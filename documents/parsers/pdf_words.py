"""Where each word of a PDF page stands, as the page is shown: rotated and cropped, from its upper left corner."""

from __future__ import annotations

import ctypes
import re
from array import array

import pypdfium2 as pdfium
import pypdfium2.raw as pdfium_c

from documents.text.boxes import PageWords

LIGATURES = str.maketrans(
    {"ﬀ": "ff", "ﬁ": "fi", "ﬂ": "fl", "ﬃ": "ffi", "ﬄ": "ffl", "ﬅ": "st", "ﬆ": "st", "\ufffe": "\x02", "\u00ad": "\x02"}
)
_WORD = re.compile(r"\S+")
_TENTHS = 10
_FARTHEST = 65_535
# The corners of the page are asked for this far apart, since the answer is in whole numbers.
_STEP = 10_000.0


def words_on(page: pdfium.PdfPage, text_page: pdfium.PdfTextPage, text: str, number: int) -> PageWords:
    """The words of a page with their boxes; a word without letters that are drawn has none and is left out."""
    width, height = page.get_size()
    shown = _Shown(page, width, height)
    words: list[str] = []
    boxes = array("H")
    for found in _WORD.finditer(text):
        word = found.group().translate(LIGATURES).replace("\x02", "")
        if word and (box := shown.box(text_page, found.start(), found.end() - 1)):
            words.append(word)
            boxes.extend(box)
    return PageWords(number, _tenths(width), _tenths(height), tuple(words), boxes)


class _Shown:
    """Turns the coordinates of a page into those of how it is shown."""

    def __init__(self, page: pdfium.PdfPage, width: float, height: float) -> None:
        size = (int(width * _TENTHS), int(height * _TENTHS))
        self.left, self.top = _to_device(page, size, 0.0, 0.0)
        right = _to_device(page, size, _STEP, 0.0)
        up = _to_device(page, size, 0.0, _STEP)
        self.x_of_x, self.y_of_x = (right[0] - self.left) / _STEP, (right[1] - self.top) / _STEP
        self.x_of_y, self.y_of_y = (up[0] - self.left) / _STEP, (up[1] - self.top) / _STEP
        self._places = [ctypes.c_double() for _ in range(4)]

    def box(self, text_page: pdfium.PdfTextPage, first: int, last: int) -> tuple[int, int, int, int] | None:
        """Left, top, right, bottom around two letters and what is between them; None when PDFium knows no place for them."""
        corners = [*self._letter(text_page, first), *self._letter(text_page, last)]
        if not corners:
            return None
        across = [self.left + x * self.x_of_x + y * self.x_of_y for x, y in corners]
        down = [self.top + x * self.y_of_x + y * self.y_of_y for x, y in corners]
        return _bounded(min(across)), _bounded(min(down)), _bounded(max(across)), _bounded(max(down))

    def _letter(self, text_page: pdfium.PdfTextPage, index: int) -> list[tuple[float, float]]:
        left, right, bottom, top = self._places
        if not pdfium_c.FPDFText_GetCharBox(text_page, index, left, right, bottom, top):
            return []
        return [(left.value, bottom.value), (right.value, top.value)]


def _to_device(page: pdfium.PdfPage, size: tuple[int, int], x: float, y: float) -> tuple[int, int]:
    across, down = ctypes.c_int(), ctypes.c_int()
    pdfium_c.FPDF_PageToDevice(page, 0, 0, *size, 0, x, y, across, down)
    return across.value, down.value


def _bounded(value: float) -> int:
    return max(0, min(round(value), _FARTHEST))


def _tenths(points: float) -> int:
    return _bounded(points * _TENTHS)
