"""Let another user reach folders that stand below a closed one (a Python under /root), and hide what else is in that one.

Works in a mount namespace of one's own, as root; nothing of it is seen outside.
"""

from __future__ import annotations

import ctypes
import os
import stat
from collections.abc import Iterable, Sequence
from contextlib import suppress
from pathlib import Path

_BIND, _NO_SET_USER_ID, _NO_DEVICES = 4096, 2, 4


def open_up(needed: Sequence[str]) -> None:
    """Put an empty, open folder over each closed one above a needed path, and the needed ones back in their places."""
    closed = _outermost(one for path in needed for one in _closed_above(Path(path)))
    for folder in closed:
        inside = {
            path: os.open(path, os.O_PATH) for path in dict.fromkeys(needed) if folder in Path(path).resolve().parents
        }
        if not _mount("tmpfs", folder, "tmpfs", _NO_SET_USER_ID | _NO_DEVICES, "mode=0755,size=64k"):
            continue
        for path, descriptor in inside.items():
            with suppress(OSError):
                Path(path).mkdir(parents=True, mode=0o755)
            _mount(f"/proc/self/fd/{descriptor}", Path(path), "", _BIND, "")
            os.close(descriptor)


def _closed_above(path: Path) -> Iterable[Path]:
    for one in path.resolve().parents:
        if not one.stat().st_mode & stat.S_IXOTH:
            yield one


def _outermost(paths: Iterable[Path]) -> list[Path]:
    found = set(paths)
    return sorted(one for one in found if not found & set(one.parents))


def _mount(source: str, target: Path, kind: str, flags: int, options: str) -> bool:
    libc = ctypes.CDLL(None, use_errno=True)
    given = (
        source.encode(),
        str(target).encode(),
        kind.encode() or None,
        ctypes.c_ulong(flags),
        options.encode() or None,
    )
    return bool(libc.mount(*given) == 0)
