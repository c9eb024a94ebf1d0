"""Look at a folder again and again, and act once it has changed and stands still."""

from __future__ import annotations

from collections.abc import Callable, Mapping

Seen = Mapping[str, tuple[int, int]]


def watch(look: Callable[[], Seen], act: Callable[[], object], wait: Callable[[], bool]) -> None:
    """Call `act` when two looks in a row are the same and the last act was for something else; end when `wait` says False.

    A file that is still being written changes between two looks, so it is not read half.
    """
    before: Seen | None = None
    done: Seen | None = None
    while True:
        now = look()
        if now == before and now != done:
            act()
            done = now
        before = now
        if not wait():
            return
