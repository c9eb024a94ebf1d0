"""JSON, and JSON lines: one record a unit, its values named by their path, numbers as they are written."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from documents.parsers.builder import Builder
from documents.parsers.openapi import add_openapi, is_openapi
from documents.parsers.outcome import Limits, Refused
from documents.parsers.plain_values import plain_of
from documents.parsers.records import Fields, Records, TooMuch, Value
from documents.parsers.tickets import add_tickets, export_in
from documents.parsers.written import opened
from documents.text.section import Parsed


def read(path: Path, *, limits: Limits) -> Parsed | Refused:
    """Read JSON, one value or one a line. A line that is no JSON is reported; a file that is none is read as it is written."""
    found = opened(path, "JSON", "json", limits=limits)
    if isinstance(found, Refused):
        return found
    builder, text = found
    records = Records(builder, limits.text_characters)
    try:
        _write(records, builder, text)
    except TooMuch:
        return Refused("documents.too_much_text", f"The limit is {limits.text_characters:,} characters.")
    except RecursionError:
        return Refused("documents.broken", "It is nested too deeply.")
    return builder.finish()


def _write(records: Records, builder: Builder, text: str) -> None:
    try:
        write_known(records, value_of(text))
    except ValueError:
        values = list(_lines(builder, text))
        if len(values) > 1:
            write_known(records, values)
        else:  # with comments in it, or cut off: its words are there all the same
            builder.skipped.clear()
            builder.warn("malformed")
            builder.code(text, "json")


def write_known(records: Records, value: Value) -> None:
    """Write an API description as its operations, an export of tickets as its tickets, anything else as records."""
    if not write_if_known(records, value):
        records.write(value)


def write_if_known(records: Records, value: Value) -> bool:
    """False, and nothing written, for what is neither. Raises TooMuch."""
    plain = plain_of(value)
    if is_openapi(plain):
        add_openapi(records.builder, plain, most_characters=records.most_characters)
        return True
    if (found := export_in(plain)) is None:
        return False
    add_tickets(records, found)
    return True


def value_of(text: str) -> Value:
    """Raises ValueError for what is no JSON, RecursionError for what is nested too deeply."""
    loaded: Value = json.loads(
        text, strict=False, object_pairs_hook=_fields, parse_int=str, parse_float=str, parse_constant=str
    )
    return _plain(loaded)


def _fields(pairs: list[tuple[str, Any]]) -> Fields:
    return Fields(tuple((name, _plain(value)) for name, value in pairs))


def _plain(value: Any) -> Value:
    """null is nothing, true and false are words; objects were made by _fields."""
    if isinstance(value, list):
        return [_plain(item) for item in value]
    if isinstance(value, Fields | str):
        return value
    return "" if value is None else "true" if value else "false"


def _lines(builder: Builder, text: str) -> Iterator[Value]:
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip():
            try:
                yield value_of(line)
            except (ValueError, RecursionError):
                builder.skip("line", f"line {number}", "no valid JSON")
