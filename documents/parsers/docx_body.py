"""The body of a Word document from top to bottom: paragraphs, lists, tables, and the boxes that float beside them."""

from __future__ import annotations

from lxml import etree

from documents.parsers.builder import Builder
from documents.parsers.docx_changes import W
from documents.parsers.docx_styles import Numbering, Styles
from documents.parsers.grid import Cell, grid

_MATH = "{http://schemas.openxmlformats.org/officeDocument/2006/math}"
_ALTERNATE = "{http://schemas.openxmlformats.org/markup-compatibility/2006}"
_MARKS = {f"{W}tab": "\t", f"{W}br": "\n", f"{W}cr": "\n", f"{W}noBreakHyphen": "-"}
_DEEPEST = 60
_DEEPEST_LIST = 8


class Body:
    """Reads blocks into a builder."""

    def __init__(self, builder: Builder, styles: Styles, numbering: Numbering) -> None:
        self._builder = builder
        self._styles = styles
        self._numbering = numbering
        self._items: list[str] = []

    def read(self, body: etree._Element) -> None:
        """Read the blocks of a body, in order."""
        self._blocks(body, 0)
        self._end_list()

    def _blocks(self, parent: etree._Element, depth: int) -> None:
        if depth > _DEEPEST:
            self._builder.warn("nested-too-deeply")
            return
        for block in parent:
            if block.tag == f"{W}p":
                self._paragraph(block, depth)
            elif block.tag == f"{W}tbl":
                self._end_list()
                self._table(block)
            elif block.tag not in (f"{W}sectPr", f"{W}tblPr") and isinstance(block.tag, str):
                self._blocks(block, depth + 1)

    def _paragraph(self, paragraph: etree._Element, depth: int) -> None:
        text = words(paragraph).strip()
        level = self._styles.level(paragraph)
        number = self._styles.number(paragraph) if level < 0 else None
        if text and number is not None:
            self._items.append(
                "  " * min(number[1], _DEEPEST_LIST) + f"{self._numbering.mark(*number)} {' '.join(text.split())}"
            )
        elif text:
            self._end_list()
            if level >= 0:
                self._builder.heading(level, text)
            else:
                self._builder.prose(text)
        for box in _boxes(paragraph):
            self._end_list()
            self._blocks(box, depth + 1)

    def _end_list(self) -> None:
        if self._items:
            self._builder.items("\n".join(self._items))
            self._items = []

    def _table(self, table: etree._Element) -> None:
        rows = grid([[_cell(cell) for cell in _cells(row)] for row in table.iter(f"{W}tr") if _owner(row) is table])
        if rows and max(len(row) for row in rows) == 1 and len(rows) == 1:
            self._builder.prose(rows[0][0])  # one cell is a frame around a text
            return
        self._builder.table(rows, header_rows=1 if len(rows) > 1 else 0)


def _owner(element: etree._Element) -> etree._Element | None:
    return next(element.iterancestors(f"{W}tbl"), None)


def _cells(row: etree._Element) -> list[etree._Element]:
    table = _owner(row)
    return [cell for cell in row.iter(f"{W}tc") if _owner(cell) is table]


def _cell(cell: etree._Element) -> Cell:
    """The text of a cell; a table inside it gives its rows on lines, so that no word of it is lost."""
    properties = cell.find(f"{W}tcPr")
    span = properties.find(f"{W}gridSpan") if properties is not None else None
    merge = properties.find(f"{W}vMerge") if properties is not None else None
    columns = span.get(f"{W}val", "1") if span is not None else "1"
    continues = merge is not None and merge.get(f"{W}val", "continue") == "continue"
    parts = [text for one in cell.iter(f"{W}p") if (text := words(one).strip())]
    return Cell("\n".join(parts), int(columns) if columns.isdigit() and len(columns) < 5 else 1, continues=continues)


def words(paragraph: etree._Element) -> str:
    """The words of a paragraph without what its boxes hold."""
    parts: list[str] = []
    _collect(paragraph, parts, 0)
    return "".join(parts)


def _collect(element: etree._Element, parts: list[str], depth: int) -> None:
    if depth > _DEEPEST:
        return
    for child in element:
        if child.tag in (f"{W}t", f"{_MATH}t"):
            parts.append(child.text or "")
        elif child.tag in _MARKS:
            parts.append(_MARKS[child.tag])
        elif child.tag in (f"{W}txbxContent", f"{W}rt", f"{W}pPr", f"{_ALTERNATE}Fallback"):
            continue
        else:
            _collect(child, parts, depth + 1)


def _boxes(paragraph: etree._Element) -> list[etree._Element]:
    """The text boxes of a paragraph, once each: a file keeps them in an old and a new form."""
    return [
        box
        for box in paragraph.iter(f"{W}txbxContent")
        if not any(one.tag in (f"{_ALTERNATE}Fallback", f"{W}txbxContent") for one in box.iterancestors())
        and next(box.iterancestors(f"{W}p"), None) is paragraph
    ]
