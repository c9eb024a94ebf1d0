"""Where a passage was lost on the way from the corpus to the answer: the debugger's verdict."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

GoldState = Literal["held", "cut", "not_read", "not_searched", "later", "disabled", "hidden"]
STAGES: Mapping[str, str] = {
    "": "nothing was lost",
    "hidden": "not visible to you, or not there at all",
    "not_searched": "not searched: its collection was not among those that the question was asked of",
    "not_read": "not read: the gold document or its text is not in the searched collections",
    "disabled": "switched off: its document answers no question until it is enabled",
    "later": "not read at that time: this text came after the answer",
    "cut": "cut by chunking: no passage holds the whole of it",
    "not_listed": "in neither list: its passage shares too little with the question, in words and in meaning",
    "not_lexical": "not in the list by words",
    "not_dense": "not in the list by meaning",
    "fusion": "lost in fusion: in both lists, but not among the passages that were kept",
    "rerank": "cut by the reranker: found, but placed below those that were kept",
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
    """What each stage let through, as chunk ids. A list that was switched off is None, so is a reranker's input."""

    words: Collection[int] | None
    meaning: Collection[int] | None
    kept: Collection[int]
    given: Collection[int]
    quoted: Collection[int]
    declined_by: str = ""
    reranked: Collection[int] | None = None


def lost_at(gold: Sequence[Gold], passed: Passed) -> str:
    """A key of STAGES for the gold passage that came furthest, "" when one was quoted or none is expected.

    A decline carries its gate: `declined:answers.score_too_low`.
    """
    if not gold:
        return ""
    verdict = max((_one(one, passed) for one in gold), key=_ORDER.index)
    return f"declined:{passed.declined_by}" if verdict == "declined" else verdict


_ORDER = (
    *("hidden", "not_read", "not_searched", "disabled", "later", "cut", "not_listed", "not_lexical", "not_dense"),
    *("fusion", "rerank", "budget", "declined", "unused", ""),
)


def _one(gold: Gold, passed: Passed) -> str:
    if gold.state != "held":
        return gold.state
    if _any(gold, passed.quoted):
        return ""
    if _any(gold, passed.given):
        return "declined" if passed.declined_by else "unused"
    if _any(gold, passed.kept):
        return "budget"
    if passed.reranked is not None and _any(gold, passed.reranked):
        return "rerank"
    in_words, in_meaning = (None if found is None else _any(gold, found) for found in (passed.words, passed.meaning))
    if in_words is None or in_meaning is None:
        return "fusion" if in_words or in_meaning else "not_dense" if in_words is None else "not_lexical"
    if in_words and in_meaning:
        return "fusion"
    return "not_dense" if in_words else "not_lexical" if in_meaning else "not_listed"


def _any(gold: Gold, found: Collection[int]) -> bool:
    return not gold.chunk_ids.isdisjoint(found)
