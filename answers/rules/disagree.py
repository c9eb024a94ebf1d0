"""Passages that say the same thing with another number or date: both are shown, and which is right is for the reader."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from answers.rules import answer_type
from answers.rules.question import Question
from answers.rules.support import names, numbers, spelled_numbers
from answers.rules.words import content_terms

ALIKE: Final = 0.5
"""Least share of the terms beside the figures that two sentences have in common (of all that either has)."""
ASKED: Final = 0.5
"""Least share of the question's terms that both hold."""

_FIGURE: Final = re.compile(r"[$€£]?\d[\d.,:/-]*\d|[$€£]?\d")


def disagree(question: Question, first: str, second: str, language: str = "en") -> bool:
    """Whether two sentences differ in a figure of one kind and agree in what it is the figure of.

    What the question itself names is not what they could differ in, and sentences about different names do not disagree.
    """
    ours, theirs = (_figures(text, question.text) for text in (first, second))
    if not ours or not theirs or ours & theirs:
        return False
    own, other = (frozenset(_terms(text, language)) for text in (first, second))
    asked = frozenset(question.terms)
    if len(own & other & asked) < max(1, ASKED * len(asked)) or len(own & other) < ALIKE * len(own | other):
        return False
    return not _other_subject(first, second) and bool(set(_beside(first, language)) & set(_beside(second, language)))


def _figures(text: str, asked: str) -> frozenset[str]:
    return (numbers(text) | spelled_numbers(text)) - numbers(asked) - spelled_numbers(asked)


def _terms(text: str, language: str) -> Iterator[str]:
    counted = numbers(text) | spelled_numbers(text)
    return (term for term in content_terms(text, language) if not term[0].isdigit() and term not in counted)


def _other_subject(first: str, second: str) -> bool:
    """Each names something that the other does not; months and weekdays are part of a date."""
    ours, theirs = ({name for name in names(text) if not answer_type.is_date_word(name)} for text in (first, second))
    mine = {name for name in ours if name not in second.casefold() and not name[0].isdigit()}
    yours = {name for name in theirs if name not in first.casefold() and not name[0].isdigit()}
    return bool(mine and yours)


def _beside(text: str, language: str) -> Iterator[str]:
    """What each figure counts, or what stands before it; a date counts as one kind of thing."""
    if answer_type.holds_date(text):
        yield "(date)"
    for match in _FIGURE.finditer(text):
        yield from (f"before {term}" for term in content_terms(text[: match.start()][-40:], language)[-1:])
        yield from (f"after {term}" for term in content_terms(text[match.end() :][:40], language)[:1])
        yield from (f"unit {sign}" for sign in "$€£%" if sign in text[match.start() : match.end() + 2])
