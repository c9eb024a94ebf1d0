from __future__ import annotations

import gzip
from pathlib import Path

import django_htmx

from tests.pages.render import ROOT

HTMX = Path(django_htmx.__file__).parent / "static/django_htmx/htmx-2.min.js"


def gzipped_bytes(*paths: Path) -> int:
    """Each file compressed by itself, as they are served."""
    return sum(len(gzip.compress(path.read_bytes(), 9)) for path in paths)


def test_all_styles_together_stay_below_20_kb_gzipped() -> None:
    assert gzipped_bytes(*(ROOT / "static/css").glob("*.css")) <= 20_000


def test_all_scripts_together_with_htmx_stay_below_30_kb_gzipped() -> None:
    assert gzipped_bytes(HTMX, *(ROOT / "static/js").glob("*.js")) <= 30_000


def test_nothing_in_static_reaches_outside() -> None:
    texts = {path.name: path.read_text() for path in (ROOT / "static").rglob("*.*") if path.suffix in {".css", ".js"}}

    assert [name for name, text in texts.items() if "://" in text or "@import" in text or "url(" in text] == []
    assert [name for name, text in texts.items() if "eval(" in text or "new Function" in text] == []
