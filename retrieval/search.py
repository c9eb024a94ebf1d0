"""The read walk: a question becomes passages, and the trace of how each stage placed them.

filters → two lists side by side in one read-only transaction as the asker → one list (retrieval/ranking/fusion.py) → the
passages' rows → rerank, when there is a reranker → few of each document → hits made whole
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeVar

from documents.models import EmbeddingModel
from documents.text import analyse
from portal.events import Log
from portal.scope import Scope, principal
from retrieval import dense, filters, lexical, neighbours, passages, promotion
from retrieval import phrases as quoted
from retrieval.lexical import Beside, Collections, LexicalHit, Listed, Place, Statistics
from retrieval.query import Query, Ranker
from retrieval.ranking.diversity import capped
from retrieval.ranking.evidence import Candidate, Passage, SearchResult, StageTrace
from retrieval.ranking.fusion import Leg, fuse, meaning_weight, words_weight
from retrieval.ranking.phrases import read as read_phrases
from retrieval.ranking.rerank import RerankerUnavailable, reordered
from retrieval.ranking.topic import telling

__all__ = ("ALIAS", "DEPTH", "REACH", "Query", "search")

log = Log("retrieval.search")
ALIAS = "serve"
DEPTH = 100
REACH = 4000
"""Chunks that the scan of a large collection hands to the exact cosine (retrieval/dense.py). recall@10 over 100,000 made-up ones:
1.0 for questions on a topic of theirs, .74 for others, all of which are then compared whole. Over SciFact (10,806 chunks) 1000 gave
.9995 for its own questions and .89 to .98 for those of other sets."""
RARE = 10
"""An identifier that more of the list holds is a product's name rather than the thing asked for. SciFact train (809 questions):
none .729, 3 .730, 5 .730, 10 .732."""
BY_WORDS = "by words alone, as the collections are set"
POOL = 50
"""Passages that a reranker reads, and that are looked at for those of other documents."""
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class _Index:
    """What the searched collections hold, as the asker sees it."""

    held: Collections
    model: EmbeddingModel | None


@dataclass(frozen=True, slots=True)
class _Others:
    """(chunk id, score) under each list of what only the other one names."""

    words: tuple[tuple[int, float], ...] = ()
    meaning: tuple[tuple[int, float], ...] = ()


@dataclass(slots=True)
class _Walk:
    """What one search has found out so far."""

    query: Query
    place: Place
    index: _Index
    terms: tuple[str, ...] = ()
    words: list[LexicalHit] = field(default_factory=list)
    meaning: list[tuple[int, float]] = field(default_factory=list)
    others: _Others = _Others()
    fused: list[tuple[int, float]] = field(default_factory=list)
    then: filters.Earlier = filters.NO_EARLIER
    phrases: tuple[str, ...] = ()
    notes: list[str] = field(default_factory=list)
    stages: list[StageTrace] = field(default_factory=list)

    def add(self, name: str, ms: float, scored: Iterable[tuple[int, float]] = (), note: str = "") -> None:
        self.stages.append(StageTrace(name, ms, _candidates(scored), note))


def search(scope: Scope, query: Query) -> SearchResult:
    """At most k passages, best first. Searches the asked collections that the scope sees; none of them gives no passages.

    With a vector the list holds min(k, visible chunks with a vector that the filters leave) passages or more; without one
    only what shares a word.
    """
    chosen = _collections(scope, query)
    if not chosen:
        return SearchResult((), (), ())
    with principal(scope, using=ALIAS):
        place = Place(ALIAS, scope.workspace_id, chosen)
        index = _index(place, query)
        walk = _Walk(as_set(query, index.held.ranker), place, index)
        _filter(walk)
        _list(walk)
        _fuse(walk)
        placed = _passages(walk)
    placed = _reranked(walk, placed)
    if query.join:
        with principal(scope, using=ALIAS):
            placed, joined_ms = _timed(lambda: neighbours.made_whole(place, placed))
        walk.add("joined", joined_ms)
    placed = capped_to(placed, query)
    ranked = tuple(replace(passage, rank=rank) for rank, passage in enumerate(placed, 1))
    found = tuple(chunk_id for chunk_id, _ in walk.fused)
    return SearchResult(ranked, tuple(walk.stages), walk.terms, walk.index.held.chunks, found, tuple(walk.notes))


def read_again(scope: Scope, chunk_ids: Sequence[int]) -> dict[int, Passage]:
    """The live passages among these chunks that the scope sees, by chunk id, without scores."""
    with principal(scope, using=ALIAS):
        return passages.rows(Place(ALIAS, scope.workspace_id, scope.collection_ids), chunk_ids)


def _collections(scope: Scope, query: Query) -> tuple[int, ...]:
    if query.collection_ids is None:
        return scope.collection_ids
    return tuple(sorted(set(query.collection_ids) & set(scope.collection_ids)))


def as_set(query: Query, ranker: str) -> Query:
    """The query with the lists that its collections are set to; as it is where it says which lists it wants, or they do not."""
    if not query.as_set or not ranker:
        return query
    if ranker == "hybrid":
        return replace(query, words=True, ranker="bm25")
    words: Ranker = "tfidf" if ranker == "tfidf" else "bm25"
    return replace(query, words=True, vector=None, note=BY_WORDS, ranker=words)


def _timed(work: Callable[[], T]) -> tuple[T, float]:
    started = time.perf_counter()
    result = work()
    return result, (time.perf_counter() - started) * 1000


def _index(place: Place, query: Query) -> _Index:
    """With who made the question's vector; the live model when it says nothing. None when its vectors are gone."""
    held = lexical.collections(place)
    rows = {row.name: row for row in held.models}
    live = next((row for row in held.models if row.state == EmbeddingModel.State.LIVE), None)
    made = rows.get(query.model, live) if query.vector is not None else live
    return _Index(held, None if made is None or made.state == EmbeddingModel.State.RETIRED else made)


