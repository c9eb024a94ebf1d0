"""What the last words of a fallen process mean for the person at the terminal."""

from __future__ import annotations

from collections.abc import Iterable

KNOWN = (
    ("No space left on device", "The disk is full. What was stored is safe; free some space and start again."),
    ("Disk quota exceeded", "The disk quota is used up. What was stored is safe; free some space and start again."),
    ("Address already in use", "Another program took its port meanwhile. Start again, or choose another with PORT=…"),
    ("Cannot allocate memory", "The machine is out of memory. Stop something else, or give it more than 1 GB."),
    ("MemoryError", "The machine is out of memory. Stop something else, or give it more than 1 GB."),
    ("No module named", "A package is missing. Run `make run`, which installs what is needed."),
    ("password authentication failed", "The database refused a password: DATABASE_URL and the passwords do not match."),
    ("Connection refused", "A service that it needs does not answer: see DATABASE_URL, BROKER_URL and EMBEDDER_URL."),
    ("could not translate host name", "The host in DATABASE_URL is not known. Look for a misspelling."),
    ("Too many open files", "The system's limit of open files is reached: raise it with `ulimit -n 4096`."),
)


def explain(lines: Iterable[str]) -> str:
    """The first known reason found in the lines, last line first; empty when none is known."""
    for line in reversed(tuple(lines)):
        for sign, meaning in KNOWN:
            if sign in line:
                return meaning
    return ""
