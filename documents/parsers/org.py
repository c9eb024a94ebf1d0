"""Org files: headings by their stars, source blocks, lists, tables and drawers told apart by line."""

from __future__ import annotations

import re
from pathlib import Path

from documents.parsers.builder import Builder
from documents.parsers.lines import Lines
from documents.parsers.outcome import Limits, Refused
from documents.parsers.written import opened
from documents.text.section import Parsed

_HEADING = re.compile(r"^(\*+)\s+(?:(?:TODO|DONE|NEXT|WAITING)\s+)?(?:\[#\w\]\s+)?(.*?)(?:\s+:[\w@:]+:)?\s*$")
_KEYWORD = re.compile(r"^\s*#\+(\w+):\s*(.*)$", re.IGNORECASE)
_BEGIN = re.compile(r"^\s*#\+begin_(\w+)\s*(\S*)", re.IGNORECASE)
_DRAWER = re.compile(r"^\s*:[\w-]+:\s*$")
_ITEM = re.compile(r"^\s*(?:[-+]|\d+[.)])\s+\S")
_LINK = re.compile(r"\[\[(?:[^\]\[]*)\](?:\[([^\]]*)\])?\]")
_MARK = re.compile(r"(?<![\w*])([*/_=~+])(\S|\S[^\n]{0,500}?\S)\1(?![\w*])")
_CODE = frozenset(("src", "example", "export"))


def read(path: Path, *, limits: Limits) -> Parsed | Refused:
    """Read an Org file; comments and drawers go, marks of emphasis go, a link keeps its words."""
    found = opened(path, "Org", "org", limits=limits)
    if isinstance(found, Refused):
        return found
    builder, text = found
    lines = Lines(builder, text, inline)
    while not lines.at_end:
        _line(builder, lines)
    lines.flush()
    return builder.finish()


def _line(builder: Builder, lines: Lines) -> None:
    line = lines.take()
    if found := _HEADING.match(line):
        lines.heading(len(found.group(1)), found.group(2))
    elif found := _BEGIN.match(line):
        body = lines.upto(re.compile(rf"^\s*#\+end_{re.escape(found.group(1))}", re.IGNORECASE))
        if found.group(1).lower() in _CODE:
            lines.code(body, found.group(2) if found.group(1).lower() == "src" else "")
        else:
            lines.paragraph(body)
    elif found := _KEYWORD.match(line):
        _keyword(builder, lines, found.group(1).lower(), found.group(2))
    elif _DRAWER.match(line):
        lines.flush()
        lines.upto(re.compile(r"^\s*:end:\s*$", re.IGNORECASE))
    elif line.lstrip().startswith("|"):
        lines.table([line, *lines.while_matches(re.compile(r"^\s*\|"))])
    elif _ITEM.match(line):
        lines.item(line)
    elif not line.lstrip().startswith("# "):
        lines.words(line)


def _keyword(builder: Builder, lines: Lines, name: str, value: str) -> None:
    if name == "title":
        builder.title = value
    elif name == "caption":
        lines.paragraph([value])


def inline(text: str) -> str:
    """The words of a line without Org's marks."""
    text = _LINK.sub(lambda found: found.group(1) or "", text)
    return _MARK.sub(r"\2", text) if any(mark in text for mark in "*/_=~+") else text
