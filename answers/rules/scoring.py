"""How well each quotable unit of the passages answers a question."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from answers.rules.answer_type import fits
from answers.rules.guard import speaks_to_a_model
from answers.rules.instructions import is_instruction, is_lead_in, is_step, shown_by
from answers.rules.question import Question
from answers.rules.units import Unit, units
from answers.rules.words import content_terms
from retrieval.ranking.evidence import Passage

_NEAR: Final = 4
"""Terms of a pair stand together when at most this many places lie between them."""

_SHORT_WORDS: Final = 4
_ENOUGH: Final = 0.5
"""The share of the question's weighted terms with which a sentence that speaks to a model is still quoted: it is asked for."""

_POINTER: Final = re.compile(
    r"^(?:see|for (?:more|further|details|additional)|learn (?:more|how|what)|refer to|read (?:more|about)|check out)\b"
    r"|\bsee (?:the|our|also)\b|[?？]\s*$",
    re.IGNORECASE,
)
"""Sentences that send the reader elsewhere, and questions: they repeat the asker's words and answer nothing."""


@dataclass(frozen=True, slots=True)
class Weights:
    """How much each sign counts beside the share of the question's weighted terms, which counts 1."""

    context: float = 0.4
    identifier: float = 0.4
    proximity: float = 0.3
    answer_type: float = 0.2
    rank: float = 0.2
    heading: float = 0.2
    similarity: float = 1.0
    short: float = 0.2
    pointer: float = 0.3
    instruction: float = 0.3


@dataclass(frozen=True, slots=True)
class Scored:
    """One unit of passage `passage_no` (from 1) with the question's terms it holds."""

    passage_no: int
    unit: Unit
    terms: frozenset[str]
    score: float


@dataclass(frozen=True, slots=True)
class _Read:
    passage_no: int
    passage: Passage
    unit: Unit
    text: str
    terms: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Asked:
    question: Question
    terms: tuple[str, ...]
    weight: Mapping[str, float]

    def share(self, terms: frozenset[str]) -> float:
        total = sum(self.weight[t] for t in self.terms)
        return sum(self.weight[t] for t in self.terms if t in terms) / total if total else 0.0


def score(
    question: Question, passages: Sequence[Passage], similarity: Mapping[tuple[int, int], float], weights: Weights
) -> list[list[Scored]]:
    """One list per passage, in order of place. A rare term among these units weighs more (idf over the units)."""
    read = [_read(no, passage, question) for no, passage in enumerate(passages, start=1)]
    asked = _asked(question, [r for of_passage in read for r in of_passage])
    return [
        [_scored(r, i, of_passage, asked, similarity, weights) for i, r in enumerate(of_passage)] for of_passage in read
    ]


def _read(no: int, passage: Passage, question: Question) -> list[_Read]:
    language = passage.language or question.language
    found = []
    for unit in units(passage):
        text = passage.text[unit.start : unit.end]
        found.append(_Read(no, passage, unit, text, content_terms(text, language)))
    return found


def _asked(question: Question, read: list[_Read]) -> _Asked:
    seen = Counter(term for r in read for term in set(r.terms))
    weight = {t: math.log(1 + (len(read) - seen[t] + 0.5) / (seen[t] + 0.5)) for t in question.terms}
    return _Asked(question, question.terms, weight)


def _scored(
    r: _Read, i: int, of_passage: list[_Read], asked: _Asked, similarity: Mapping[tuple[int, int], float], w: Weights
) -> Scored:
    own = frozenset(r.terms)
    lead = of_passage[r.unit.lead].terms if r.unit.lead is not None else of_passage[i - 1].terms if i else ()
    heading = frozenset(content_terms(" ".join((r.passage.title, *r.passage.heading_path)), asked.question.language))
    value = asked.share(own)
    value += w.context * (asked.share(own | frozenset(lead) | heading) - asked.share(own))
    value += w.identifier * sum(1 for identifier in asked.question.identifiers if identifier in own)
    value += w.proximity * _togetherness(asked.terms, r.terms)
    value += w.answer_type * fits(asked.question, r.text)
    value += w.rank / r.passage_no
    value += w.heading * asked.share(heading) / (1 + r.unit.place)
    value += w.similarity * similarity.get((r.passage_no, r.unit.start), 0.0)
    if r.unit.kind == "sentence":
        value -= w.short * (len(r.text.split()) < _SHORT_WORDS and r.text.isascii())
        value -= w.pointer * bool(_POINTER.search(r.text))
    if _is_planted(r, of_passage) and asked.share(own) < _ENOUGH:
        return Scored(r.passage_no, r.unit, frozenset(), 0.0)
    if asked.question.kind == "how_to":
        value += w.instruction * _instructs(r, of_passage)
    return Scored(r.passage_no, r.unit, own & frozenset(asked.terms), value)


def _is_planted(r: _Read, of_passage: list[_Read]) -> bool:
    """It speaks to a model, or what introduces it does."""
    lead = of_passage[r.unit.lead].text if r.unit.lead is not None else ""
    return speaks_to_a_model(r.text) or bool(lead and speaks_to_a_model(lead))


def _instructs(r: _Read, of_passage: list[_Read]) -> float:
    """How far a unit says what to do, from -2 for one that only announces it to 1 for one with its command or steps."""
    if r.unit.kind == "sentence" and is_lead_in(r.text) and not r.unit.introduces:
        return -2.0
    if r.unit.kind == "code" or is_step(r.passage.text, r.unit):
        return 0.5
    told = is_instruction(r.text)
    followed = shown_by(r.passage.text, [other.unit for other in of_passage], r.unit.place)
    return 0.5 * told + 0.5 * followed


def _togetherness(asked: tuple[str, ...], terms: tuple[str, ...]) -> float:
    """Share of the question's neighbouring terms that stand near each other in the unit too."""
    places = {term: i for i, term in enumerate(terms)}
    pairs = list(pairwise(asked))
    near = sum(1 for a, b in pairs if a in places and b in places and abs(places[a] - places[b]) <= _NEAR)
    return near / len(pairs) if pairs else 0.0
