"""Where a question's evidence was lost on the way from the corpus to the answer: the debugger's verdict."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

GoldState = Literal["held", "cut", "not_read"]
STAGES: Mapping[str, str] = {
    "": "nothing was lost",
    "not_read": "not read: the gold document or its text is not in the searched collections",
    "cut": "cut by chunking: no passage holds the whole of it",
    "not_listed": "in neither list: its passage shares too little with the question, in words and in meaning",
    "not_lexical": "not in the list by words",
    "not_dense": "not in the list by meaning",
    "fusion": "lost in fusion: in both lists, but not among the passages that were kept",
    "budget": "dropped by the budget: found, but not given to the writer",
    "unused": "given but not used: the answer quotes something else",
    "declined": "declined although its passage was given",
    "refused": "refused: not a question that can be searched",
    "answered": "answered where declining was right",
    "error": "failed: an error ended the question",
}


@dataclass(frozen=True, slots=True)
class Gold:
    """A gold passage with the chunks that hold it now."""

    document: str
    chunk_ids: frozenset[int]
    state: GoldState
    gain: float = 1.0


@dataclass(frozen=True, slots=True)
class Passed:
    """What each stage let through, as chunk ids. A list that was switched off is None."""

    words: Collection[int] | None
    meaning: Collection[int] | None
    kept: Collection[int]
    given: Collection[int]
    quoted: Collection[int]
    declined_by: str = ""


def lost_at(gold: Sequence[Gold], passed: Passed) -> str:
    """A key of STAGES for the gold passage that came furthest, "" when one was quoted or none is expected.

    A decline carries its gate: `declined:answers.score_too_low`.
    """
    if not gold:
        return ""
    verdict = max((_one(one, passed) for one in gold), key=_ORDER.index)
    return f"declined:{passed.declined_by}" if verdict == "declined" else verdict


_ORDER = ("not_read", "cut", "not_listed", "not_lexical", "not_dense", "fusion", "budget", "declined", "unused", "")


def _one(gold: Gold, passed: Passed) -> str:
    if gold.state != "held":
        return gold.state
    if _any(gold, passed.quoted):
        return ""
    if _any(gold, passed.given):
        return "declined" if passed.declined_by else "unused"
    if _any(gold, passed.kept):
        return "budget"
    in_words, in_meaning = (None if found is None else _any(gold, found) for found in (passed.words, passed.meaning))
    if in_words is None or in_meaning is None:
        return "fusion" if in_words or in_meaning else "not_dense" if in_words is None else "not_lexical"
    if in_words and in_meaning:
        return "fusion"
    return "not_dense" if in_words else "not_lexical" if in_meaning else "not_listed"


def _any(gold: Gold, found: Collection[int]) -> bool:
    return not gold.chunk_ids.isdisjoint(found)


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
