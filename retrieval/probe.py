"""Whether a document is still found: what portal.forgetting.probe() calls. The same SQL and the same walk as a question's."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from portal.forgetting import Found, Sample
from portal.scope import Scope, principal
from retrieval import passages
from retrieval.lexical import Place
from retrieval.search import ALIAS, Query, search

DEEP = 50
"""Passages looked through per search: a hidden leftover would come first for its own words, and fifty leave no doubt."""


def probe(scope: Scope, document_id: int, *, chunk_ids: Sequence[int], samples: Sequence[Sample]) -> Found:
    """Chunks of the document that come back by their ids, for a sentence of theirs, or as neighbours of their own vector."""
    sentences = [Query(sample.sentence, k=DEEP) for sample in samples if sample.sentence]
    vectors = [Query("", vector=list(sample.vector), k=DEEP, words=False) for sample in samples if sample.vector]
    return Found(_by_id(scope, chunk_ids), _found(scope, document_id, sentences), _found(scope, document_id, vectors))


def _by_id(scope: Scope, chunk_ids: Sequence[int]) -> frozenset[int]:
    place = Place(ALIAS, scope.workspace_id, scope.collection_ids)
    with principal(scope, using=ALIAS):
        return frozenset(passages.rows(place, chunk_ids))


def _found(scope: Scope, document_id: int, queries: Iterable[Query]) -> frozenset[int]:
    return frozenset(
        passage.chunk_id
        for query in queries
        for passage in search(scope, query).passages
        if passage.document_id == document_id
    )
