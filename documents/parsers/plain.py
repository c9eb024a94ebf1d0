"""Plain text in any encoding: paragraphs at blank lines."""

from __future__ import annotations

import re
from pathlib import Path

from documents.parsers.builder import Builder
from documents.parsers.changelog import dialect, is_release, mark_releases
from documents.parsers.markdown import add_markdown
from documents.parsers.outcome import Limits, Refused
from documents.parsers.records import Records, TooMuch
from documents.parsers.rst import add_rst
from documents.parsers.unnamed import add_if_known
from documents.text.normalise import decode, looks_binary
from documents.text.section import Parsed

_PARAGRAPHS = re.compile(r"\n[ \t]*\n\s*")


def read(path: Path, *, limits: Limits) -> Parsed | Refused:
    """Read a text file; its line breaks stay, since nobody knows which of them mean something."""
    data = path.read_bytes()
    if looks_binary(data):
        return Refused("documents.mislabelled", "Its name says plain text, its content is binary data.")
    decoded = decode(data)
    builder = Builder("plain", encoding=decoded.encoding)
    if decoded.lossy:
        builder.warn("undecodable-bytes")
    text = decoded.text.replace("\r\n", "\n").replace("\r", "\n").replace("\x0c", "\n\n")
    try:
        if not add_if_known(Records(builder, limits.text_characters), text.removeprefix("\ufeff")):
            add_plain(builder, text)
            mark_releases(builder)
    except TooMuch:
        return Refused("documents.too_much_text", f"The limit is {limits.text_characters:,} characters.")
    return builder.finish()


def add_plain(builder: Builder, text: str) -> None:
    """Add a text with LF line ends; a changelog is read in the dialect that its headings show."""
    written = dialect(text)
    if written == "rst":
        add_rst(builder, text)
    elif written == "markdown":
        add_markdown(builder, text)
    else:
        for paragraph in _PARAGRAPHS.split(text):
            head, _, rest = paragraph.strip("\n").partition("\n") if written == "plain" else ("", "", paragraph)
            if head and is_release(head):
                builder.heading(1, head)
            else:
                rest = paragraph
            builder.prose(rest)
