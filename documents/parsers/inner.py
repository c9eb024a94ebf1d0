"""Words with markup inside a value: HTML and Markdown as they read, in a paragraph of their own."""

from __future__ import annotations

import re

from documents.parsers.builder import Builder
from documents.parsers.html import add_html
from documents.parsers.markdown import add_markdown

_HTML = re.compile(
    r"<(?:p|br|div|span|a|ul|ol|li|table|b|i|em|strong|h[1-6]|pre|code|img|blockquote)\b[^>]*>", re.IGNORECASE
)
_MARKS = re.compile(r"[*_`#>|\[]|^\s*(?:[-+]|\d+\.)\s", re.MULTILINE)


def add_words(builder: Builder, text: str) -> None:
    """Add HTML as HTML and everything else as Markdown, whose line breaks are kept. Its headings are paragraphs here."""
    if not text.strip():
        return
    inner = Builder(builder.parser)
    if _HTML.search(text):
        add_html(inner, text)
    elif _MARKS.search(text):
        add_markdown(inner, "\n".join(f"{line}  " if line.strip() else "" for line in text.splitlines()))
    else:
        inner.prose(text)
    builder.absorb(inner)
