"""How much evidence goes to the writer."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from retrieval.ranking.evidence import Passage

MAX_PASSAGES: Final = 6
MAX_CHARACTERS: Final = 9_000


@dataclass(frozen=True, slots=True)
class Evidence:
    """`passages` are numbered from 1 by their place; `dropped` were found and left out, best first."""

    passages: tuple[Passage, ...]
    dropped: tuple[Passage, ...]
    spent: int


def choose(
    passages: Sequence[Passage],
    *,
    limit: int = MAX_CHARACTERS,
    most: int = MAX_PASSAGES,
    cost: Callable[[str], int] = len,
) -> Evidence:
    """The best passages that fit into `limit` (characters, or what `cost` counts), in the order given.

    A passage that lies wholly inside a kept one is dropped. A long one that does not fit is passed over for a later,
    shorter one. The first is always kept, so evidence is empty only for empty input.
    """
    kept: list[Passage] = []
    dropped: list[Passage] = []
    spent = 0
    for passage in passages:
        price = cost(_as_sent(passage))
        fits = not kept or (len(kept) < most and spent + price <= limit)
        if not fits or any(_holds(other, passage) for other in kept):
            dropped.append(passage)
            continue
        kept.append(passage)
        spent += price
    return Evidence(tuple(kept), tuple(dropped), spent)


def _as_sent(passage: Passage) -> str:
    return "\n".join(part for part in (passage.title, *passage.heading_path, passage.prefix, passage.text) if part)


def _holds(outer: Passage, inner: Passage) -> bool:
    return outer.version_id == inner.version_id and outer.start <= inner.start and inner.end <= outer.end
