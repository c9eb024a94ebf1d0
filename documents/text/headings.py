"""Keep track of the headings above a place in a document."""

from __future__ import annotations

_LONGEST_HEADING = 200


class Outline:
    """The open headings while a document is read from top to bottom; levels count from 1 and may skip."""

    def __init__(self) -> None:
        self._open: list[tuple[int, str]] = []

    @property
    def path(self) -> tuple[str, ...]:
        """The open headings, outermost first."""
        return tuple(text for _, text in self._open)

    def enter(self, level: int, text: str) -> tuple[str, ...]:
        """Open a heading, close those at its level and below, and return the path above it."""
        while self._open and self._open[-1][0] >= level:
            self._open.pop()
        above = self.path
        self._open.append((level, short(text)))
        return above


def short(heading: str) -> str:
    """Return a heading on one line and of bearable length."""
    line = " ".join(heading.split())
    return line if len(line) <= _LONGEST_HEADING else line[: _LONGEST_HEADING - 1].rstrip() + "…"


def common(first: tuple[str, ...], second: tuple[str, ...]) -> tuple[str, ...]:
    """Return the headings that two paths share from the outside in."""
    shared = 0
    for one, other in zip(first, second, strict=False):
        if one != other:
            break
        shared += 1
    return first[:shared]
