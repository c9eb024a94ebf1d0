"""Quoted phrases must stand in a passage: candidates by their terms, then their very texts."""

from __future__ import annotations

from collections.abc import Sequence

from django.db import connections

from documents.text import analyse
from retrieval.lexical import Place, Statistics, holding_all
from retrieval.ranking import phrases
from retrieval.sql import statement

TEXTS = statement("texts")
MOST = 2_000
"""Chunks whose text is read for a phrase; those with the rarest terms of it first in chunk order."""


def holders(place: Place, found: Statistics, wanted: Sequence[str], languages: Sequence[str]) -> tuple[int, ...]:
    """Ids of the chunks that hold every phrase."""
    held: set[int] | None = None
    for phrase in wanted:
        by_language = [
            [analyse.term_id(term) for term in analyse.terms(phrase, language=language)]
            for language in languages or ["en"]
        ]
        chunks = {chunk for terms in by_language for chunk in holding_all(place, found, terms, limit=MOST)}
        held = chunks if held is None else held & chunks
    return tuple(sorted(holding(place, sorted(held or ())[:MOST], wanted)))


def holding(place: Place, chunk_ids: Sequence[int], wanted: Sequence[str]) -> frozenset[int]:
    """Of these chunks, those whose title, headings or text hold every phrase as it stands."""
    with connections[place.alias].cursor() as cursor:
        cursor.execute(TEXTS, {**place.keys, "chunks": list(chunk_ids)})
        return frozenset(chunk for chunk, text in cursor.fetchall() if phrases.holds_all(text, wanted))
