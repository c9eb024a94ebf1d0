"""The read side's statements, one file each."""

from __future__ import annotations

from pathlib import Path

FOLDER = Path(__file__).resolve().parent


def statement(name: str) -> str:
    """The text of `<name>.sql`. Raises FileNotFoundError."""
    return (FOLDER / f"{name}.sql").read_text(encoding="utf-8")
