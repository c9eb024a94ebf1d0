"""OpenDocument texts, spreadsheets and presentations: tracked deletions left out, merged cells in every place they cover."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from lxml import etree

from documents.parsers.builder import Builder
from documents.parsers.grid import Cell, grid
from documents.parsers.outcome import Limits, Refused
from documents.parsers.parts import BROKEN, Parts, broken, opened
from documents.parsers.rows import add_rows
from documents.parsers.titles import worth_showing
from documents.text.section import Parsed

_NS = "urn:oasis:names:tc:opendocument:xmlns:"
_T, _TABLE, _O, _DRAW = f"{{{_NS}text:1.0}}", f"{{{_NS}table:1.0}}", f"{{{_NS}office:1.0}}", f"{{{_NS}drawing:1.0}}"
_PRESENTATION = f"{{{_NS}presentation:1.0}}"
_LEFT_OUT = frozenset((f"{_T}tracked-changes", f"{_O}annotation", f"{_O}annotation-end", f"{_T}sequence-decls", f"{_O}forms",
                       f"{_T}table-of-content", f"{_T}bibliography-mark"))  # fmt: skip
_MOST_REPEATED = 1_000
_MOST_CELLS = 2_000_000
_DEEPEST = 60


def read(path: Path, *, limits: Limits) -> Parsed | Refused:
    """Read an OpenDocument file. Notes stand behind the paragraph that has them; comments are reported."""
    parts = opened(path, limits)
    if isinstance(parts, Refused):
        return parts
    with parts:
        try:
            return _read(parts, limits)
        except BROKEN:
            return broken()


def _read(parts: Parts, limits: Limits) -> Parsed | Refused:
    if "content.xml" not in parts.names:
        return Refused("documents.mislabelled", "Its name says OpenDocument, but it holds no document.")
    if "META-INF/manifest.xml" in parts.names and b"encryption-data" in parts.data("META-INF/manifest.xml"):
        return Refused("documents.password")
    root = parts.xml("content.xml")
    body = root.find(f"{_O}body") if root is not None else None
    if body is None:
        return broken()
    builder = Builder("odf")
    meta = parts.xml("meta.xml")
    builder.title = (
        worth_showing(meta.findtext(".//{http://purl.org/dc/elements/1.1/}title") or "") if meta is not None else ""
    )
    if comments := sum(1 for _ in body.iter(f"{_O}annotation")):
        builder.skip("comment", f"{comments} comments", "not part of the text")
    for name in sorted(name for name in parts.names if name.startswith("Pictures/")):
        builder.skip("picture", name.rpartition("/")[2], "not read")
    walk = _Walk(builder)
    for content in body:
        walk.children(content, 0)
    if walk.cells > _MOST_CELLS:
        return Refused("documents.too_much_text", f"The limit is {_MOST_CELLS:,} cells.")
    return builder.finish()


class _Walk:
    def __init__(self, builder: Builder) -> None:
        self.builder = builder
        self.cells = 0
        self._page = 0

    def children(self, element: etree._Element, depth: int) -> None:
        if depth > _DEEPEST:
            self.builder.warn("nested-too-deeply")
            return
        for child in element:
            if child.tag not in _LEFT_OUT:
                self._child(child, depth)

    def _child(self, child: etree._Element, depth: int) -> None:
        if child.tag == f"{_T}h":
            self.builder.heading(_whole(child.get(f"{_T}outline-level"), 1), _text(child))
        elif child.tag == f"{_T}p":
            self._paragraph(child, depth)
        elif child.tag == f"{_T}list":
            self.builder.items("\n".join(_items(child, 0)))
        elif child.tag == f"{_TABLE}table":
            self._table(child)
        elif child.tag == f"{_DRAW}page":
            self._slide(child, depth)
        else:
            self.children(child, depth + 1)

    def _paragraph(self, element: etree._Element, depth: int) -> None:
        self.builder.prose(_text(element))
        for note in element.iter(f"{_T}note"):
            mark = note.findtext(f"{_T}note-citation") or ""
            body = note.find(f"{_T}note-body")
            self.builder.prose(f"[{mark}] " + " ".join(_text(part) for part in body) if body is not None else "")
        for box in element.iter(f"{_DRAW}text-box"):
            self.children(box, depth + 1)

    def _slide(self, page: etree._Element, depth: int) -> None:
        self._page += 1
        self.builder.page = self.builder.pages = self._page
        before = self.builder.characters
        frames = list(page)
        for frame in frames:
            if frame.get(f"{_PRESENTATION}class") == "title":
                self.builder.heading(1, _text(frame))
        for frame in frames:
            if frame.tag == f"{_PRESENTATION}notes":
                notes = [text for one in frame.iter(f"{_T}p") if (text := _text(one).strip())]
                self.builder.prose("Notes: " + "\n".join(notes) if notes else "")
            elif frame.get(f"{_PRESENTATION}class") != "title":
                self._child(frame, depth + 1)
        if self.builder.characters == before:
            self.builder.pages_without_text.append(self._page)

    def _table(self, table: etree._Element) -> None:
        in_sheet = table.getparent() is not None and table.getparent().tag == f"{_O}spreadsheet"  # type: ignore[union-attr]
        lines = [list(self._cells(row)) for row in _rows(table)]
        rows = grid(lines)
        if not in_sheet:
            self.builder.table(rows, header_rows=1 if len(rows) > 1 else 0)
            return
        if any(any(row) for row in rows):
            self.builder.heading(1, table.get(f"{_TABLE}name") or "Sheet")
            used = sorted({index for row in rows for index, cell in enumerate(row) if cell.strip()})
            add_rows(self.builder, ([row[index] if index < len(row) else "" for index in used] for row in rows))

    def _cells(self, row: etree._Element) -> Iterator[Cell]:
        waiting = 0
        for cell in row:
            if cell.tag not in (f"{_TABLE}table-cell", f"{_TABLE}covered-table-cell"):
                continue
            times = _whole(cell.get(f"{_TABLE}number-columns-repeated"), 1)
            text = "\n".join(_text(one) for one in cell.iter(f"{_T}p", f"{_T}h") if not _is_beside(one)).strip()
            if cell.tag == f"{_TABLE}covered-table-cell":
                continue
            if not text:
                waiting += times
                continue
            for _ in range(min(waiting, _MOST_REPEATED)):
                yield Cell("")
            waiting = 0
            for _ in range(min(times, _MOST_REPEATED)):
                self.cells += 1
                columns = _whole(cell.get(f"{_TABLE}number-columns-spanned"), 1)
                yield Cell(text, columns, _whole(cell.get(f"{_TABLE}number-rows-spanned"), 1))


def _is_beside(paragraph: etree._Element) -> bool:
    """A paragraph of a comment or a note."""
    return any(one.tag in (f"{_O}annotation", f"{_T}note") for one in paragraph.iterancestors())


def _rows(table: etree._Element) -> Iterator[etree._Element]:
    for row in table.iter(f"{_TABLE}table-row"):
        if next(row.iterancestors(f"{_TABLE}table")) is table:
            filled = any(True for _ in row.iter(f"{_T}p"))
            for _ in range(min(_whole(row.get(f"{_TABLE}number-rows-repeated"), 1), _MOST_REPEATED) if filled else 1):
                yield row


def _items(element: etree._Element, depth: int) -> Iterator[str]:
    if depth > _DEEPEST:
        return
    for item in element.iter(f"{_T}list-item", f"{_T}list-header"):
        if next(item.iterancestors(f"{_T}list")) is not element:
            continue
        text = " ".join(_text(part) for part in item if part.tag in (f"{_T}p", f"{_T}h")).strip()
        if text:
            yield "  " * depth + "- " + text
        for inner in item:
            if inner.tag == f"{_T}list":
                yield from _items(inner, depth + 1)


def _text(element: etree._Element) -> str:
    """The words of a paragraph without its notes, comments and boxes, which stand elsewhere."""
    parts: list[str] = []
    _collect(element, parts, 0)
    return "".join(parts)


def _collect(element: etree._Element, parts: list[str], depth: int) -> None:
    if depth > _DEEPEST:
        return
    parts.append(element.text or "")
    for child in element:
        if child.tag == f"{_T}s":
            parts.append(" " * min(_whole(child.get(f"{_T}c"), 1), 100))
        elif child.tag == f"{_T}tab":
            parts.append("\t")
        elif child.tag == f"{_T}line-break":
            parts.append("\n")
        elif child.tag not in (f"{_T}note", f"{_O}annotation", f"{_DRAW}text-box"):
            _collect(child, parts, depth + 1)
        parts.append(child.tail or "")


def _whole(value: str | None, least: int) -> int:
    return int(value) if value and value.isascii() and value.isdigit() and len(value) < 10 else least
