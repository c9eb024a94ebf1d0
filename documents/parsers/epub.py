"""EPUB books: the chapters in the order of their spine, each read as the web page it is."""

from __future__ import annotations

import posixpath
import re
from pathlib import Path
from urllib.parse import unquote

from lxml import etree

from documents.parsers.builder import Builder
from documents.parsers.html import add_html, declared_charset
from documents.parsers.outcome import Limits, Refused
from documents.parsers.parts import BROKEN, Parts, broken, opened
from documents.parsers.titles import worth_showing
from documents.text.normalise import decode
from documents.text.section import Parsed

_OPF = "{http://www.idpf.org/2007/opf}"
_DC = "{http://purl.org/dc/elements/1.1/}"
_ROOT_FILE = "{urn:oasis:names:tc:opendocument:xmlns:container}rootfile"
_DOCTYPE = re.compile(rb"<!DOCTYPE[^>\[]*>", re.IGNORECASE)
_FONTS_ONLY = re.compile(rb"ns\.adobe\.com/pdf/enc#RC|idpf\.org/2008/embedding")


def read(path: Path, *, limits: Limits) -> Parsed | Refused:
    """Read a book; its table of contents is left out, its pictures are reported. A locked one is refused."""
    parts = opened(path, limits)
    if isinstance(parts, Refused):
        return parts
    with parts:
        try:
            return _read(parts)
        except BROKEN:
            return broken()


def _read(parts: Parts) -> Parsed | Refused:
    container = parts.xml("META-INF/container.xml")
    name = "" if container is None else next((one.get("full-path", "") for one in container.iter(_ROOT_FILE)), "")
    name = name or next((one for one in sorted(parts.names) if one.endswith(".opf")), "")
    if name not in parts.names:
        return Refused("documents.mislabelled", "Its name says EPUB, but it holds no book.")
    if "META-INF/encryption.xml" in parts.names and not _FONTS_ONLY.search(parts.data("META-INF/encryption.xml")):
        return Refused("documents.password", "The book is protected by its seller.")
    package = etree.fromstring(
        _DOCTYPE.sub(b"", parts.data(name)), etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False)
    )
    builder = Builder("epub")
    for field, element in (("title", "title"), ("author", "creator"), ("language", "language")):
        builder.metadata[field] = (package.findtext(f".//{_DC}{element}") or "").strip()
    title = builder.title = worth_showing(builder.metadata["title"])
    for chapter in _chapters(package, name):
        if chapter in parts.names:
            data = parts.data(chapter)
            builder.title = title or "untitled"  # a chapter's own title is not the book's
            add_html(builder, decode(data, declared=declared_charset(data)).text)
        else:
            builder.skip("chapter", chapter, "is not in the file")
    builder.title = title
    for picture in sorted(
        one for one in parts.names if one.lower().endswith((".png", ".jpg", ".jpeg", ".gif", ".svg"))
    ):
        builder.skip("picture", posixpath.basename(picture), "not read")
    return builder.finish()


def _chapters(package: etree._Element, name: str) -> list[str]:
    """The files of the chapters in reading order."""
    folder = posixpath.dirname(name)
    items = {one.get("id", ""): one for one in package.iter(f"{_OPF}item", "item")}
    found = []
    for reference in package.iter(f"{_OPF}itemref", "itemref"):
        item = items.get(reference.get("idref", ""))
        if item is None or "nav" in (item.get("properties") or "").split():
            continue
        found.append(posixpath.normpath(posixpath.join(folder, unquote(item.get("href", "")))))
    return found
