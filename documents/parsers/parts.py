"""The parts of a zip-based document: opened after its directory was checked, parsed without entities or network."""

from __future__ import annotations

import posixpath
import re
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType

from lxml import etree

from documents.parsers.archive import checked
from documents.parsers.outcome import Limits, Refused
from documents.parsers.titles import worth_showing

_NO_MEMORY = 2
"""libxml2's XML_ERR_NO_MEMORY."""
_RELATION = "{http://schemas.openxmlformats.org/package/2006/relationships}Relationship"
_TITLE = "{http://purl.org/dc/elements/1.1/}title"
_STRICT = re.compile(rb"http://purl\.oclc\.org/ooxml/(wordprocessingml|officeDocument)/(main|relationships)")
BROKEN = (
    zipfile.BadZipFile, etree.XMLSyntaxError, ValueError, OSError, EOFError, NotImplementedError, KeyError, IndexError, zlib.error,
)  # fmt: skip
"""What reading a damaged or hostile container raises; a reader turns it into a refusal."""


class Parts:
    """The parts of an open container by name."""

    def __init__(self, archive: zipfile.ZipFile, names: frozenset[str]) -> None:
        self._archive = archive
        self.names = names

    def __enter__(self) -> Parts:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._archive.close()

    def data(self, name: str) -> bytes:
        return self._archive.read(name)

    def stream(self, name: str) -> zipfile.ZipExtFile:
        """A part to be read piece by piece; the caller closes it."""
        return self._archive.open(name)  # type: ignore[return-value]

    def xml(self, name: str) -> etree._Element | None:
        """The root of a part, None when there is no such part. Raises what BROKEN lists."""
        return parsed(self.data(name)) if name in self.names else None

    def relations(self, name: str) -> dict[str, tuple[str, str]]:
        """The parts that a part points at: id → (last word of its type, full name). Addresses outside are left out."""
        folder, _, base = name.rpartition("/")
        root = self.xml(f"{folder}/_rels/{base}.rels" if folder else f"_rels/{base}.rels")
        found: dict[str, tuple[str, str]] = {}
        for one in root.iter(_RELATION) if root is not None else ():
            if one.get("TargetMode") != "External":
                target = one.get("Target", "")
                full = (
                    target.lstrip("/") if target.startswith("/") else posixpath.normpath(posixpath.join(folder, target))
                )
                found[one.get("Id", "")] = (one.get("Type", "").rpartition("/")[2], full)
        return found

    def title(self) -> str:
        """The title in an Office file's properties, or ""."""
        try:
            root = self.xml("docProps/core.xml")
        except BROKEN:
            return ""
        return worth_showing(root.findtext(_TITLE) or "") if root is not None else ""


def opened(path: Path, limits: Limits) -> Parts | Refused:
    """Open a container whose directory keeps the limits; refused as documents.broken, .password or .too_large otherwise."""
    names = checked(path, limits)
    if isinstance(names, Refused):
        return names
    return Parts(zipfile.ZipFile(path), names)


def parsed(data: bytes) -> etree._Element:
    """Parse a part without entities, without network, without the limits lifted. Raises ValueError for a document type."""
    if b"<!DOCTYPE" in data[:2048] or b"<!ENTITY" in data:
        raise ValueError("a part of a document declares no entities")
    if b"purl.oclc.org/ooxml" in data[:4096]:  # the strict form says the same with other names
        data = _STRICT.sub(_transitional, data)
    try:
        return etree.fromstring(
            data,
            etree.XMLParser(
                resolve_entities=False, no_network=True, load_dtd=False, remove_comments=True, remove_pis=True
            ),
        )
    except etree.XMLSyntaxError as trouble:
        if getattr(trouble, "code", 0) == _NO_MEMORY:
            raise MemoryError from trouble
        raise


def _transitional(found: re.Match[bytes]) -> bytes:
    return b"http://schemas.openxmlformats.org/%s/2006/%s" % found.groups()


@contextmanager
def streamed(parts: Parts, name: str, *tags: str) -> Iterator[Iterator[etree._Element]]:
    """The elements of these names in a part, one at a time; each is emptied when the next one is asked for."""
    with parts.stream(name) as source:
        yield _elements(source, tags)


def _elements(source: zipfile.ZipExtFile, tags: tuple[str, ...]) -> Iterator[etree._Element]:
    events = etree.iterparse(
        source, events=("end",), tag=tags, resolve_entities=False, no_network=True, load_dtd=False, remove_comments=True
    )
    for _, element in events:
        yield element
        element.clear()
        while element.getprevious() is not None:
            parent = element.getparent()
            if parent is None:
                break
            del parent[0]


def broken() -> Refused:
    return Refused("documents.broken", "One of its parts cannot be read.")
