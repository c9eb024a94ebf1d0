"""Releases, operations and tickets: one unit each, found first by version, operation name and number."""

from __future__ import annotations

import re
import shutil
import tempfile
from pathlib import Path
from typing import Any

from bench import inside
from bench.registry import Bar, Bench, Figures, measures

CHANGELOGS = {
    "fastapi-release-notes.md": r"^## (\d[\w.]*)",
    "readthedocs.org-CHANGELOG.rst": r"^Version (\d[\w.]*)\n-{3,}$",
    "wagtail-CHANGELOG.txt": r"^(\d[\w.]*)[^\n]*\n~{3,}$",
}
"""How a naive look finds the releases of each."""


@measures(
    Bar("entry_operations", ">=", 300),
    Bar("entries_one_unit", "=", 1.0),
    Bar("entries_found_first", ">=", 1.0),
    is_long=True,
)
def entries(bench: Bench) -> Figures:
    """Three changelogs of docs/changelogs, an API made by script, four exports of tickets, each in a collection of its own.

    `entries_one_unit`: the share of what a naive look finds that is an entry, each once, with passages of its own.
    `entries_found_first`: of all entries, asked for by what they are called, the share whose passage is the first (by words).
    """
    state = Path(tempfile.mkdtemp(prefix="footnote-entries-"))
    state.chmod(0o711)
    try:
        found: dict[str, dict[str, Any]] = inside.beside(
            state, "bench.inside_entries:measure", without=("valkey", "embedder"), changelogs=wanted(bench.data)
        )
    finally:
        shutil.rmtree(state, ignore_errors=True)
    for name, one in found.items():
        missed = ", ".join(one["missed"][:12]) or "none"
        bench.note(f"{name}: {one['units']} of {one['wanted']} one unit each, {one['first']} first, missed: {missed}")
    total = sum(one["wanted"] for one in found.values())
    return {
        "entry_operations": found["shop-api.json"]["units"],
        "entries_one_unit": sum(one["units"] for one in found.values()) / total,
        "entries_found_first": sum(one["first"] for one in found.values()) / total,
    }


def wanted(data: Path) -> dict[str, list[str]]:
    """The versions in each changelog, by its path."""
    folder = data / "docs" / "changelogs"
    return {
        str(folder / name): re.findall(pattern, (folder / name).read_text(encoding="utf-8"), re.MULTILINE)
        for name, pattern in CHANGELOGS.items()
    }
