"""Settle the XML of a Word document before it is read: accept its tracked changes, take hidden text out."""

from __future__ import annotations

from lxml import etree

W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_DROPPED = (f"{W}del", f"{W}moveFrom", f"{W}delText", f"{W}delInstrText")
_KEPT_CONTENT = (
    f"{W}ins",
    f"{W}moveTo",
    f"{W}smartTag",
    f"{W}customXml",
    f"{W}sdt",
    f"{W}sdtContent",
    f"{W}hyperlink",
)
_NOTE_TAGS = (f"{W}footnote", f"{W}endnote")


def settle(root: etree._Element) -> int:
    """Accept insertions, drop deletions and hidden runs; returns how many hidden characters went."""
    hidden = 0
    for element in list(root.iter(*_DROPPED)):
        _remove(element)
    for mark in list(root.iter(f"{W}vanish", f"{W}webHidden")):
        run = next(mark.iterancestors(f"{W}r"), None)
        if run is not None and mark.get(f"{W}val") not in ("0", "false", "off"):
            hidden += len(_text(run))
            _remove(run)
    for element in list(root.iter(*_KEPT_CONTENT)):
        _unwrap(element)
    return hidden


def _text(element: etree._Element) -> str:
    return "".join(run.text or "" for run in element.iter(f"{W}t"))


def _remove(element: etree._Element) -> None:
    parent = element.getparent()
    if parent is not None:
        parent.remove(element)


def _unwrap(element: etree._Element) -> None:
    """Put the content of an element in its place."""
    parent = element.getparent()
    if parent is None:
        return
    at = parent.index(element)
    for child in reversed(list(element)):
        if child.tag not in (f"{W}sdtPr", f"{W}sdtEndPr", f"{W}smartTagPr", f"{W}customXmlPr"):
            parent.insert(at, child)
    parent.remove(element)


def notes_of(root: etree._Element) -> list[str]:
    """Footnotes and endnotes with their numbers; the separators that Word keeps among them have a type."""
    found = []
    for note in root.iter(*_NOTE_TAGS):
        text = _text(note).strip()
        if text and note.get(f"{W}type") is None:
            found.append(f"[{note.get(f'{W}id')}] {text}")
    return found
