"""A search as somebody asked for it, from a form or a program: what cannot be searched has a code that names the words."""

from __future__ import annotations

import time as clock
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from typing import cast

from django.conf import settings

from documents.embedding.vector import Vector
from documents.text.language import detect
from portal.limits import admit_question
from portal.pages import chosen_ids
from portal.scope import Scope
from retrieval.embedding import question_vector
from retrieval.query import Filters, Mode, Query, Ranker
from retrieval.ranking import phrases
from retrieval.ranking.evidence import SearchResult
from retrieval.ranking.rerank import Reranker
from retrieval.ranking.topic import tells
from retrieval.rerank import configured
from retrieval.search import BY_WORDS, search

MAX_CHARACTERS = 4_000
DEFAULT_K = 8
PER_DOCUMENT = 3
"""Passages of one document before those of the others: a long manual does not fill the page."""


@dataclass(frozen=True, slots=True)
class Asked:
    """`collections` are refs, None searches all that the asker sees; `until` is the last day inside."""

    text: str
    k: int = DEFAULT_K
    collections: tuple[str, ...] | None = None
    documents: tuple[str, ...] = ()
    kinds: tuple[str, ...] = ()
    languages: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    since: date | None = None
    until: date | None = None
    as_of: date | None = None
    mode: Mode | None = None
    ranker: Ranker | None = None
    rerank: bool = True
    per_document: int | None = None


@dataclass(frozen=True, slots=True)
class Answered:
    """The result, and codes of what the asker should know of it."""

    result: SearchResult
    notes: tuple[str, ...]
    mode: Mode
    embed_ms: float = 0.0
    phrases: tuple[str, ...] = ()


def fault(text: str) -> str:
    """The code of why this cannot be searched, "" when it can. Only the length is looked at in an overlong text."""
    if len(text) > MAX_CHARACTERS:
        return "retrieval.too_long"
    if not text.strip():
        return "retrieval.empty"
    if not any(map(str.isalnum, text)):
        return "retrieval.no_words"
    if not phrases.read(text).phrases and not tells(text, detect(text) or "en"):
        return "retrieval.only_stop_words"
    return ""


def run(scope: Scope, asked: Asked) -> Answered:
    """Search as asked. The text must be without fault; the embedder is asked before any transaction is opened.

    Counts as a question: raises RateLimited before anything happened to one that comes too soon.
    """
    admit_question(scope)
    mode = asked.mode or cast("Mode", settings.SEARCH_MODE)
    chosen = None if asked.collections is None else chosen_ids(scope, asked.collections)
    vector, note, model, embed_ms = (None, "", "", 0.0) if mode == "words" else _embedded(asked.text)
    quoted = phrases.read(asked.text)
    query = Query(
        asked.text,
        vector=vector,
        model=model,
        k=asked.k,
        collection_ids=chosen,
        language=detect(asked.text),
        note=note or ("by words alone, as asked" if mode == "words" else ""),
        words=mode != "meaning" or vector is None,
        filters=filters_of(asked),
        ranker=asked.ranker or cast("Ranker", settings.SEARCH_RANKER),
        phrases=True,
        per_document=asked.per_document,
        join=True,
        reranker=_reranker(asked),
        as_set=asked.mode is None and asked.ranker is None,
    )
    result = search(scope, query)
    is_by_words = any(stage.note == BY_WORDS for stage in result.stages)
    notes = [note] if note and not is_by_words else []
    notes += ["retrieval.unbalanced_quotes"] if quoted.is_unbalanced else []
    notes += result.notes
    if not result.passages:
        notes.append(_why_empty(scope, asked, chosen, quoted))
    return Answered(result, tuple(notes), mode, embed_ms, quoted.phrases)


def _embedded(text: str) -> tuple[Vector | None, str, str, float]:
    started = clock.perf_counter()
    vector, note, model = question_vector(text)
    return vector, note, model, (clock.perf_counter() - started) * 1000


def _reranker(asked: Asked) -> Reranker | None:
    return configured() if asked.rerank else None


def filters_of(asked: Asked) -> Filters:
    """Days as moments in UTC: `until` and `as_of` end with their day."""
    return Filters(
        documents=asked.documents,
        kinds=asked.kinds,
        languages=asked.languages,
        tags=asked.tags,
        since=_start(asked.since),
        until=_end(asked.until),
        as_of=_end(asked.as_of),
    )


def _start(day: date | None) -> datetime | None:
    return datetime.combine(day, time.min, UTC) if day else None


def _end(day: date | None) -> datetime | None:
    return _start(day + timedelta(days=1)) if day and day < date.max else None


def _why_empty(scope: Scope, asked: Asked, chosen: tuple[int, ...] | None, quoted: phrases.Quoted) -> str:
    if chosen == () or not scope.collection_ids:
        return "retrieval.no_collection"
    if quoted.phrases and not filters_of(asked).are_set:
        return "retrieval.phrase_not_found"
    return "retrieval.filters_leave_nothing" if filters_of(asked).are_set else "retrieval.nothing_found"
