"""Answers on their way that never arrived: what portal.forgetting.sweep() calls in a worker."""

from __future__ import annotations

from django.db import connections

from documents.queue import ALIAS

LEFT_S = 3600.0
"""As long as whoever asked may come back to read why it failed."""


def sweep() -> int:
    """Remove them for every asker, whom the worker does not see: the database does it (answers/sql/0007_left.sql)."""
    with connections[ALIAS].cursor() as cursor:
        cursor.execute("SELECT footnote.drop_left_questions(%s)", [LEFT_S])
        return int(cursor.fetchone()[0])
