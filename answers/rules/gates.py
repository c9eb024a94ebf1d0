"""Whether the passages found can carry an answer: the decision to decline, with no model."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from answers.rules import answerable
from answers.rules.question import Question
from answers.rules.words import content_terms
from documents.text.scripts import UNSPACED
from retrieval.ranking.evidence import Passage

Reason = Literal[
    "answers.nothing_found",
    "answers.identifier_missing",
    "answers.score_too_low",
    "answers.too_few_terms",
    "answers.not_answered_there",
    "answers.writer_found_nothing",
]

NEAREST: Final = 3
"""Passages shown with a declined answer."""

TOP: Final = 5
"""Passages the gates look at; a lower one never carries an answer alone."""

_CODE_SHARE: Final = 0.25
_NAME_SHARE: Final = 0.5
"""With an identifier found, this share of the other terms is enough. One of letters alone may be a brand (PyTorch)."""

_PAIRS: Final = re.compile(f"[{UNSPACED}]{{2}}")


@dataclass(frozen=True, slots=True)
class Thresholds:
    """When to decline, for one embedding model. docs/adr/0007 names the sets and the figures behind each number.

    `languages` are those the model was trained for ("*" for all); outside them a cosine is noise and words decide.
    `meaning` is the weight of the cosine in the confidence, the rest is the share of the question's terms found.
    `score` is the least confidence. `similarity` is the cosine that carries an answer with fewer than `terms` terms in
    common, `cross_language` the one between a question and a passage in different languages. `words` is the least
    share of terms where words decide alone, `pairs` the same for scripts whose terms are pairs of characters.
    `answer` is the least chance that the best sentence answers, for the kinds of question that answerable.py checks;
    for those `checked_score` stands in for `score`.
    """

    model: str
    languages: tuple[str, ...] = ()
    meaning: float = 0.7
    score: float = 0.48
    similarity: float = 0.60
    cross_language: float = 0.45
    words: float = 0.51
    pairs: float = 0.36
    terms: int = 2
    answer: float = 0.22
    checked_score: float = 0.40


WORDS_ONLY: Final = Thresholds("")
MINILM: Final = Thresholds("all-MiniLM-L6-v2", languages=("en",))
THRESHOLDS: Final[Mapping[str, Thresholds]] = {MINILM.model: MINILM}


def thresholds_for(model: str) -> Thresholds:
    """The calibrated thresholds of an embedding model; for one nobody calibrated, words decide alone."""
    return THRESHOLDS.get(model, WORDS_ONLY)


@dataclass(frozen=True, slots=True)
class Fit:
    """How one passage fits a question: `share` and `confidence` lie in [0, 1].

    `similarity` is None where the cosine is missing or says nothing. `beside` is the share of the terms that are no
    part of an identifier asked for, 1 when there are none.
    """

    terms: frozenset[str]
    share: float
    similarity: float | None
    confidence: float
    same_language: bool
    identifiers: frozenset[str]
    beside: float = 1.0


@dataclass(frozen=True, slots=True)
class Answerable:
    """`confidence` is the best passage's, in [0, 1]; `chance` that of answerable.chance, None where it says nothing."""

    confidence: float
    chance: float | None = None


@dataclass(frozen=True, slots=True)
class Declined:
    """`nearest` are the best passages, at most three, to show in place of an answer."""

    reason: Reason
    confidence: float
    nearest: tuple[Passage, ...] = ()
    chance: float | None = None


def decide(question: Question, passages: Sequence[Passage], thresholds: Thresholds) -> Answerable | Declined:
    """Passages come best first. One passage must pass alone: terms scattered over several do not add up.

    A question that names identifiers of which no passage has one is declined whatever the scores say: the neighbour of
    E4304 is not its answer.
    """
    if not passages:
        return Declined("answers.nothing_found", 0.0)
    fits = [fit(question, passage, thresholds) for passage in passages[:TOP]]
    confidence = max(f.confidence for f in fits)
    nearest = tuple(passages[:NEAREST])
    if question.identifiers and not any(f.identifiers for f in fits):
        return Declined("answers.identifier_missing", confidence, nearest)
    chance = answerable.chance(question, passages, answerable.MODELS.get(thresholds.model, {}))
    least = thresholds.score if chance is None else thresholds.checked_score
    if any(_carries(question, f, thresholds, least) for f in fits):
        if chance is not None and chance < thresholds.answer:
            return Declined("answers.not_answered_there", confidence, nearest, chance)
        return Answerable(confidence, chance)
    enough = any(_has_enough_terms(question, f, thresholds) for f in fits)
    reason: Reason = "answers.score_too_low" if enough else "answers.too_few_terms"
    return Declined(reason, confidence, nearest, chance)


def fit(question: Question, passage: Passage, thresholds: Thresholds) -> Fit:
    """Terms count in the passage's text, headings, table header and title, analysed in the passage's language."""
    language = passage.language or question.language
    asked = frozenset(content_terms(question.text, language)) or frozenset(question.terms)
    held = "\n".join((passage.title, *passage.heading_path, passage.prefix, passage.text))
    found = frozenset(content_terms(held, language))
    terms = asked & found
    others = frozenset(t for t in asked if not any(t in identifier for identifier in question.identifiers))
    share = len(terms) / len(asked) if asked else 0.0
    similarity = _meant(passage, thresholds)
    weight = 0.0 if similarity is None else thresholds.meaning
    return Fit(
        terms=terms,
        share=share,
        similarity=similarity,
        confidence=weight * max(0.0, similarity or 0.0) + (1 - weight) * share,
        same_language=not (question.language and passage.language) or question.language == passage.language,
        identifiers=found & frozenset(question.identifiers),
        beside=len(terms & others) / len(others) if others else 1.0,
    )


def _meant(passage: Passage, thresholds: Thresholds) -> float | None:
    """The cosine, where the model knows the passage's language; an unknown language gets the benefit of doubt."""
    knows = "*" in thresholds.languages or passage.language[:2] in ("", *thresholds.languages)
    return passage.similarity if knows and thresholds.languages else None


def _carries(question: Question, f: Fit, thresholds: Thresholds, least: float) -> bool:
    if f.similarity is not None and not f.same_language and f.similarity >= thresholds.cross_language:
        return True
    if f.similarity is not None and f.similarity >= thresholds.similarity:
        return True
    if not _has_enough_terms(question, f, thresholds):
        return False
    if any(f.beside >= (_NAME_SHARE if identifier.isalpha() else _CODE_SHARE) for identifier in f.identifiers):
        return True
    if f.similarity is None:
        return f.share >= (thresholds.pairs if _PAIRS.search(question.text) else thresholds.words)
    return f.confidence >= least


def _has_enough_terms(question: Question, f: Fit, thresholds: Thresholds) -> bool:
    """A question of one term can only match one; an identifier counts for all that are asked for."""
    return bool(f.identifiers) or len(f.terms) >= min(thresholds.terms, len(question.terms))
