"""CSV and TSV: a row is a line of a table whose header every passage repeats; line breaks in a cell do not split it."""

from __future__ import annotations

import csv
import io
import sys
from collections import Counter
from collections.abc import Iterator
from itertools import chain, islice
from pathlib import Path

from documents.parsers.builder import Builder
from documents.parsers.outcome import Limits, Refused
from documents.parsers.records import Records, TooMuch
from documents.parsers.rows import add_rows
from documents.parsers.ticket_rows import Columns, add_ticket_rows
from documents.parsers.written import opened
from documents.text.section import Parsed

_DELIMITERS = ",;\t|"
_SAMPLE_ROWS = 20
_SAMPLE_CHARACTERS = 100_000
_MOST_COLUMNS = 2_000
_TOO_MANY_COLUMNS = 20_000


def read(path: Path, *, limits: Limits) -> Parsed | Refused:
    """Read separated values. The separator is the one that gives rows of one width; a file of no width is plain lines."""
    found = opened(path, "CSV", "csv", limits=limits)
    if isinstance(found, Refused):
        return found
    builder, text = found
    csv.field_size_limit(sys.maxsize)
    delimiter, text = _declared(text)
    delimiter = delimiter or _delimiter(text)
    columns = _columns(text, delimiter)
    if columns > _TOO_MANY_COLUMNS:
        return Refused("documents.too_much_text", f"It has {columns:,} columns; the limit is {_TOO_MANY_COLUMNS:,}.")
    if columns > _MOST_COLUMNS:
        builder.warn("too-many-columns")
        builder.prose(text.replace(delimiter, " "))
        return builder.finish()
    rows = _rows(builder, text, delimiter)
    first = next((row for row in rows if any(cell.strip() for cell in row)), [])
    try:
        if (header := Columns(first)).are_of_tickets:
            add_ticket_rows(Records(builder, limits.text_characters), header, rows)
        else:
            add_rows(builder, chain([first], rows))
    except TooMuch:
        return Refused("documents.too_much_text", f"The limit is {limits.text_characters:,} characters.")
    return builder.finish()


def _declared(text: str) -> tuple[str, str]:
    """Excel may say the separator in a first line `sep=;`, which is no row."""
    first, _, rest = text.partition("\n")
    if first.lower().startswith("sep=") and len(first.strip()) <= 5:
        return first.strip()[4:] or "\t", rest
    return "", text


def _delimiter(text: str) -> str:
    best, best_score = ",", 0.0
    for delimiter in _DELIMITERS:
        if delimiter not in text[:_SAMPLE_CHARACTERS]:
            continue
        widths = [len(row) for row in _sample(text, delimiter) if row]
        width, often = Counter(widths).most_common(1)[0] if widths else (1, 0)
        score = (often / len(widths)) * min(width, 50) if width > 1 else 0.0
        if score > best_score:
            best, best_score = delimiter, score
    return best


def _columns(text: str, delimiter: str) -> int:
    return max((len(row) for row in _sample(text, delimiter)), default=0)


def _sample(text: str, delimiter: str) -> list[list[str]]:
    try:
        return list(islice(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter), _SAMPLE_ROWS))
    except csv.Error:
        return []


def _rows(builder: Builder, text: str, delimiter: str) -> Iterator[list[str]]:
    try:
        yield from csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)
    except csv.Error:
        builder.warn("rows-unreadable")
