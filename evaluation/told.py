"""What a webhook's message says of a run beside its state (portal/hooks/sending.py)."""

from __future__ import annotations

from typing import Any

from evaluation.models import Run
from portal.scope import Scope


def describe(scope: Scope, ref: str) -> dict[str, Any]:
    """Needs an open principal. Nothing for one out of sight."""
    row = Run.objects.visible_to(scope).filter(ref=ref).select_related("golden_set").first()
    if row is None:
        return {}
    return {"name": row.name, "golden_set": {"ref": row.golden_set.ref, "name": row.golden_set.name}}
