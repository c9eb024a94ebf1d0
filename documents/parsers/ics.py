"""Calendars (iCalendar): one event or task a unit, with when, where, who and what about."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from documents.parsers.builder import Builder
from documents.parsers.outcome import Limits, Refused
from documents.parsers.written import opened
from documents.text.section import Parsed

_SHOWN = {
    "DTSTART": "Starts", "DTEND": "Ends", "DUE": "Due", "RRULE": "Repeats", "LOCATION": "Where", "STATUS": "Status",
    "ORGANIZER": "Organizer", "ATTENDEE": "Attendee", "CATEGORIES": "Categories", "URL": "Address", "UID": "Id",
    "COMMENT": "Comment", "CONTACT": "Contact", "PRIORITY": "Priority",
}  # fmt: skip
_LINE = re.compile(r'^([\w-]+)((?:;[\w-]+=(?:"[^"]*"|[^;:"]*)(?:,(?:"[^"]*"|[^;:"]*))*)*):(.*)$', re.DOTALL)
_COMMON_NAME = re.compile(r';CN=("?)([^";:]+)\1')
_ESCAPES = re.compile(r"\\([nN,;\\])")
_STAMP = re.compile(r"^(\d{4})(\d{2})(\d{2})(?:T(\d{2})(\d{2})(\d{2})(Z?))?$")
_UNITS = frozenset(("VEVENT", "VTODO", "VJOURNAL"))


def read(path: Path, *, limits: Limits) -> Parsed | Refused:
    """Read a calendar; alarms and time zones are left out."""
    found = opened(path, "a calendar", "icalendar", limits=limits)
    if isinstance(found, Refused):
        return found
    builder, text = found
    if "BEGIN:VCALENDAR" not in text.upper():
        return Refused("documents.mislabelled", "Its name says calendar, but it holds none.")
    inside: list[str] = []
    fields: list[tuple[str, str, str]] = []
    for name, parameters, value in _fields(text):
        if name == "BEGIN":
            inside.append(value.strip().upper())
            fields = [] if inside[-1] in _UNITS else fields
        elif name == "END":
            if inside and inside[-1] in _UNITS:
                _add(builder, fields)
            inside = inside[:-1]
        elif inside and inside[-1] in _UNITS:
            fields.append((name, parameters, value))
        elif inside == ["VCALENDAR"] and name == "X-WR-CALNAME":
            builder.title = value
    return builder.finish()


def _fields(text: str) -> Iterator[tuple[str, str, str]]:
    """Name, parameters and value of each line, long lines put together again."""
    for line in re.sub(r"\n[ \t]", "", text).split("\n"):
        if found := _LINE.match(line):
            name, parameters, value = found.groups()
            yield name.upper(), parameters, _ESCAPES.sub(lambda one: "\n" if one[1] in "nN" else one[1], value)


def _add(builder: Builder, fields: list[tuple[str, str, str]]) -> None:
    summary = next((value for name, _, value in fields if name == "SUMMARY"), "")
    builder.heading(1, summary or "Event")
    lines = []
    for name, parameters, value in fields:
        if name in _SHOWN and value.strip():
            lines.append(f"- {_SHOWN[name]}: {_shown(parameters, value)}")
    builder.items("\n".join(lines))
    for name, _, value in fields:
        if name == "DESCRIPTION":
            builder.prose(value)


def _shown(parameters: str, value: str) -> str:
    if stamp := _STAMP.match(value):
        year, month, day, hour, minute, _, is_utc = stamp.groups()
        return f"{year}-{month}-{day}" + (f" {hour}:{minute}{' UTC' if is_utc else ''}" if hour else "")
    address = " ".join(re.sub(r"^mailto:", "", value, flags=re.IGNORECASE).split())
    found = _COMMON_NAME.search(parameters)
    return f"{found.group(2)} <{address}>" if found and found.group(2) != address else address
