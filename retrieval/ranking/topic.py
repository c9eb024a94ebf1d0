"""Whether a text has a word that tells what it is about."""

from __future__ import annotations

from collections.abc import Iterable

from documents.text.analyse import analyse
from retrieval.ranking.stopwords import CJK_QUESTION_WORDS, stop_terms


def tells(text: str, language: str) -> bool:
    """True when a word is left without stop words and question words."""
    for word in CJK_QUESTION_WORDS if not text.isascii() else ():
        text = text.replace(word, " ")
    return any(term not in stop_terms(language) for term in analyse(text, language=language))


def telling(terms: Iterable[str], languages: Iterable[str]) -> tuple[str, ...]:
    """The terms, in their order, that are stop words in none of the languages; all of them when none is left."""
    every = tuple(terms)
    stops = frozenset(term for language in languages for term in stop_terms(language))
    return tuple(term for term in every if term not in stops) or every
