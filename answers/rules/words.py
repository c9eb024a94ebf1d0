"""A text as the terms that carry its topic: the view that the gates, the writer and the audit share."""

from __future__ import annotations

from documents.text.analyse import analyse
from retrieval.ranking.stopwords import CJK_QUESTION_WORDS, stop_terms


def content_terms(text: str, language: str = "en") -> tuple[str, ...]:
    """The analysed terms in order, repeats kept, without stop words, lone Latin letters and question words."""
    stops = stop_terms(language)
    return tuple(t for t in analyse(_without_question_words(text), language=language) if t not in stops and _tells(t))


def _tells(term: str) -> bool:
    return len(term) > 1 or term.isdigit() or ord(term) > 0x2E7F


def _without_question_words(text: str) -> str:
    """Question words of scripts without spaces become blanks: their pairs would match any page."""
    if text.isascii():
        return text
    for word in CJK_QUESTION_WORDS:
        text = text.replace(word, " ")
    return text
