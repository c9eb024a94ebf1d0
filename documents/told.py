"""What a webhook's message says of a document beside its state: names as of now, never text (portal/hooks/sending.py)."""

from __future__ import annotations

from typing import Any

from documents.models import Document
from portal.scope import Scope


def describe(scope: Scope, ref: str) -> dict[str, Any]:
    """Needs an open principal. Nothing for one out of sight; of a purged one its name is gone."""
    row = Document.objects.visible_to(scope).filter(ref=ref).select_related("collection").first()
    if row is None:
        return {}
    return {"name": row.name, "collection": {"ref": row.collection.ref, "name": row.collection.name}}
