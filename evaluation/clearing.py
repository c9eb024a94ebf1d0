"""Everything of some workspaces or collections removed, whatever table holds it. Runs as the owner role."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from django.db import IntegrityError, connections, transaction

from portal.people import OWNER

Column = Literal["workspace_id", "collection_id"]
ITSELF = {"workspace_id": "portal_workspace", "collection_id": "portal_collection"}


def clear(column: Column, ids: Sequence[int]) -> None:
    """Delete every row that names one of the ids in the column, then what the ids name; one transaction."""
    tables = _tables(column)
    with transaction.atomic(using=OWNER), connections[OWNER].cursor() as cursor:
        cursor.execute("SET CONSTRAINTS ALL DEFERRED")
        while tables:
            if not (gone := [table for table in tables if _emptied(table, column, ids)]):
                raise RuntimeError(f"these tables hold each other: {', '.join(tables)}")
            tables = [table for table in tables if table not in gone]
        cursor.execute(f"DELETE FROM {ITSELF[column]} WHERE id = ANY (%s)", [list(ids)])  # noqa: S608 (a name of ours)


def _tables(column: str) -> list[str]:
    with connections[OWNER].cursor() as cursor:
        cursor.execute(
            "SELECT c.relname FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = %s"
            " WHERE c.relnamespace = 'public'::regnamespace AND c.relkind = 'r' AND NOT a.attisdropped ORDER BY 1",
            [column],
        )
        return [name for (name,) in cursor.fetchall()]


def _emptied(table: str, column: str, ids: Sequence[int]) -> bool:
    """False while rows of another table still hold on to these."""
    try:
        with transaction.atomic(using=OWNER), connections[OWNER].cursor() as cursor:
            cursor.execute(f'DELETE FROM "{table}" WHERE {column} = ANY (%s)', [list(ids)])  # noqa: S608 (a name from the catalogue)
    except IntegrityError:
        return False
    return True
