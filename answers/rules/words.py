"""A text as the terms that carry its topic: the view that the gates, the writer and the audit share."""

from __future__ import annotations

from functools import lru_cache

from answers.rules.stopwords import CJK_QUESTION_WORDS, STOP_WORDS
from documents.text.analyse import analyse


def content_terms(text: str, language: str = "en") -> tuple[str, ...]:
    """The analysed terms in order, repeats kept, without stop words, lone Latin letters and question words."""
    stops = stop_terms(language)
    return tuple(t for t in analyse(_without_question_words(text), language=language) if t not in stops and _tells(t))


@lru_cache(maxsize=32)
def stop_terms(language: str) -> frozenset[str]:
    """The stop words of one language as the analyser gives them, English for a language that has no list."""
    words = STOP_WORDS.get(language[:2], STOP_WORDS["en"])
    return frozenset(term for word in words for term in analyse(word, language=language))


def _tells(term: str) -> bool:
    return len(term) > 1 or term.isdigit() or ord(term) > 0x2E7F


def _without_question_words(text: str) -> str:
    """Question words of scripts without spaces become blanks: their pairs would match any page."""
    if text.isascii():
        return text
    for word in CJK_QUESTION_WORDS:
        text = text.replace(word, " ")
    return text
