"""Whether the passages found can carry an answer: the decision to decline, with no model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from answers.rules.question import Question
from answers.rules.words import content_terms
from retrieval.ranking.evidence import Passage

Reason = Literal["answers.nothing_found", "answers.score_too_low", "answers.too_few_terms"]

NEAREST: Final = 3
"""Passages shown with a declined answer."""

TOP: Final = 5
"""Passages the gates look at; a lower one never carries an answer alone."""


@dataclass(frozen=True, slots=True)
class Thresholds:
    """When to decline, for one embedding model; docs/adr/0007 says on which sets they were found.

    `similarity` is the cosine that carries an answer with too few words in common, `floor` the cosine under which words
    alone must carry it, `score` the least `confidence` and `words` the least coverage where there is no vector. `cross_language` is the
    cosine asked for when question and passage are in different languages.
    """

    model: str
    similarity: float
    floor: float
    score: float
    words: float
    cross_language: float
    terms: int = 2


MINILM: Final = Thresholds("all-MiniLM-L6-v2-int8", similarity=0.55, floor=0.20, score=0.55, words=0.6, cross_language=0.45)
E5_SMALL: Final = Thresholds("multilingual-e5-small", similarity=0.87, floor=0.77, score=0.62, words=0.6, cross_language=0.84)
THRESHOLDS: Final[Mapping[str, Thresholds]] = {t.model: t for t in (MINILM, E5_SMALL)}


@dataclass(frozen=True, slots=True)
class Answerable:
    """`confidence` is the best passage's, in [0, 1]."""

    confidence: float


@dataclass(frozen=True, slots=True)
class Declined:
    """`nearest` are the best passages, at most three, to show in place of an answer."""

    reason: Reason
    confidence: float
    nearest: tuple[Passage, ...] = ()


def decide(question: Question, passages: Sequence[Passage], thresholds: Thresholds) -> Answerable | Declined:
    """Passages come best first. One passage must pass alone: terms scattered over several do not add up."""
    if not passages:
        return Declined("answers.nothing_found", 0.0)
    top = passages[:TOP]
    confidence = max(confidence_of(question, passage) for passage in top)
    if any(_carries(question, passage, thresholds) for passage in top):
        return Answerable(confidence)
    reason: Reason = (
        "answers.score_too_low" if any(_enough_words(question, p, thresholds) for p in top) else "answers.too_few_terms"
    )
    return Declined(reason, confidence, tuple(passages[:NEAREST]))


def confidence_of(question: Question, passage: Passage) -> float:
    """How well one passage fits, in [0, 1]: the mean of the share of the question's terms it holds and its cosine."""
    covered = coverage(question, passage)
    if passage.similarity is None:
        return covered
    return (covered + max(0.0, passage.similarity)) / 2


def coverage(question: Question, passage: Passage) -> float:
    """Share of the question's terms in the passage's text, headings, table header or title, in [0, 1]."""
    if not question.terms:
        return 0.0
    return len(matched(question, passage)) / len(question.terms)


def matched(question: Question, passage: Passage) -> frozenset[str]:
    """The question's terms that the passage holds, in its text, headings, table header or title."""
    held = "\n".join((passage.title, *passage.heading_path, passage.prefix, passage.text))
    return frozenset(question.terms) & frozenset(content_terms(held, question.language))


def _carries(question: Question, passage: Passage, thresholds: Thresholds) -> bool:
    if passage.similarity is not None and passage.similarity >= thresholds.similarity:
        return True
    if not _enough_words(question, passage, thresholds):
        return False
    if passage.similarity is None:
        return coverage(question, passage) >= thresholds.words
    return passage.similarity >= thresholds.floor and confidence_of(question, passage) >= thresholds.score


def _enough_words(question: Question, passage: Passage, thresholds: Thresholds) -> bool:
    found = matched(question, passage)
    return len(found) >= min(thresholds.terms, len(question.terms)) or passage.identifier_hits > 0
