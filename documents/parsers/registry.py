"""One reader for each kind, imported when the first file of that kind comes."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Protocol, cast

from documents.parsers import kinds
from documents.parsers.kinds import Kind
from documents.parsers.outcome import Limits, Refused
from documents.text.section import Parsed

READERS: dict[Kind, str] = {
    kinds.TEXT: "documents.parsers.plain",
    kinds.MARKDOWN: "documents.parsers.markdown",
    kinds.RST: "documents.parsers.rst",
    kinds.HTML: "documents.parsers.html",
    kinds.PDF: "documents.parsers.pdf",
    kinds.DOCX: "documents.parsers.docx",
    kinds.EML: "documents.parsers.eml",
    kinds.CSV: "documents.parsers.delimited",
    kinds.TSV: "documents.parsers.delimited",
    kinds.XLSX: "documents.parsers.xlsx",
    kinds.PPTX: "documents.parsers.pptx",
    kinds.JSON: "documents.parsers.json_file",
    kinds.NDJSON: "documents.parsers.json_file",
    kinds.XML: "documents.parsers.xml_file",
    kinds.YAML: "documents.parsers.yaml_file",
    kinds.CODE: "documents.parsers.code",
    kinds.NOTEBOOK: "documents.parsers.notebook",
    kinds.RTF: "documents.parsers.rtf",
    kinds.ODT: "documents.parsers.odf",
    kinds.ODS: "documents.parsers.odf",
    kinds.ODP: "documents.parsers.odf",
    kinds.EPUB: "documents.parsers.epub",
    kinds.MSG: "documents.parsers.msg",
    kinds.MBOX: "documents.parsers.mbox",
    kinds.SUBTITLES: "documents.parsers.subtitles",
    kinds.ICS: "documents.parsers.ics",
    kinds.ORG: "documents.parsers.org",
    kinds.ASCIIDOC: "documents.parsers.asciidoc",
    kinds.TEX: "documents.parsers.tex",
    kinds.DOC: "documents.parsers.legacy",
    kinds.PPT: "documents.parsers.legacy",
    kinds.XLS: "documents.parsers.legacy",
    kinds.XLSB: "documents.parsers.legacy",
    kinds.PICTURE: "documents.parsers.picture",
}


class Reader(Protocol):
    """A module that reads one kind of file."""

    def read(self, path: Path, *, limits: Limits) -> Parsed | Refused:
        """Return the readable parts of the file, or why it cannot be read. Never fetches or runs anything it names."""


def parse(path: Path, *, kind: Kind, limits: Limits) -> Parsed | Refused:
    """Read a file with the reader of its kind; a file in which no text was found is refused."""
    reader = cast("Reader", import_module(READERS[kind]))
    parsed = reader.read(path, limits=limits)
    if isinstance(parsed, Refused):
        return parsed
    if sum(len(section.text) for section in parsed.sections) > limits.text_characters:
        return Refused("documents.too_much_text", f"The limit is {limits.text_characters:,} characters.")
    return parsed if parsed.sections else _no_text(parsed)


def _no_text(parsed: Parsed) -> Refused:
    report = parsed.report
    if report.pages:
        noun = "page" if report.pages == 1 else "pages"
        missing = " They are pictures, and OCR is not installed." if "ocr-missing" in report.warnings else ""
        return Refused("documents.no_text", f"{report.pages} {noun} without text.{missing}")
    if report.hidden_characters:
        return Refused("documents.no_text", f"{report.hidden_characters:,} hidden characters were left out.")
    return Refused("documents.no_text")