def _filter(walk: _Walk) -> None:
    """Narrow the place to the documents that the filters leave."""
    if not walk.query.filters.are_set:
        return
    documents, ms = _timed(lambda: filters.matching(walk.place, walk.query.filters))
    walk.place = replace(walk.place, documents=documents)
    walk.add("filters", ms)


def _list(walk: _Walk) -> None:
    """The list by words and the list by meaning, with what must stand in every passage."""
    query = walk.query
    languages = [language for language in dict.fromkeys((query.language, *walk.index.held.languages)) if language]
    spoken = [query.language] if query.language else languages or ["en"]
    walk.terms = telling(analyse.query_terms(query.text, languages=languages or ["en"]), spoken)
    counted = [analyse.term_id(term) for term in walk.terms] if query.words or query.phrases else []
    statistics, counted_ms = _timed(lambda: lexical.statistics(walk.place, counted, walk.index.held))
    only: tuple[int, ...] | None = None
    if query.phrases and (read := read_phrases(query.text)).phrases:
        walk.phrases = read.phrases
        only, found_ms = _timed(lambda: quoted.holders(walk.place, statistics, read.phrases, languages))
        walk.add("phrases", found_ms)
    walk.meaning, meaning_ms = _timed(lambda: _by_meaning(walk, only))
    listed, words_ms = _timed(lambda: _by_words(walk, statistics, only))
    walk.words = listed.hits
    walk.add("words", counted_ms + words_ms, [(hit.chunk_id, hit.score) for hit in walk.words])
    walk.add("meaning", meaning_ms, walk.meaning, _why_no_meaning(walk))
    if walk.words and walk.meaning:
        walk.others, others_ms = _timed(lambda: _of_the_other_list(walk, listed))
        walk.add("compared", others_ms)


def _by_words(walk: _Walk, statistics: Statistics, only: tuple[int, ...] | None) -> Listed:
    """The list, and the scores by words of what the list by meaning names."""
    query = walk.query
    if not query.words:
        return Listed()
    walk.then = filters.earlier(walk.place, query.filters, walk.terms, statistics, query.ranker)
    if walk.then.is_cut:
        walk.notes.append("retrieval.too_many_earlier")
    model = walk.index.model
    beside = Beside(
        [chunk_id for chunk_id, _ in walk.meaning], query.vector if model else None, model.pk if model else None
    )
    found = lexical.search(walk.place, statistics, ranker=query.ranker, limit=DEPTH, chunks=only, beside=beside)
    then = walk.then.hits
    if walk.phrases and then:
        held = quoted.holding(walk.place, [hit.chunk_id for hit in then], walk.phrases)
        then = tuple(hit for hit in then if hit.chunk_id in held)
    return replace(found, hits=sorted((*found.hits, *then), key=lexical.best_first)[:DEPTH]) if then else found


def _by_meaning(walk: _Walk, only: tuple[int, ...] | None) -> list[tuple[int, float]]:
    """The flat scan; of promoted collections their own index, unless that finds too few or there is a filter."""
    if walk.query.vector is None or walk.index.model is None:
        return []
    model, vector, place = walk.index.model, walk.query.vector, walk.place
    listed: list[tuple[int, float]] = []
    if only is None and place.documents is None and walk.index.held.chunks >= promotion.WORTH_IT:
        for collection in promotion.promoted(place, model.pk):
            found = promotion.nearest(place, collection, model, vector, limit=DEPTH)
            if len(found) == DEPTH:
                listed += found
                rest = tuple(pk for pk in place.collection_ids if pk != collection)
                place = replace(place, collection_ids=rest)
    if place.collection_ids:
        listed += dense.search(
            place, vector, model_id=model.pk, reach=REACH, limit=DEPTH, chunks=only, held=walk.index.held
        )
    return sorted(listed, key=lambda pair: (-pair[1], pair[0]))[:DEPTH]


