"""No core dumps: a process that dies would write its memory to the disk, and a question with it."""

from __future__ import annotations

import contextlib
import sys


def forbid_core_dumps() -> None:
    """For this process and those it starts. Nothing happens where there are no such limits."""
    if sys.platform == "win32":
        return
    import resource

    with contextlib.suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
