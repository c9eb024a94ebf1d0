"""The kinds of file that are read, by the ending of their names, and those that are known and not read yet."""

from __future__ import annotations

Kind = str

TEXT, MARKDOWN, RST, HTML, PDF, DOCX, EML = "text", "markdown", "rst", "html", "pdf", "docx", "eml"

NAMES: dict[Kind, str] = {
    TEXT: "plain text",
    MARKDOWN: "Markdown",
    RST: "reStructuredText",
    HTML: "HTML",
    PDF: "PDF",
    DOCX: "Word (.docx)",
    EML: "e-mail (.eml)",
}
BY_ENDING: dict[str, Kind] = {
    "txt": TEXT, "text": TEXT, "log": TEXT,
    "md": MARKDOWN, "markdown": MARKDOWN, "mdown": MARKDOWN, "mkd": MARKDOWN, "mdx": MARKDOWN,
    "rst": RST, "rest": RST,
    "html": HTML, "htm": HTML, "xhtml": HTML,
    "pdf": PDF,
    "docx": DOCX,
    "eml": EML,
}  # fmt: skip
# Written as text: what their bytes are cannot tell one from another, so the ending decides.
WRITTEN: frozenset[Kind] = frozenset((TEXT, MARKDOWN, RST, HTML, EML))
# Files without an ending that are plain text by custom.
PLAIN_NAMES = frozenset(
    ("readme", "license", "licence", "copying", "changelog", "changes", "authors", "notice", "todo", "news")
)
ACCEPTED_ENDINGS: tuple[str, ...] = tuple(f".{ending}" for ending in BY_ENDING)


def ending_of(filename: str) -> str:
    """Return the ending of a file name in lower case without its dot; "" when it has none."""
    stem, dot, ending = filename.rpartition(".")
    return ending.lower() if dot and stem else ""


def supported() -> str:
    """Name all kinds in one phrase for a person."""
    return ", ".join(NAMES.values())
