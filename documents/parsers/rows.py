"""Rows of cells as tables: where the header is, and what becomes of rows that are too wide for one line."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, islice

from documents.parsers.builder import Builder

Row = Sequence[str]

_NUMBER = re.compile(r"^[\s$€£¥+-]*[\d.,\s/:%-]*\d[\d.,\s/:%-]*(?:[eE][+-]?\d+)?[\s$€£¥%]*$")
# A header that is longer than this would take the room of the rows in every passage.
_LONGEST_HEADER = 400
_LONG_CELLS = 600
_LOOKED_AT = 50


def add_rows(builder: Builder, rows: Iterable[Row]) -> None:
    """Add rows as one table with its header repeated where it is cut; wide or long rows become a list of named values.

    A first row with a single cell is the table's caption. Rows are taken one at a time.
    """
    rest = iter(rows)
    first = list(islice((row for row in rest if any(cell.strip() for cell in row)), _LOOKED_AT))
    while len(first) > 1 and _is_caption(first[0], first[1]):
        builder.prose(next(cell for cell in first[0] if cell.strip()))
        first = first[1:]
    if not first:
        return
    every = chain(first, (row for row in rest if any(cell.strip() for cell in row)))
    if max(len(row) for row in first) == 1:
        _add_column(builder, every)
        return
    header = first[0] if has_header(first) else None
    if _is_wide(first, header):
        _add_records(builder, every, header)
    else:
        builder.stream_table(every, header_rows=1 if header is not None else 0)


def has_header(rows: Sequence[Row]) -> bool:
    """Say whether the first row names the columns: words in nearly all of its cells, no numbers, and rows below."""
    if len(rows) < 2:
        return False
    cells = [cell.strip() for cell in rows[0]]
    named = [cell for cell in cells if cell]
    width = max(len([cell for cell in row if cell.strip()]) for row in rows)
    if len(named) < max(1, width * 0.6) or any(is_number(cell) for cell in named):
        return False
    return len(set(named)) > len(named) * 0.5


def is_number(cell: str) -> bool:
    return len(cell) < 64 and bool(_NUMBER.match(cell))


def _is_caption(row: Row, below: Row) -> bool:
    """One cell, or one merged over all columns, above a row of several."""
    filled = {cell for cell in row if cell.strip()}
    return len(filled) == 1 and len({cell for cell in below if cell.strip()}) > 1 and not is_number(next(iter(filled)))


def _is_wide(rows: Sequence[Row], header: Row | None) -> bool:
    if header is None:
        return False
    longest = max(sum(len(cell) for cell in row) for row in rows[1:])
    return sum(len(cell) for cell in header) > _LONGEST_HEADER or (longest > _LONG_CELLS and len(header) > 2)


def _add_column(builder: Builder, rows: Iterable[Row]) -> None:
    """One column is a list; long ones in parts, so that a passage never has to hold all."""
    for part in _batches((f"- {' '.join(row[0].split())}" for row in rows), 1_000):
        builder.items("\n".join(part))


def _add_records(builder: Builder, rows: Iterable[Row], header: Row | None) -> None:
    names = [name.strip() for name in header or ()]
    for row in islice(rows, 1, None):
        lines = []
        for index, cell in enumerate(row):
            if cell.strip():
                name = names[index] if index < len(names) and names[index] else f"Column {index + 1}"
                lines.append(f"- {name}: {' '.join(cell.split())}")
        builder.items("\n".join(lines))


def _batches(lines: Iterable[str], size: int) -> Iterator[list[str]]:
    rest = iter(lines)
    while part := list(islice(rest, size)):
        yield part
