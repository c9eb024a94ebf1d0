"""The words that are plainly in a file: what a naive look at its bytes or XML finds, without any reader of ours.

Marks of the format are no words of it, nor is what we leave out on purpose: the navigation and the frame of web pages.
"""

from __future__ import annotations

import html
import re
import zipfile
from pathlib import Path

import pypdfium2 as pdfium

from documents.text.normalise import decode

_WORD = re.compile(r"[^\W_]{2,}")
_XML_PARTS = {
    "docx": (r"word/document\.xml", r"<w:t(?:\s[^>]*)?>([^<]*)"),
    "pptx": (r"ppt/slides/slide\d+\.xml", r"<a:t(?:\s[^>]*)?>([^<]*)"),
    "xlsx": (r"xl/sharedStrings\.xml|xl/worksheets/sheet\d+\.xml", r"<(?:\w+:)?t(?:\s[^>]*)?>([^<]*)"),
    "odt": (r"content\.xml", r">([^<]+)"),
    "ods": (r"content\.xml", r">([^<]+)"),
    "odp": (r"content\.xml", r">([^<]+)"),
    "epub": (r".*\.x?html?", r">([^<]+)<"),
}
_AS_WRITTEN = frozenset(("text", "csv", "tsv", "json", "ndjson", "code", "yaml", "markdown", "rst", "org", "asciidoc"))
# Words may be cut between the runs of a paragraph, never between paragraphs, cells or lines.
_BLOCK_ENDS = re.compile(
    r"</(?:w:p|a:p|text:p|text:h|(?:\w+:)?si|(?:\w+:)?c)>|<(?:w:tab|w:br|a:br|text:tab|text:line-break|text:s)\b"
)
_FURIGANA = re.compile(r"<rPh.*?</rPh>", re.DOTALL)
_TAGS = re.compile(
    r"<(script|style|title|nav|footer|header|aside|iframe)\b.*?</\1>|<!--.*?-->|<[^>]*>", re.DOTALL | re.IGNORECASE
)
_MARKUP = re.compile(
    r"https?://\S+|\]\([^)\s]*\)|\\[nrtu][0-9a-f]{0,4}|^:[\w-]+:.*$|^\[.*\]$|\b(?:image|btn|include)::?\S*\[[^\]]*\]|^\.\. .*$",
    re.MULTILINE,
)


def plain_words(path: Path, kind: str) -> set[str]:
    """The distinct words of a file; empty where a naive look finds none or does not know the kind."""
    try:
        return words_of(_plain_text(path, kind))
    except (
        OSError,
        ValueError,
        KeyError,
        zipfile.BadZipFile,
        pdfium.PdfiumError,
        NotImplementedError,
        RuntimeError,
        EOFError,
    ):
        return set()


def words_of(text: str) -> set[str]:
    """The distinct words of a text, in lower case, of two letters or more."""
    return {word.lower() for word in _WORD.findall(text)}


def _plain_text(path: Path, kind: str) -> str:
    if kind in _XML_PARTS:
        name, pattern = _XML_PARTS[kind]
        with zipfile.ZipFile(path) as archive:
            parts = [
                archive.read(one).decode("utf-8", "replace") for one in archive.namelist() if re.fullmatch(name, one)
            ]
        if kind == "epub":
            return html.unescape(" ".join(_TAGS.sub(" ", part) for part in parts))
        blocks = (block for part in parts for block in _BLOCK_ENDS.split(_FURIGANA.sub("", part)))
        return html.unescape(" ".join("".join(re.findall(pattern, block)) for block in blocks))
    if kind == "pdf":
        return _pdf_text(path)
    text = decode(path.read_bytes()).text
    if kind in _AS_WRITTEN:
        return html.unescape(_MARKUP.sub(" ", _TAGS.sub(" ", text) if kind == "markdown" else text))
    return html.unescape(_TAGS.sub(" ", text)) if kind in ("xml", "html") else ""


def _pdf_text(path: Path) -> str:
    document = pdfium.PdfDocument(path)
    try:
        pages = [document[index].get_textpage().get_text_range() for index in range(len(document))]
    finally:
        document.close()
    return " ".join(re.sub(r"[\ufffe\x02]|-\r?\n", "", page) for page in pages)
