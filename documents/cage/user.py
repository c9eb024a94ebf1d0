"""Which user a reader runs as when Footnote runs as root, and whether that user can reach the programs it needs."""

from __future__ import annotations

import os
import pwd
import stat
from pathlib import Path

ACCOUNT = "footnote-reader"
# Nobody's: PostgreSQL may run as `nobody`, and whoever shares a user with it could end it.
_FREE = 64_317


def reader_user() -> int | None:
    """The user id for readers; None when we are not root."""
    if os.geteuid() != 0:
        return None
    try:
        return pwd.getpwnam(ACCOUNT).pw_uid
    except KeyError:
        return _FREE


def reachable(path: Path) -> bool:
    """Say whether every folder down to the path lets others in."""
    for one in (path, *path.resolve().parents, path.resolve()):
        try:
            mode = one.stat().st_mode
        except OSError:
            return False
        if stat.S_ISDIR(mode) and not mode & stat.S_IXOTH:
            return False
    return True
