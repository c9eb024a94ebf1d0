"""Hits made whole: a table or a block of code that was cut into pieces is shown with the pieces beside the one that was found."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from django.db import connections

from retrieval.lexical import Place
from retrieval.ranking.evidence import Passage
from retrieval.sql import statement

NEIGHBOURS, STRETCHES = statement("neighbours"), statement("stretches")
LONGEST = 4_000
"""Characters of a joined passage: some four pieces. What is longer stays in pieces."""
CUT_KINDS = frozenset(("table", "code"))


@dataclass(frozen=True, slots=True)
class Piece:
    """A chunk as far as joining looks at it."""

    chunk_id: int
    version_id: int
    ordinal: int
    kind: str
    heading_path: tuple[str, ...]
    start: int
    end: int
    prefix: str


def continues(before: Piece, after: Piece) -> bool:
    """True when both are pieces of one table (the later repeats its header) or of one block of code (one line apart)."""
    if before.version_id != after.version_id or after.ordinal != before.ordinal + 1:
        return False
    if before.kind != after.kind or after.kind not in CUT_KINDS or before.heading_path != after.heading_path:
        return False
    return bool(after.prefix) if after.kind == "table" else after.start - before.end <= 1


def made_whole(place: Place, placed: Sequence[Passage]) -> list[Passage]:
    """The passages in their order, cut ones with their neighbours; what became part of a better one is not listed again.

    A joined passage keeps the ids and scores of the chunk that was found; its offsets and text are those of the whole.
    """
    cut = [passage for passage in placed if passage.kind in CUT_KINDS]
    if not cut:
        return list(placed)
    pieces = _around(place, cut)
    runs: dict[int, tuple[Piece, Piece]] = {}
    absorbed: set[int] = set()
    for passage in cut:
        if passage.chunk_id in absorbed:
            continue
        run = _run(_piece(passage), pieces, absorbed | runs.keys())
        if len(run) > 1:
            runs[passage.chunk_id] = (run[0], run[-1])
            absorbed.update(piece.chunk_id for piece in run if piece.chunk_id != passage.chunk_id)
    texts = _texts(place, list(runs.values()))
    return [_joined(passage, runs, texts) for passage in placed if passage.chunk_id not in absorbed]


def _piece(passage: Passage) -> Piece:
    return Piece(
        passage.chunk_id, passage.version_id, passage.ordinal, passage.kind, passage.heading_path,
        passage.start, passage.end, passage.prefix,
    )  # fmt: skip


def _around(place: Place, cut: Sequence[Passage]) -> dict[tuple[int, int], Piece]:
    """By (version, ordinal), the three pieces on each side of every cut passage."""
    wanted = sorted({(p.version_id, p.ordinal + step) for p in cut for step in range(-3, 4) if p.ordinal + step >= 0})
    with connections[place.alias].cursor() as cursor:
        values = {"versions": [version for version, _ in wanted], "ordinals": [ordinal for _, ordinal in wanted]}
        cursor.execute(NEIGHBOURS, {**place.keys, **values})
        found = [Piece(row[0], row[1], row[2], row[3], tuple(row[4]), row[5], row[6], row[7]) for row in cursor]
    return {(piece.version_id, piece.ordinal): piece for piece in found}


def _run(hit: Piece, pieces: Mapping[tuple[int, int], Piece], taken: set[int]) -> list[Piece]:
    """The hit with what continues it on both sides, at most LONGEST characters, in reading order."""
    run = [hit]
    for step in (1, -1):
        while True:
            edge = run[-1] if step > 0 else run[0]
            beside = pieces.get((edge.version_id, edge.ordinal + step))
            if beside is None or beside.chunk_id in taken:
                break
            pair = (edge, beside) if step > 0 else (beside, edge)
            if not continues(*pair) or max(run[-1].end, beside.end) - min(run[0].start, beside.start) > LONGEST:
                break
            run.insert(len(run) if step > 0 else 0, beside)
    return run


def _texts(place: Place, runs: Sequence[tuple[Piece, Piece]]) -> dict[tuple[int, int], str]:
    """By (version, start), the text from the first piece's start to the last one's end."""
    if not runs:
        return {}
    values = {
        "versions": [first.version_id for first, _ in runs],
        "starts": [first.start for first, _ in runs],
        "ends": [last.end for _, last in runs],
    }
    with connections[place.alias].cursor() as cursor:
        cursor.execute(STRETCHES, {**place.keys, **values})
        return {(version, start): text for version, start, text in cursor.fetchall()}


def _joined(passage: Passage, runs: Mapping[int, tuple[Piece, Piece]], texts: Mapping[tuple[int, int], str]) -> Passage:
    first, last = runs.get(passage.chunk_id, (None, None))
    if first is None or last is None or not (text := texts.get((first.version_id, first.start))):
        return passage
    return replace(passage, text=text, start=first.start, end=last.end, prefix=first.prefix, is_joined=True)
