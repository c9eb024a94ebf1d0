"""A line of facts begins with an element: a first `.dot` draws no separator, so bare text would run into it."""

from __future__ import annotations

import re
from pathlib import Path

TEMPLATES = Path(__file__).resolve().parents[2] / "templates"
BARE = re.compile(r"""\}\}(?:\{%[^%]*%\})*<span class="dot">""")


def test_no_line_of_facts_begins_with_bare_text() -> None:
    found = [path.name for path in sorted(TEMPLATES.rglob("*.html")) if BARE.search(path.read_text(encoding="utf-8"))]

    assert found == []
