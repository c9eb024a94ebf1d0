"""An answer that was given to the same question a while ago, given again while nothing it rests on has changed (ADR 0025).

What is kept are places, never words: the passages are read again as the asker, so that nobody is shown what they may not
see. An entry is reached only with equal epochs of the searched collections that hold something. Each is raised in the very
transaction that changes what the collection answers; a grant changes which collections are searched.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from django.db import connections

from answers.models import AnswerOptions, CachedAnswer
from answers.rules import extract, gates, question
from answers.rules.same import ALIKE, Signature, same, signature
from documents.embedding.vector import Vector, as_text
from portal.scope import Scope, open_alias, principal
from retrieval.ranking.evidence import Passage, SearchResult
from retrieval.search import read_again

if TYPE_CHECKING:
    from answers.ask import Walk

LIFE: Final = timedelta(hours=1)
LOOK: Final = (Path(__file__).parent / "sql" / "cache_look.sql").read_text(encoding="utf-8")


@dataclass(frozen=True, slots=True)
class Place:
    """Where an answer to this question would be kept: among what, under which words, over which state of the collections."""

    space: str
    words: Signature
    vector: Vector
    collection_ids: tuple[int, ...]
    epochs: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Again:
    """An earlier answer with its passages as they are today; `given_at` is when it was first given."""

    given_at: datetime
    result: SearchResult
    draft: extract.Draft
    decision: gates.Answerable


@dataclass(frozen=True, slots=True)
class _Entry:
    terms: tuple[int, ...]
    evidence: list[list[float]]
    quotes: list[list[int | str]]
    disagreeing: list[list[int]]
    confidence: float
    searched_chunks: int
    created_at: datetime
    similarity: float


def look(walk: Walk, asked: question.Question, vector: Vector, key: bytes) -> tuple[Place | None, Again | None]:
    """Where this answer belongs and, if there is one, the earlier answer. Neither where the workspace wants no cache."""
    searched = walk.settings.collection_ids or walk.scope.collection_ids
    words = signature(asked, key)
    space = space_of(walk)
    with principal(walk.scope):
        if not gives_again(walk.scope):
            return None, None
        ids, epochs, entries = _read(walk.scope, searched, space, words, vector, walk.now)
    if not ids:
        return None, None
    place = Place(space, words, vector, ids, epochs)
    for entry in entries:
        is_same = entry.similarity >= ALIKE and same(words, replace(words, terms=entry.terms))
        if is_same and (again := _again(walk.scope, entry)) is not None:
            return place, again
    return place, None


def keep(walk: Walk, place: Place) -> None:
    """Keep what was quoted, when the audit holds every quote; sweep what has expired."""
    if walk.written.mode != "extractive" or not walk.draft.sentences or not isinstance(walk.decision, gates.Answerable):
        return
    if walk.audit is None or walk.audit.verdict != "supported" or walk.notes not in ([], [extract.DISAGREE]):
        return
    with principal(walk.scope):
        mine = CachedAnswer.objects.visible_to(walk.scope)
        mine.filter(expires_at__lte=walk.now).delete()
        CachedAnswer.objects.create_for(
            walk.scope,
            space=place.space,
            exact=place.words.exact,
            terms=list(place.words.terms),
            vector=place.vector,
            collection_ids=list(place.collection_ids),
            epochs=list(place.epochs),
            evidence=[[p.chunk_id, p.similarity, p.fused, p.bm25, p.dense_rank, p.lexical_rank] for p in walk.evidence],
            quotes=[[q.passage_no, q.start, q.end, q.kind] for q in walk.draft.sentences],
            disagreeing=[list(pair) for pair in walk.draft.disagreeing],
            confidence=walk.decision.confidence,
            searched_chunks=walk.result.searched_chunks,
            created_at=walk.now,
            expires_at=walk.now + LIFE,
        )


def space_of(walk: Walk) -> str:
    """Names everything but the question and the documents that an answer depends on."""
    from answers.history import config_hash

    parts = (config_hash(walk.settings), walk.settings.thresholds.model, walk.written.prompt_version)
    return hashlib.sha256("\x1f".join(parts).encode()).hexdigest()


def _read(
    scope: Scope, searched: Sequence[int], space: str, words: Signature, vector: Vector, now: datetime
) -> tuple[tuple[int, ...], tuple[int, ...], list[_Entry]]:
    """The searched collections that hold something, their epochs, and the entries over exactly these; one statement."""
    with connections[open_alias(scope)].cursor() as cursor:
        cursor.execute(
            LOOK,
            {
                "workspace": scope.workspace_id,
                "collections": list(searched),
                "space": space,
                "exact": words.exact,
                "vector": as_text(vector),
                "now": now,
            },
        )
        rows = cursor.fetchall()
    ids, epochs = (tuple(rows[0][0]), tuple(rows[0][1])) if rows else ((), ())
    return ids, epochs, [_entry(row[2:]) for row in rows if row[2] is not None]


def _entry(row: Sequence[Any]) -> _Entry:
    terms, evidence, quotes, disagreeing, *rest = row
    return _Entry(tuple(terms), *(json.loads(value) for value in (evidence, quotes, disagreeing)), *rest)


def _again(scope: Scope, entry: _Entry) -> Again | None:
    """None when a passage is not there any more, or its text is too short for a quote: then it is searched anew."""
    found = read_again(scope, [int(row[0]) for row in entry.evidence])
    if any(int(row[0]) not in found for row in entry.evidence):
        return None
    passages = tuple(_placed(found[int(row[0])], row, rank) for rank, row in enumerate(entry.evidence, 1))
    quotes = tuple(_quote(passages, row) for row in entry.quotes)
    if any(not quote.text or quote.end > len(passages[quote.passage_no - 1].text) for quote in quotes):
        return None
    draft = extract.Draft(quotes, tuple((first, second) for first, second in entry.disagreeing))
    result = SearchResult(passages, (), (), entry.searched_chunks)
    return Again(entry.created_at, result, draft, gates.Answerable(entry.confidence))


def _placed(passage: Passage, row: Sequence[float | None], rank: int) -> Passage:
    _, similarity, fused, bm25, dense_rank, lexical_rank = row
    return replace(
        passage,
        rank=rank,
        similarity=similarity,
        fused=fused or 0.0,
        bm25=bm25,
        dense_rank=None if dense_rank is None else int(dense_rank),
        lexical_rank=None if lexical_rank is None else int(lexical_rank),
    )


def _quote(passages: Sequence[Passage], row: Sequence[int | str]) -> extract.Quote:
    number, start, end, kind = int(row[0]), int(row[1]), int(row[2]), row[3]
    return extract.Quote(number, start, end, passages[number - 1].text[start:end], kind)  # type: ignore[arg-type]


def gives_again(scope: Scope) -> bool:
    """Whether the workspace lets earlier answers be given. Needs an open principal."""
    return not AnswerOptions.objects.visible_to(scope).filter(gives_again=False).exists()


def switch(scope: Scope, *, on: bool) -> None:
    """For an owner. Off also removes what is kept, as far as the owner sees what it was searched in; the rest is not read."""
    with principal(scope):
        AnswerOptions.objects.visible_to(scope).delete()
        AnswerOptions.objects.create_for(scope, gives_again=on)
        if not on:
            CachedAnswer.objects.visible_to(scope).delete()
