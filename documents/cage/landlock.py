"""Landlock: from here on this process opens nothing but what is named, whoever it runs as (Linux 5.13)."""

from __future__ import annotations

import ctypes
import os
import struct
from collections.abc import Iterable
from contextlib import suppress

_CREATE, _ADD, _RESTRICT = 444, 445, 446
_VERSION_FLAG = 1
_PATH_BENEATH = 1
_EXECUTE, _WRITE, _READ, _READ_DIRECTORY = 1, 2, 4, 8
# How many rights on files each version of the interface knows.
_RIGHTS = {1: 13, 2: 14, 3: 15, 4: 15, 5: 16}
_TCP = 3
_SIGNALS_AND_SOCKETS = 3
_SET_NO_NEW_PRIVS = 38


def version() -> int:
    """The version of Landlock here; 0 where there is none."""
    found: int = ctypes.CDLL(None, use_errno=True).syscall(_CREATE, None, ctypes.c_size_t(0), _VERSION_FLAG)
    return max(found, 0)


def restrict(readable: Iterable[str], *, files: Iterable[int] = ()) -> bool:
    """Allow reading (and executing) below these paths and reading the open files, nothing else; False where there is none."""
    known = version()
    if not known:
        return False
    libc = ctypes.CDLL(None, use_errno=True)
    rights = (1 << _RIGHTS.get(known, 16)) - 1
    wanted = struct.pack("=QQQ", rights, _TCP if known >= 4 else 0, _SIGNALS_AND_SOCKETS if known >= 6 else 0)
    ruleset = libc.syscall(_CREATE, wanted, ctypes.c_size_t(24 if known >= 6 else 16 if known >= 4 else 8), 0)
    if ruleset < 0:
        return False
    for path in readable:
        with suppress(OSError):
            opened = os.open(path, os.O_PATH | os.O_CLOEXEC)
            directory = os.path.isdir(path)  # noqa: PTH112 - no pathlib in the child before it reads
            _add(libc, ruleset, opened, _EXECUTE | _READ | (_READ_DIRECTORY if directory else 0))
            os.close(opened)
    for descriptor in files:
        _add(libc, ruleset, descriptor, _READ)
    with suppress(OSError):
        null = os.open("/dev/null", os.O_PATH | os.O_CLOEXEC)
        _add(libc, ruleset, null, _READ | _WRITE)
        os.close(null)
    libc.prctl(_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
    done = libc.syscall(_RESTRICT, ruleset, 0) == 0
    os.close(ruleset)
    return bool(done)


def _add(libc: ctypes.CDLL, ruleset: int, opened: int, rights: int) -> None:
    libc.syscall(_ADD, ruleset, _PATH_BENEATH, struct.pack("=Qi", rights, opened), 0)
