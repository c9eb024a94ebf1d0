"""Give back what loading a program left behind."""

from __future__ import annotations

import ctypes
import gc


def settle() -> None:
    """After a process has loaded what it serves: nothing of it is looked at by the collector again, freed heap goes back."""
    gc.collect()
    gc.freeze()
    give_back_freed_memory()


def give_back_freed_memory() -> None:
    """glibc keeps what was freed between what is in use; other C libraries have no such call."""
    try:
        trim = ctypes.CDLL(None).malloc_trim
    except (AttributeError, OSError, TypeError):
        return
    trim(0)
