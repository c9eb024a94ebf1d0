"""P2's statements: those of hostile.sql, and three that are tried on every table."""

from __future__ import annotations

import re
from pathlib import Path

from django.apps import apps

HEADING = re.compile(r"^-- ((?:reads|oracles|rights|system|writes): .+)$", re.MULTILINE)


def statements(**names: object) -> dict[str, str]:
    """Name → SQL with the ids and refs of the planted world filled in."""
    text = Path(__file__).with_suffix(".sql").read_text(encoding="utf-8")
    _, *parts = HEADING.split(text)
    written = dict(zip(parts[::2], parts[1::2], strict=True))
    return {name: sql.strip().format(**names) for name, sql in (written | on_every_table()).items()}


def on_every_table() -> dict[str, str]:
    """Read all of it, empty it, and move the other workspace's rows here: of every model that the project has or will have."""
    found = {}
    for model in apps.get_models():
        table = model._meta.db_table
        found[f"reads: everything in {table}"] = f"SELECT t::text FROM {table} t"
        if any(field.column == "workspace_id" for field in model._meta.concrete_fields):
            found[f"writes: steal {table}"] = (
                f"UPDATE {table} SET workspace_id = {{north}} WHERE workspace_id = {{south}} RETURNING {table}::text"
            )
        if table.startswith("documents_"):
            found[f"writes: empty {table}"] = f"DELETE FROM {table} t WHERE t::text LIKE '%' RETURNING t::text"
    return found
