"""Settle a Word document before it is read: accept its tracked changes, take hidden text out, collect its notes."""

from __future__ import annotations

import io
import zipfile
from dataclasses import dataclass
from pathlib import Path

from lxml import etree

from documents.parsers.outcome import Refused

_W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_DROPPED = (f"{_W}del", f"{_W}moveFrom", f"{_W}delText", f"{_W}delInstrText")
_KEPT_CONTENT = (
    f"{_W}ins",
    f"{_W}moveTo",
    f"{_W}smartTag",
    f"{_W}customXml",
    f"{_W}sdt",
    f"{_W}sdtContent",
    f"{_W}hyperlink",
)
_PARTS = ("word/document.xml", "word/footnotes.xml", "word/endnotes.xml")
_NOTE_TAGS = (f"{_W}footnote", f"{_W}endnote")


@dataclass(frozen=True, slots=True)
class Settled:
    """A .docx file again, and what a reader of its body does not give."""

    data: bytes
    title: str
    notes: tuple[str, ...]
    comments: int
    hidden_characters: int


def settled(path: Path) -> Settled | Refused:
    """Return the document as it reads with every change accepted; refuses XML that is broken or declares entities."""
    hidden = 0
    notes: list[str] = []
    output = io.BytesIO()
    try:
        with zipfile.ZipFile(path) as source, zipfile.ZipFile(output, "w", zipfile.ZIP_STORED) as target:
            names = source.namelist()
            for name in dict.fromkeys(names):
                if name.startswith(("word/media/", "word/embeddings/")) or name == "word/vbaProject.bin":
                    target.writestr(name, b"")  # pictures and macros are not read; their parts are expected to be there
                    continue
                data = source.read(name)
                if name in _PARTS:
                    root = _parsed(data)
                    hidden += _settle(root)
                    notes += _notes(root)
                    data = etree.tostring(root, xml_declaration=True, encoding="UTF-8", standalone=True)
                target.writestr(name, data)
            comments = _count(source, names, "word/comments.xml", f"{_W}comment")
            title = _title(source, names)
    except (zipfile.BadZipFile, etree.XMLSyntaxError, ValueError, OSError, EOFError, NotImplementedError):
        return Refused("documents.broken", "One of its parts cannot be read.")
    return Settled(output.getvalue(), title, tuple(notes), comments, hidden)


def _parsed(data: bytes) -> etree._Element:
    """Parse without entities, without network, without the limits lifted. Raises ValueError for a document type."""
    if b"<!DOCTYPE" in data[:2048] or b"<!ENTITY" in data:
        raise ValueError("a Word document declares no entities")
    return etree.fromstring(data, etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False))


def _settle(root: etree._Element) -> int:
    """Accept insertions, drop deletions and hidden runs; returns how many hidden characters went."""
    hidden = 0
    for element in list(root.iter(*_DROPPED)):
        _remove(element)
    for mark in list(root.iter(f"{_W}vanish", f"{_W}webHidden")):
        run = next(mark.iterancestors(f"{_W}r"), None)
        if run is not None and mark.get(f"{_W}val") not in ("0", "false", "off"):
            hidden += len(_text(run))
            _remove(run)
    for element in list(root.iter(*_KEPT_CONTENT)):
        _unwrap(element)
    return hidden


def _text(element: etree._Element) -> str:
    return "".join(run.text or "" for run in element.iter(f"{_W}t"))


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
        if child.tag not in (f"{_W}sdtPr", f"{_W}sdtEndPr", f"{_W}smartTagPr", f"{_W}customXmlPr"):
            parent.insert(at, child)
    parent.remove(element)


def _notes(root: etree._Element) -> list[str]:
    """Footnotes and endnotes with their numbers; the separators that Word keeps among them have a type."""
    found = []
    for note in root.iter(*_NOTE_TAGS):
        text = _text(note).strip()
        if text and note.get(f"{_W}type") is None:
            found.append(f"[{note.get(f'{_W}id')}] {text}")
    return found


def _count(source: zipfile.ZipFile, names: list[str], part: str, tag: str) -> int:
    return sum(1 for _ in _parsed(source.read(part)).iter(tag)) if part in names else 0


def _title(source: zipfile.ZipFile, names: list[str]) -> str:
    if "docProps/core.xml" not in names:
        return ""
    root = _parsed(source.read("docProps/core.xml"))
    return (root.findtext("{http://purl.org/dc/elements/1.1/}title") or "").strip()
