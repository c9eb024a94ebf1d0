"""Excel workbooks: the values that were last computed, sheet by sheet, read as a stream so that large ones stay bounded."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from lxml import etree

from documents.parsers.builder import Builder
from documents.parsers.outcome import Limits, Refused
from documents.parsers.parts import BROKEN, Parts, broken, opened, streamed
from documents.parsers.rows import add_rows, has_header
from documents.parsers.xlsx_values import Formats, formats_of
from documents.text.section import Parsed

_MAIN = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"
_STRICT = "{http://purl.oclc.org/ooxml/spreadsheetml/main}"
_ID = ("{http://schemas.openxmlformats.org/officeDocument/2006/relationships}id",
       "{http://purl.oclc.org/ooxml/officeDocument/relationships}id")  # fmt: skip
_MOST_CELLS = 2_000_000
_MOST_FILLED = 10_000
_PLACE = re.compile(r"([A-Z]{1,3})(\d{1,7})")
_ESCAPED = re.compile(r"_x([0-9A-Fa-f]{4})_")


class _TooMuch(Exception):
    """More cells or text than the limits."""


@dataclass(slots=True)
class _Sheet:
    """The filled cells of a sheet by row and column, both from 1."""

    rows: dict[int, dict[int, str]] = field(default_factory=dict)
    merged: list[str] = field(default_factory=list)
    without_value: int = 0


def read(path: Path, *, limits: Limits) -> Parsed | Refused:
    """Read a workbook. Hidden sheets are left out and reported; formulas that were never computed are counted."""
    parts = opened(path, limits)
    if isinstance(parts, Refused):
        return parts
    with parts:
        try:
            return _read(parts, limits)
        except _TooMuch:
            return Refused("documents.too_much_text", f"The limit is {_MOST_CELLS:,} cells.")
        except BROKEN:
            return broken()


def _read(parts: Parts, limits: Limits) -> Parsed | Refused:
    main = next((name for kind, name in parts.relations("").values() if kind == "officeDocument"), "xl/workbook.xml")
    workbook = parts.xml(main)
    if workbook is None or not workbook.tag.endswith("}workbook"):
        return Refused("documents.mislabelled", "Its name says Excel (.xlsx), but it holds no workbook.")
    builder = Builder("xlsx")
    builder.title = parts.title()
    related = parts.relations(main)
    by_type = dict(related.values())
    strings = _strings(parts, by_type.get("sharedStrings", ""), limits)
    formats = formats_of(parts.xml(by_type.get("styles", "")), _uses_1904(workbook))
    budget = _Budget(limits.text_characters * 2)
    for sheet in workbook.iter(f"{_MAIN}sheet", f"{_STRICT}sheet"):
        _, name = related.get(next((found for key in _ID if (found := sheet.get(key))), ""), ("", ""))
        if sheet.get("state") in ("hidden", "veryHidden"):
            builder.skip("hidden-sheet", sheet.get("name", ""), "hidden by its author")
        elif name in parts.names and "chartsheet" not in name:
            _add(builder, sheet.get("name", "Sheet"), _sheet(parts, name, strings, formats, budget))
    _report(builder, parts)
    return builder.finish()


@dataclass(slots=True)
class _Budget:
    characters: int
    cells: int = _MOST_CELLS

    def spend(self, text: str) -> None:
        self.characters -= len(text)
        self.cells -= 1
        if self.characters < 0 or self.cells < 0:
            raise _TooMuch


def _strings(parts: Parts, name: str, limits: Limits) -> list[str]:
    if name not in parts.names:
        return []
    found = []
    budget = _Budget(limits.text_characters * 2)
    with streamed(parts, name, f"{_MAIN}si", f"{_STRICT}si") as items:
        for item in items:
            found.append(_rich(item))
            budget.spend(found[-1])
    return found


def _rich(element: etree._Element) -> str:
    """The runs of a text without the reading aids (furigana) above it."""
    aids = {id(text) for one in element if str(one.tag).endswith("}rPh") for text in one.iter()}
    text = "".join(one.text or "" for one in element.iter(f"{_MAIN}t", f"{_STRICT}t") if id(one) not in aids)
    return _ESCAPED.sub(lambda one: chr(int(one.group(1), 16)), text) if "_x" in text else text


def _uses_1904(workbook: etree._Element) -> bool:
    return any(
        one.get("date1904") in ("1", "true") for one in workbook.iter(f"{_MAIN}workbookPr", f"{_STRICT}workbookPr")
    )


def _sheet(parts: Parts, name: str, strings: list[str], formats: Formats, budget: _Budget) -> _Sheet:
    sheet = _Sheet()
    tags = [f"{space}{tag}" for space in (_MAIN, _STRICT) for tag in ("row", "mergeCell")]
    at = 0
    with streamed(parts, name, *tags) as elements:
        for element in elements:
            if element.tag.endswith("}mergeCell"):
                sheet.merged.append(element.get("ref", ""))
                continue
            at = _whole(element.get("r"), at + 1)
            column = 0
            for cell in element:
                column = _column(cell.get("r", ""), column + 1)
                text = _value(cell, strings, formats)
                if text.strip():
                    budget.spend(text)
                    sheet.rows.setdefault(at, {})[column] = text
                elif any(str(part.tag).endswith("}f") for part in cell):
                    sheet.without_value += 1
    return sheet


def _value(cell: etree._Element, strings: list[str], formats: Formats) -> str:
    kind = cell.get("t", "n")
    if kind == "inlineStr":
        return "".join(_rich(part) for part in cell if str(part.tag).endswith("}is"))
    raw = next((part.text or "" for part in cell if str(part.tag).endswith("}v")), "")
    if kind == "s":
        number = _whole(raw, -1)
        return strings[number] if 0 <= number < len(strings) else ""
    if kind == "b":
        return "TRUE" if raw == "1" else "FALSE" if raw else ""
    return formats.shown(raw, _whole(cell.get("s"), 0)) if kind == "n" else raw


def _add(builder: Builder, name: str, sheet: _Sheet) -> None:
    """Each block of rows whose first row names columns is a table of its own; the others go on the one above."""
    if sheet.without_value:
        builder.skip("formula", f"{sheet.without_value:,} cells of {name}", "never computed, so they have no value")
    _fill_merged(sheet)
    if not sheet.rows:
        return
    builder.heading(1, name)
    tables: list[list[list[str]]] = []
    for block in _blocks(sheet):
        if not tables or has_header(block) or (len(block) == 1 and len([cell for cell in block[0] if cell]) == 1):
            tables.append(block)
        else:
            tables[-1] += block
    for table in tables:
        used = sorted({index for row in table for index, cell in enumerate(row) if cell})
        add_rows(builder, ([row[index] if index < len(row) else "" for index in used] for row in table))


def _blocks(sheet: _Sheet) -> Iterator[list[list[str]]]:
    """Rows that follow one another without an empty one between them."""
    block: list[list[str]] = []
    before = 0
    for number in sorted(sheet.rows):
        if block and number > before + 1:
            yield block
            block = []
        cells = sheet.rows[number]
        block.append([cells.get(column, "") for column in range(1, max(cells) + 1)])
        before = number
    yield block


def _fill_merged(sheet: _Sheet) -> None:
    """A merged cell stands in every place it covers, as far as that is not absurd."""
    left = _MOST_FILLED
    for reference in sheet.merged:
        first, _, last = reference.partition(":")
        (left_column, top), (right_column, bottom) = _place(first), _place(last)
        size = (right_column - left_column + 1) * (bottom - top + 1)
        text = sheet.rows.get(top, {}).get(left_column, "")
        if not text or not 1 < size <= left:
            continue
        left -= size
        for row in range(top, bottom + 1):
            if row in sheet.rows or row > top:
                cells = sheet.rows.setdefault(row, {})
                for column in range(left_column, right_column + 1):
                    cells.setdefault(column, text)


def _place(reference: str) -> tuple[int, int]:
    found = _PLACE.fullmatch(reference)
    return (_column(reference, 0), int(found.group(2))) if found else (0, 0)


def _column(reference: str, otherwise: int) -> int:
    found = _PLACE.match(reference)
    if not found:
        return otherwise
    number = 0
    for letter in found.group(1):
        number = number * 26 + ord(letter) - 64
    return number


def _whole(value: str | None, otherwise: int) -> int:
    return int(value) if value and value.isascii() and value.isdigit() and len(value) < 10 else otherwise


def _report(builder: Builder, parts: Parts) -> None:
    for name in sorted(parts.names):
        if name.startswith(("xl/media/", "xl/embeddings/", "xl/charts/chart", "xl/comments", "xl/threadedComments/")):
            what = {"media": "picture", "embeddings": "embedded-file", "charts": "chart"}.get(
                name.split("/")[1], "comment"
            )
            builder.skip(what, name.rpartition("/")[2], "not read")
