"""Titles that programs put into a file's properties, and which of them say something."""

from __future__ import annotations

import re

_JUNK = re.compile(
    r"^(?:untitled.*|\(?anonymous\)?|document ?\d*|title|unknown|microsoft .*|powerpoint[ -].*|presentation|diapositive \d+|"
    r"folie \d+|.*\.\w{2,5}|.*\b(?:slide|page) ?\d+|[\W\d]*)$",
    re.IGNORECASE,
)


def worth_showing(title: str) -> str:
    """Return the title, or "" for one that a program made up or that is no longer readable."""
    title = title.replace("\x00", "").strip()
    return "" if _JUNK.match(title) or "\ufffd" in title or title.count("?") > len(title) / 4 else title
