"""The list of what holds an identifier that the question asks for."""

from __future__ import annotations

from documents.text import analyse
from retrieval.lexical import LexicalHit
from retrieval.search import RARE, _by_name

E4304 = analyse.term_id("e4304")
WHAT = analyse.term_id("what")


def test_chunks_with_the_identifier_are_named_in_the_order_of_the_words() -> None:
    words = [
        LexicalHit(7, 9.0, frozenset({WHAT})),
        LexicalHit(3, 8.0, frozenset({WHAT, E4304})),
        LexicalHit(5, 2.0, frozenset({E4304})),
    ]

    assert _by_name(words, "What does E4304 mean?") == [(3, 8.0), (5, 2.0)]


def test_a_question_without_identifiers_names_nothing() -> None:
    assert _by_name([LexicalHit(7, 9.0, frozenset({WHAT}))], "What does it mean?") == []


def test_an_identifier_that_is_everywhere_names_nothing() -> None:
    words = [LexicalHit(number, 1.0, frozenset({E4304})) for number in range(RARE + 1)]

    assert _by_name(words, "What does E4304 mean?") == []
    assert len(_by_name(words[:RARE], "What does E4304 mean?")) == RARE
