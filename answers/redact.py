"""What answers keep of a document, blanked when it is purged: what portal.forgetting.redact() calls."""

from __future__ import annotations

from collections.abc import Mapping

from django.db import connections

from portal.scope import Scope, open_alias


def redact(scope: Scope, document_id: int, *, version_id: int | None = None) -> Mapping[str, int]:
    """For every asker, whom the purging person does not see: the database does it (answers/sql/0005_redact.sql)."""
    one = "SELECT citations, answers, traces FROM footnote.redact_version(%s)"
    whole = "SELECT citations, answers, traces FROM footnote.redact_answers(%s)"
    with connections[open_alias(scope)].cursor() as cursor:
        cursor.execute(whole if version_id is None else one, [document_id if version_id is None else version_id])
        citations, answers, traces = cursor.fetchone()
    return {"citations": citations, "answers": answers, "traces": traces}
