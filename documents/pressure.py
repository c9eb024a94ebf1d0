"""Back-pressure: a workspace whose queue is full is told to wait, before anything of the file is stored."""

from __future__ import annotations

from django.conf import settings
from django.db import connections

from portal.scope import Scope, open_alias

SOONEST_S, LATEST_S = 5, 600
ROOM = 10
"""Places to wait for: asking again when the very next one is free would be too early for most."""
UNKNOWN_PACE_S = 6.0


def wait_s(scope: Scope) -> int:
    """Seconds until the workspace's queue has room again by its own pace, 0 while it has. Needs an open principal; one query."""
    most = settings.MAX_WAITING_FILES
    with connections[open_alias(scope)].cursor() as cursor:
        cursor.execute("SELECT waiting, pace_s FROM footnote.workspace_queue(%s)", [most])
        waiting, pace_s = cursor.fetchone()
    if waiting < most:
        return 0
    return round(min(LATEST_S, max(SOONEST_S, (pace_s or UNKNOWN_PACE_S) * ROOM)))


def detail(wait: int) -> str:
    """What a person reads of it."""
    return f"{settings.MAX_WAITING_FILES:,} of them are in line; send this one again in {wait:,} seconds."
