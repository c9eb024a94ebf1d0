"""Old and binary Office files (DOC, PPT, XLS, XLSB) through kreuzberg, which needs no office program."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Protocol, cast

from documents.parsers.builder import Builder
from documents.parsers.outcome import Limits, Refused
from documents.parsers.rows import add_rows
from documents.parsers.titles import worth_showing
from documents.text.section import Parsed

_TYPES = {
    "doc": "application/msword",
    "ppt": "application/vnd.ms-powerpoint",
    "xls": "application/vnd.ms-excel",
    "xlsb": "application/vnd.ms-excel.sheet.binary.macroEnabled.12",
}
_OLE = b"\xd0\xcf\x11\xe0"
_PARAGRAPHS = re.compile(r"\n[ \t]*\n\s*")
_BULLET = re.compile(r"^\s*[•·▪*-]\s+")
_MASTER = re.compile(r"^(?:Click to edit .{0,40}|(?:Second|Third|Fourth|Fifth) level|单击.{0,20}|第[二三四五]级)$")


class _Table(Protocol):
    cells: Sequence[Sequence[str]]
    page_number: int


class _Result(Protocol):
    content: str
    tables: Sequence[_Table]
    metadata: dict[str, object]


def read(path: Path, *, limits: Limits) -> Parsed | Refused:
    """Read an old Office file. Slides of old presentations come without their numbers; macros are never run."""
    import kreuzberg

    data = path.read_bytes()
    kind = _kind(data)
    if isinstance(kind, Refused):
        return kind
    try:
        found = cast(
            "_Result", kreuzberg.extract_bytes_sync(data, _TYPES[kind], kreuzberg.ExtractionConfig(use_cache=False))
        )
    except kreuzberg.KreuzbergError as trouble:
        return _refused(str(trouble))
    builder = Builder("kreuzberg")
    builder.title = worth_showing(str(found.metadata.get("title") or ""))
    if kind in ("xls", "xlsb"):
        _sheets(builder, found)
    else:
        _paragraphs(builder, found.content)
    return builder.finish()


def _kind(data: bytes) -> str | Refused:
    """Which program wrote it, by the name of its main stream; the ending is the person's."""
    if not data.startswith(_OLE):
        return "xlsb" if data.startswith(b"PK") else "xls"
    named = {name: name.encode("utf-16-le") for name in ("WordDocument", "PowerPoint Document", "Workbook", "Book",
                                                         "EncryptedPackage")}  # fmt: skip
    if named["EncryptedPackage"] in data:
        return Refused("documents.password", "It is an encrypted Office file.")
    if named["WordDocument"] in data:
        return "doc"
    return "ppt" if named["PowerPoint Document"] in data else "xls"


def _refused(trouble: str) -> Refused:
    words = trouble.lower()
    if "password" in words or "encrypt" in words or "codepage" in words:
        return Refused("documents.password")
    return Refused("documents.broken", "It does not open as an old Office file.")


def _sheets(builder: Builder, found: _Result) -> None:
    names = found.metadata.get("sheet_names")
    names = names if isinstance(names, list) else []
    for table in found.tables:
        number = table.page_number
        builder.heading(1, str(names[number - 1]) if 0 < number <= len(names) else f"Sheet {number}")
        rows = [list(row) for row in table.cells]
        used = sorted({index for row in rows for index, cell in enumerate(row) if cell.strip()})
        add_rows(builder, ([row[index] if index < len(row) else "" for index in used] for row in rows))


def _paragraphs(builder: Builder, content: str) -> None:
    for paragraph in _PARAGRAPHS.split(content):
        lines = [line for line in paragraph.split("\n") if line.strip() and not _MASTER.match(line.strip())]
        if any("\t" in line for line in lines):
            _with_tables(builder, lines)
        elif lines and all(_BULLET.match(line) for line in lines):
            builder.items("\n".join("- " + _BULLET.sub("", line) for line in lines))
        else:
            builder.prose("\n".join(lines))


def _with_tables(builder: Builder, lines: Sequence[str]) -> None:
    """Lines with tabs between their cells are rows."""
    rows: list[list[str]] = []
    for line in lines:
        cells = line.rstrip("\t").split("\t")
        if len(cells) > 1:
            rows.append(cells)
            continue
        builder.table(rows, header_rows=1 if len(rows) > 1 else 0)
        rows = []
        builder.prose(line)
    builder.table(rows, header_rows=1 if len(rows) > 1 else 0)
