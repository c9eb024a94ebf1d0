"""Put a process behind all walls that this machine has, from the outermost to the innermost."""

from __future__ import annotations

import ctypes
import os
import resource
import signal
import struct
import sys
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from documents.cage import landlock, seccomp
from documents.cage.mounts import open_up
from documents.cage.user import reachable

_SET_PARENT_DEATH_SIGNAL, _SET_NO_NEW_PRIVS = 1, 38
_SYSTEM = ("/usr", "/lib", "/lib64", "/bin", "/etc/ld.so.cache", "/etc/localtime", "/dev/urandom", "/proc/cpuinfo",
           "/proc/meminfo", "/proc/self/status", "/sys/devices/system/cpu")  # fmt: skip
_PROCESSES = 64
# What the libraries themselves take, which RLIMIT_DATA does not count.
_CODE_BYTES = 40 * 1024 * 1024
_CAPABILITIES = 0x20080522
"""The version of the call."""


@dataclass(frozen=True, slots=True)
class Cage:
    """What one reader may take and touch. `user` is None to stay who one is."""

    memory_bytes: int
    cpu_seconds: int
    output_bytes: int
    alarm_seconds: int
    maps_much: bool
    user: int | None
    readable: Sequence[str]


@dataclass(frozen=True, slots=True)
class Standing:
    """Which walls stand around this process."""

    other_user: bool
    files: bool
    system_calls: bool


def enter(cage: Cage, *, files: Sequence[int], may_start_programs: bool = False) -> Standing:
    """Go behind the walls; there is no way back. `files` are open files that may be opened again through /proc/self/fd."""
    hold_to_limits(cage)
    other = _become(cage.user) if cage.user is not None else False
    if os.geteuid() == 0:
        _drop_capabilities()
    if sys.platform != "linux":
        return Standing(other, files=False, system_calls=False)
    libc = ctypes.CDLL(None)
    libc.prctl(_SET_PARENT_DEATH_SIGNAL, signal.SIGKILL, 0, 0, 0)  # after the change of user, which takes it back
    libc.prctl(_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
    confined = landlock.restrict((*_SYSTEM, *cage.readable), files=files)
    return Standing(other, confined, seccomp.close_gates(may_start_programs=may_start_programs))


def user_for_readers(wanted: int | None, needed: Sequence[str]) -> int | None:
    """The user that readers become, after the folders they need were opened to it; None when that cannot be had."""
    if wanted is None or sys.platform != "linux":
        return wanted
    with suppress(OSError):
        open_up(needed)
    return wanted if all(reachable(Path(path)) for path in needed) else None


def hold_to_limits(cage: Cage) -> None:
    """Bound memory, CPU, file size and descriptors, and let an alarm end a process whose parent is gone."""
    signal.alarm(cage.alarm_seconds)
    # RLIMIT_DATA bounds what is really taken; some libraries map far more than they touch.
    resource.setrlimit(resource.RLIMIT_DATA, (max(cage.memory_bytes - _CODE_BYTES, cage.memory_bytes // 2),) * 2)
    resource.setrlimit(resource.RLIMIT_AS, (cage.memory_bytes * (12 if cage.maps_much else 3),) * 2)
    resource.setrlimit(resource.RLIMIT_CPU, (cage.cpu_seconds, cage.cpu_seconds + 1))
    resource.setrlimit(resource.RLIMIT_FSIZE, (cage.output_bytes,) * 2)
    resource.setrlimit(resource.RLIMIT_NOFILE, (256, 256))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def _drop_capabilities() -> None:
    """A root that could not become another user, and one that is root in its namespace only, keeps the name and no power."""
    libc = ctypes.CDLL(None)
    libc.capset(struct.pack("=II", _CAPABILITIES, 0), bytes(24))


def _become(user: int) -> bool:
    """Another user without groups and without the right to come back; False where that is not allowed."""
    try:
        os.setgroups([])
        os.setresgid(user, user, user)
        os.setresuid(user, user, user)
    except OSError:
        return False
    resource.setrlimit(resource.RLIMIT_NPROC, (_PROCESSES, _PROCESSES))  # counts a whole user, so only for our own
    return True
