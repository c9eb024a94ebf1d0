"""Word documents read from their XML: headings, lists with their numbers, tables as true grids, notes, changes accepted."""

from __future__ import annotations

from pathlib import Path

from lxml import etree

from documents.parsers.builder import Builder
from documents.parsers.docx_body import Body
from documents.parsers.docx_changes import W, notes_of, settle
from documents.parsers.docx_styles import Numbering, Styles
from documents.parsers.outcome import Limits, Refused
from documents.parsers.parts import BROKEN, Parts, broken, opened
from documents.text.section import Parsed

_MAIN = "word/document.xml"
_FURNITURE = {"header": "repeats on every page", "footer": "repeats on every page"}
_SHOWN_WORDS = 100


def read(path: Path, *, limits: Limits) -> Parsed | Refused:
    """Read a Word document: insertions are text, deletions are not; notes follow the text.

    Comments, headers and footers are reported.
    """
    parts = opened(path, limits)
    if isinstance(parts, Refused):
        return parts
    with parts:
        try:
            return _read(parts)
        except BROKEN:
            return broken()


def _read(parts: Parts) -> Parsed | Refused:
    main = next((name for kind, name in parts.relations("").values() if kind == "officeDocument"), _MAIN)
    root = parts.xml(main)
    if root is None:
        return Refused("documents.mislabelled", "Its name says Word (.docx), but it holds no Word document.")
    body = root.find(f"{W}body")
    if body is None:
        return broken()
    builder = Builder("docx")
    builder.title = parts.title()
    builder.hidden_characters += settle(root)
    related = dict(parts.relations(main).values())
    styles = Styles(parts.xml(related.get("styles", "word/styles.xml")))
    numbering = Numbering(parts.xml(related.get("numbering", "word/numbering.xml")))
    Body(builder, styles, numbering).read(body)
    notes = [note for kind in ("footnotes", "endnotes") for note in _notes(builder, parts, f"word/{kind}.xml")]
    if notes:
        builder.heading(1, "Notes")
        for note in notes:
            builder.prose(note)
    _report(builder, parts)
    return builder.finish()


def _notes(builder: Builder, parts: Parts, name: str) -> list[str]:
    root = parts.xml(name)
    if root is None:
        return []
    builder.hidden_characters += settle(root)
    return notes_of(root)


def _report(builder: Builder, parts: Parts) -> None:
    """What is in the file and not in the text: comments, what repeats on every page, pictures, embedded files."""
    if (root := parts.xml("word/comments.xml")) is not None:
        comments = [text for one in root.iter(f"{W}comment") if (text := _words(one))]
        if comments:
            builder.skip("comment", f"{len(comments)} comments", "not part of the text")
    seen: set[tuple[str, str]] = set()
    for name in sorted(parts.names):
        base = name.rpartition("/")[2]
        kind = (
            base.removesuffix(".xml").rstrip("0123456789") if name.startswith("word/") and name.count("/") == 1 else ""
        )
        if kind in _FURNITURE:
            root = parts.xml(name)
            words = _words(root)[:_SHOWN_WORDS] if root is not None else ""
            if words and (kind, words) not in seen:
                seen.add((kind, words))
                builder.skip(kind, words, _FURNITURE[kind])
        elif name.startswith(("word/media/", "word/embeddings/")):
            builder.skip("picture" if "/media/" in name else "embedded-file", base, "not read")


def _words(root: etree._Element) -> str:
    return " ".join("".join(one.text or "" for one in root.iter(f"{W}t")).split())
