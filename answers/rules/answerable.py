"""The answer-side check: whether the sentence that would be quoted answers the question, or only speaks of the same things.

A score of retrieval tells another topic from this one; it does not tell "the largest city" from "the smallest". Here the
question is held against the best sentence, and a logistic model of the signs gives the chance that the quotes hold the
answer. Weights and figures: docs/adr/0007, `python -m bench.declining`.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from answers.rules import answer_type
from answers.rules.opposites import opposed
from answers.rules.question import Kind, Question
from answers.rules.scoring import Scored, Weights, score
from answers.rules.support import is_negated, names, numbers, numbers_of
from answers.rules.words import content_terms
from retrieval.ranking.evidence import Passage

CHECKED: Final[frozenset[Kind]] = frozenset(("who", "when", "where", "how_many", "other"))
"""The kinds of question that the check helps; the others are too few in the calibration set to tell."""

_TYPED: Final[frozenset[Kind]] = frozenset(("who", "when", "where", "how_many"))
_WORD: Final = re.compile(r"[A-Za-z0-9][\w'’.-]*")


@dataclass(frozen=True, slots=True)
class Signs:
    """What speaks for and against the best sentence. Shares are of the question's terms, cosines in [-1, 1].

    `near` is the sentence with its neighbours and the title. Names and numbers count those of the question that are
    missing; `opposed` its words that stand there as their opposite; `swapped` its nouns that stand there with another
    word before them. `lead` is how far the sentence is ahead of the second best.
    """

    cosine: float
    own_cosine: float
    share: float
    share_near: float
    share_passage: float
    all_near: float
    asks_negated: float
    negation_missing: float
    negation_added: float
    opposed: float
    numbers_missing: float
    names_missing: float
    swapped: float
    kind_missing: float
    quote_score: float
    lead: float
    asked_terms: float
    sentence_terms: float


Model = Mapping[str, float]
"""A weight for each of the Signs, and `bias`."""

MINILM: Final[Model] = {
    "cosine": 1.157,
    "own_cosine": 2.427,
    "share": 1.426,
    "share_near": 2.042,
    "share_passage": -3.806,
    "all_near": 0.207,
    "asks_negated": -0.699,
    "negation_missing": -2.788,
    "negation_added": -0.323,
    "opposed": -2.237,
    "numbers_missing": -1.823,
    "names_missing": -0.745,
    "swapped": -0.467,
    "kind_missing": -0.444,
    "quote_score": 0.716,
    "lead": 0.566,
    "asked_terms": 0.186,
    "sentence_terms": -0.015,
    "bias": -2.976,
}
MODELS: Final[Mapping[str, Model]] = {"all-MiniLM-L6-v2": MINILM}
"""By embedding model, since cosines are signs. A model that nobody calibrated has no check."""


def chance(question: Question, passages: Sequence[Passage], model: Model) -> float | None:
    """The chance in [0, 1] that the quotes hold the answer; None where the check says nothing.

    That is: a kind of question it was not calibrated for, another language than English, an identifier that is found (it
    carries the answer alone), or a passage without a cosine.
    """
    if not model or question.kind not in CHECKED or question.language not in ("", "en") or question.identifiers:
        return None
    found = signs(question, passages)
    if found is None:
        return None
    value = model["bias"] + sum(model[name] * getattr(found, name) for name in Signs.__slots__)
    return 1 / (1 + math.exp(-value))


def signs(question: Question, passages: Sequence[Passage]) -> Signs | None:
    """None when there is nothing to quote, or a passage has no cosine or is not in English."""
    if any(p.similarity is None or p.language not in ("", "en") for p in passages):
        return None
    ranked = sorted((s for of in score(question, passages, {}, Weights()) for s in of), key=lambda s: -s.score)
    if not ranked:
        return None
    best = ranked[0]
    passage = passages[best.passage_no - 1]
    sentence = passage.text[best.unit.start : best.unit.end]
    near = f"{_surroundings(best, ranked, passage)} {passage.title}"
    return Signs(
        cosine=max(p.similarity or 0.0 for p in passages),
        own_cosine=passage.similarity or 0.0,
        quote_score=best.score,
        lead=best.score - (ranked[1].score if len(ranked) > 1 else 0.0),
        asked_terms=float(len(question.terms)),
        **_words(question, sentence, near, f"{passage.text} {passage.title}"),
    )


def _words(question: Question, sentence: str, near: str, whole: str) -> dict[str, float]:
    asked = frozenset(question.terms)
    said, around, all_said = (frozenset(content_terms(text)) for text in (sentence, near, whole))
    share_near = len(asked & around) / max(1, len(asked))
    asks_negated, is_said_negated = is_negated(question.text), is_negated(sentence)
    folded = whole.casefold()
    return {
        "share": len(asked & said) / max(1, len(asked)),
        "share_near": share_near,
        "share_passage": len(asked & all_said) / max(1, len(asked)),
        "all_near": float(share_near == 1),
        "asks_negated": float(asks_negated),
        "negation_missing": float(asks_negated and not is_said_negated),
        "negation_added": float(is_said_negated and not asks_negated),
        "opposed": float(opposed(question.text, sentence)),
        "numbers_missing": float(len(numbers(question.text) - numbers_of(sentence))),
        "names_missing": float(sum(1 for name in names(question.text) if name not in folded)),
        "swapped": float(_swapped(question, sentence, around)),
        "kind_missing": float(question.kind in _TYPED and not answer_type.fits(question, sentence)),
        "sentence_terms": float(len(said)),
    }


def _surroundings(best: Scored, ranked: Sequence[Scored], passage: Passage) -> str:
    beside = [s.unit for s in ranked if s.passage_no == best.passage_no and abs(s.unit.place - best.unit.place) <= 1]
    return passage.text[min(unit.start for unit in beside) : max(unit.end for unit in beside)]


def _swapped(question: Question, sentence: str, around: frozenset[str]) -> int:
    """Pairs of the question ("poor countries") of which the sentence has the second with another word before it."""
    said = [_term(word) for word in _WORD.findall(sentence)]
    asked = [_term(word) for word in _WORD.findall(question.text)]
    swapped = 0
    for first, second in pairwise(asked):
        if not (first and second) or first in around:
            continue
        before = [said[i - 1] for i in range(1, len(said)) if said[i] == second]
        swapped += bool(before) and all(term and term not in question.terms for term in before)
    return swapped


def _term(word: str) -> str:
    return next(iter(content_terms(word)), "")
