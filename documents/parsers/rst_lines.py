"""Lines of reStructuredText: indentation, list marks, and the parts of a directive."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator, Sequence

_OPTION = re.compile(r"^ *:([\w-]+):(?: +(.*))?$")
_BULLET = re.compile(r"^([-*+•‣⁃])(\s+)(?=\S)|^([-*+])$")
_NUMBER = re.compile(r"^(\(?(?:\d{1,4}|#|[a-zA-Z]|[ivxlcdm]{2,7})[.)])(\s+)(?=\S)")


def item_start(line: str) -> str:
    """Return the mark a list item starts with, its space included; "" for any other line."""
    found = _BULLET.match(line) or _NUMBER.match(line)
    return found.group(0) if found else ""


def item_mark(mark: str, number: int) -> str:
    """Return the mark as it is shown: a dash for any bullet, its number for an automatic one."""
    if mark in ("-", "*", "+") or not mark.isascii():
        return "-"
    return f"{number}." if mark[0] == "#" else mark


def bulleted(lines: Sequence[str]) -> Iterator[list[str]]:
    """The bodies of the items of one bullet list."""
    body: list[str] = []
    for line in lines:
        mark = _BULLET.match(line)
        if mark:
            if body:
                yield body
            body = [" " * len(mark.group(0)) + line[len(mark.group(0)) :]]
        elif body:
            body.append(line)
    if body:
        yield body


def parts(body: Sequence[str]) -> tuple[list[str], dict[str, str], list[str]]:
    """Split what stands under a directive: more lines of its argument, its options, and its content."""
    lines = dedented(body)
    at = 0
    more: list[str] = []
    options: dict[str, str] = {}
    while at < len(lines) and lines[at] and not _OPTION.match(lines[at]):
        more.append(lines[at])
        at += 1
    name = ""
    while at < len(lines) and lines[at] and (_OPTION.match(lines[at]) or name):
        if found := _OPTION.match(lines[at]):
            name = found.group(1)
            options[name] = found.group(2) or ""
        else:
            options[name] += "\n" + lines[at].strip()
        at += 1
    return more, options, lines[at:]


def csv_rows(text: str) -> list[list[str]]:
    """Return the rows of comma-separated text; lines as they are when it is malformed."""
    try:
        return [[cell.strip() for cell in row] for row in csv.reader(io.StringIO(text), skipinitialspace=True) if row]
    except csv.Error:
        return [[line] for line in text.split("\n") if line]


def indented(lines: Sequence[str], at: int, least: int) -> list[str]:
    """The lines from `at` on that are blank or indented, without the blank ones at their end."""
    end = at
    last = at
    while end < len(lines) and (not lines[end] or lines[end].startswith(" " * least)):
        end += 1
        if lines[end - 1]:
            last = end
    return list(lines[at:last])


def quoted(lines: Sequence[str], at: int) -> list[str]:
    """A literal block that is not indented but has the same quoting mark before each line."""
    start = at
    while start < len(lines) and not lines[start]:
        start += 1
    if start >= len(lines) or not re.match(r"[>|$#%]", lines[start]):
        return []
    end = start
    while end < len(lines) and lines[end].startswith(lines[start][0]):
        end += 1
    return list(lines[at:end])


def dedented(lines: Sequence[str]) -> list[str]:
    """Return the lines without the indentation they share."""
    depth = min((len(line) - len(line.lstrip(" ")) for line in lines if line), default=0)
    return [line[depth:] for line in lines] if depth else list(lines)
