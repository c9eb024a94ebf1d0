"""What the styles and numbers of a Word document say of a paragraph: heading of which level, item of which list."""

from __future__ import annotations

import re

from lxml import etree

from documents.parsers.docx_changes import W

_HEADING = re.compile(r"^(?:heading|überschrift|titre|título|заголовок|标题|見出し)\s*(\d)$", re.IGNORECASE)
_LEVELS = 9
_LONGEST_CHAIN = 20


class Styles:
    """The paragraph styles of a document by id, what they inherit included."""

    def __init__(self, root: etree._Element | None) -> None:
        self._styles = {one.get(f"{W}styleId", ""): one for one in root.iter(f"{W}style")} if root is not None else {}
        self._levels: dict[str, int] = {}

    def level(self, paragraph: etree._Element) -> int:
        """The level of a heading from 1, 0 for the document's title, -1 for a paragraph that is none."""
        properties = paragraph.find(f"{W}pPr")
        if properties is None:
            return -1
        if (outline := properties.find(f"{W}outlineLvl")) is not None:
            return _outline(outline)
        style = properties.find(f"{W}pStyle")
        name = style.get(f"{W}val", "") if style is not None else ""
        if name not in self._levels:
            self._levels[name] = self._of_style(name)
        return self._levels[name]

    def number(self, paragraph: etree._Element) -> tuple[str, int] | None:
        """(numbering, level from 0) of an item of a list, None for what is none."""
        properties = paragraph.find(f"{W}pPr")
        if properties is None:
            return None
        style = properties.find(f"{W}pStyle")
        found = _number(properties)
        for one in self._chain(style.get(f"{W}val", "") if style is not None else ""):
            if found is not None:
                break
            inner = one.find(f"{W}pPr")
            found = _number(inner) if inner is not None else None
        return None if found is None or found[0] == "0" else found

    def _of_style(self, name: str) -> int:
        for one in self._chain(name):
            called = one.find(f"{W}name")
            words = called.get(f"{W}val", "") if called is not None else ""
            if words.lower() == "title":
                return 0
            if heading := _HEADING.match(words):
                return int(heading.group(1))
            if (outline := one.find(f"{W}pPr/{W}outlineLvl")) is not None:
                return _outline(outline)
        found = _HEADING.match(re.sub(r"(?<=[a-z])(?=\d)", " ", name))
        return int(found.group(1)) if found and name not in self._styles else -1

    def _chain(self, name: str) -> list[etree._Element]:
        """A style and those it is based on."""
        found: list[etree._Element] = []
        while name in self._styles and len(found) < _LONGEST_CHAIN:
            found.append(self._styles[name])
            based = found[-1].find(f"{W}basedOn")
            name = based.get(f"{W}val", "") if based is not None else ""
        return found


def _outline(element: etree._Element) -> int:
    value = element.get(f"{W}val", "")
    return int(value) + 1 if value.isdigit() and int(value) < _LEVELS else -1


def _number(properties: etree._Element) -> tuple[str, int] | None:
    found = properties.find(f"{W}numPr")
    if found is None:
        return None
    number, level = found.find(f"{W}numId"), found.find(f"{W}ilvl")
    depth = level.get(f"{W}val", "0") if level is not None else "0"
    if number is None:
        return None
    return number.get(f"{W}val", "0"), int(depth) if depth.isdigit() and len(depth) < 3 else 0


class Numbering:
    """The lists of a document: what each item is marked with, counted while it is read from top to bottom."""

    def __init__(self, root: etree._Element | None) -> None:
        self._formats: dict[tuple[str, int], tuple[str, int]] = {}
        self._abstract: dict[str, str] = {}
        self._counts: dict[tuple[str, int], int] = {}
        if root is not None:
            self._read(root)

    def _read(self, root: etree._Element) -> None:
        for one in root.iter(f"{W}abstractNum"):
            for level in one.iter(f"{W}lvl"):
                kind, start = level.find(f"{W}numFmt"), level.find(f"{W}start")
                first = start.get(f"{W}val", "1") if start is not None else "1"
                key = (one.get(f"{W}abstractNumId", ""), _whole(level.get(f"{W}ilvl")))
                self._formats[key] = (kind.get(f"{W}val", "") if kind is not None else "decimal", _whole(first))
        for one in root.iter(f"{W}num"):
            abstract = one.find(f"{W}abstractNumId")
            self._abstract[one.get(f"{W}numId", "")] = abstract.get(f"{W}val", "") if abstract is not None else ""

    def mark(self, number: str, level: int) -> str:
        """The mark of the next item: "-" or its number."""
        kind, first = self._formats.get((self._abstract.get(number, ""), level), ("bullet", 1))
        count = self._counts.get((number, level), first - 1) + 1
        self._counts[number, level] = count
        for key in [key for key in self._counts if key[0] == number and key[1] > level]:
            del self._counts[key]
        if kind in ("bullet", "none", ""):
            return "-"
        if kind in ("lowerLetter", "upperLetter") and 1 <= count <= 26:
            return f"{chr((97 if kind == 'lowerLetter' else 65) + count - 1)}."
        return f"{count}."


def _whole(value: str | None) -> int:
    return int(value) if value and value.isdigit() and len(value) < 9 else 0
