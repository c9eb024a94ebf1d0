"""Keep one document from filling the list."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable
from typing import TypeVar

T = TypeVar("T")


def capped(items: Iterable[T], *, document: Callable[[T], Hashable], per_document: int) -> list[T]:
    """At most `per_document` items of each document first, in their order; what is over the cap follows, in its order.

    Nothing is dropped, so a list of k that only one document can fill stays k long. ValueError for a cap below 1.
    """
    if per_document < 1:
        raise ValueError("per_document counts from 1")
    seen: Counter[Hashable] = Counter()
    kept: list[T] = []
    over: list[T] = []
    for item in items:
        seen[document(item)] += 1
        (kept if seen[document(item)] <= per_document else over).append(item)
    return kept + over
