"""SQL files as migration operations: a file under an app's sql/ folder is numbered and never edited after a release."""

from __future__ import annotations

from pathlib import Path

from django.db.migrations import RunSQL


def run_script(app_dir: Path, name: str) -> RunSQL:
    """The file as one operation. Not reversible: isolation is not something to migrate away from."""
    return RunSQL((app_dir / "sql" / name).read_text(encoding="utf-8"))