def _of_the_other_list(walk: _Walk, listed: Listed) -> _Others:
    """Each list's score of what only the other one names: fusion then compares like with like (ADR 0005)."""
    by_words = {hit.chunk_id for hit in walk.words}
    by_meaning = {chunk_id for chunk_id, _ in walk.meaning}
    return _Others(
        tuple((chunk_id, score) for chunk_id, score in listed.beside.items() if chunk_id not in by_words),
        tuple((chunk_id, score) for chunk_id, score in listed.cosines.items() if chunk_id not in by_meaning),
    )


def _fuse(walk: _Walk) -> None:
    started = time.perf_counter()
    named = _by_name(walk.words, walk.query.text)
    least = min((score for _, score in walk.meaning), default=None)
    legs = [
        Leg("words", [*((hit.chunk_id, hit.score) for hit in walk.words), *walk.others.words], _words(walk), floor=0.0),
        Leg("meaning", [*walk.meaning, *walk.others.meaning], weight=_weight(walk.query, walk.index), floor=least),
        *([Leg("names", named, floor=0.0)] if named else []),
    ]
    walk.fused = fuse(legs)
    walk.add("fused", (time.perf_counter() - started) * 1000, walk.fused[:DEPTH])


def _by_name(words: Sequence[LexicalHit], text: str) -> list[tuple[int, float]]:
    """Of the list by words, what holds an identifier that the question asks for, unless that identifier is common."""
    named: set[int] = set()
    for name in passages.names_in(text):
        holders = [hit.chunk_id for hit in words if name in hit.terms]
        if len(holders) <= RARE:
            named.update(holders)
    return [(hit.chunk_id, hit.score) for hit in words if hit.chunk_id in named]


def _why_no_meaning(walk: _Walk) -> str:
    if walk.query.vector is None:
        return walk.query.note or "no vector for the question"
    return "" if walk.index.model else "no embedding model is live"


def _words(walk: _Walk) -> float:
    declared = walk.index.model.languages if walk.index.model else []
    return words_weight(declared, walk.query.language, walk.index.held.languages)


def _weight(query: Query, index: _Index) -> float:
    """A model is noise outside its languages; the question's own is counted when it is known."""
    if query.meaning_weight is not None:
        return query.meaning_weight
    declared = index.model.languages if index.model else []
    return meaning_weight(declared, [query.language] if query.language else index.held.languages)


def _candidates(scored: Iterable[tuple[int, float]]) -> tuple[Candidate, ...]:
    return tuple(Candidate(chunk_id, rank, score) for rank, (chunk_id, score) in enumerate(scored, 1))


def _passages(walk: _Walk) -> list[Passage]:
    query = walk.query
    wider = query.join or query.reranker is not None or query.per_document is not None
    fused = walk.fused[: max(query.k, POOL) if wider else query.k]
    chosen = [chunk_id for chunk_id, _ in fused]
    found, ms = _timed(lambda: passages.rows(walk.place, chosen, versions=walk.then.versions))
    walk.add("passages", ms)
    cosines = dict((*walk.meaning, *walk.others.meaning))
    return passages.placed(
        found, fused, passages.Lists(walk.words, walk.meaning, passages.names_in(query.text), cosines)
    )


def _reranked(walk: _Walk, placed: list[Passage]) -> list[Passage]:
    """In the order of the reranker; in the fused order when there is none, or none that answers. No transaction is open."""
    reranker = walk.query.reranker
    if reranker is None or not placed:
        return placed
    by_id = {passage.chunk_id: passage for passage in placed}
    started = time.perf_counter()
    try:
        scores = reranker.scores(walk.query.text, [readable(passage) for passage in placed])
        ordered = reordered(list(by_id), scores)
    except RerankerUnavailable as trouble:
        log.warning("search.reranker_down", code=trouble.code)
        walk.notes.append(trouble.code)
        walk.add("reranked", (time.perf_counter() - started) * 1000, note=trouble.code)
        return placed
    walk.add("reranked", (time.perf_counter() - started) * 1000, ordered, reranker.name)
    return [replace(by_id[chunk_id], reranked=score) for chunk_id, score in ordered]


def readable(passage: Passage) -> str:
    """A passage as a reranker reads it: title and headings above the text."""
    lead = " › ".join(part for part in (passage.title, *passage.heading_path) if part)
    return "\n".join(part for part in (lead, passage.prefix, passage.text) if part)


def capped_to(placed: list[Passage], query: Query) -> list[Passage]:
    """The first k, of each document at most `per_document` before those of others."""
    if query.per_document is not None:
        placed = capped(placed, document=lambda passage: passage.document_id, per_document=query.per_document)
    return placed[: query.k]
