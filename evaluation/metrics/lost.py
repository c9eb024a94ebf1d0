"""Rankings as the metrics take them: by gold passages, not by chunks. Where a gold passage was lost is answers.rules.lost."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence

from answers.rules.lost import Gold


def ranked_keys(chunk_ids: Sequence[int], gold: Sequence[Gold], group_of: Mapping[int, Hashable]) -> list[Hashable]:
    """The list as the ranking metrics take it: a gold passage's number where it is first held, else the chunk's group, each once.

    `group_of` gives a chunk's document when whole documents are judged, else nothing, and chunks stand for themselves.
    """
    ranked: dict[Hashable, None] = {}
    for chunk_id in chunk_ids:
        held = [number for number, one in enumerate(gold) if chunk_id in one.chunk_ids]
        keys: list[Hashable] = [*held] or [("other", group_of.get(chunk_id, chunk_id))]
        for key in keys:
            ranked.setdefault(key)
    return list(ranked)
