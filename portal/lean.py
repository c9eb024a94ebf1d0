"""What a program need not load, and what loading it left behind."""

from __future__ import annotations

import ctypes
import gc
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module

UNUSED = ("docutils", "jinja2", "pygments", "requests")
"""What Django's test tools, admindocs and DRF's browsable pages and test client load where it is installed. The web process has
none of these, and is 10 MB smaller without."""


def load_pages(urls: str) -> None:
    """Every page and API route, before the first request asks for one."""
    with _unseen(UNUSED):
        import_module("drf_spectacular.plumbing")
        import_module("rest_framework.views")
    import_module(urls)


@contextmanager
def _unseen(names: tuple[str, ...]) -> Iterator[None]:
    """Modules that are not loaded yet are as if they were not installed."""
    hidden = [name for name in names if name not in sys.modules]
    sys.modules.update(dict.fromkeys(hidden))  # type: ignore[arg-type]
    try:
        yield
    finally:
        for name in hidden:
            del sys.modules[name]


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
