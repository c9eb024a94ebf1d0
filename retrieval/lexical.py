"""The list by words: BM25 or TF-IDF in SQL, under the asker's row policies."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from django.db import connections

from documents.embedding.vector import Vector, as_text
from documents.models import EmbeddingModel
from retrieval.query import Ranker
from retrieval.ranking import bm25, tfidf
from retrieval.sql import statement

STATISTICS, TERMS, HOLDERS, WORDS = (
    statement("statistics"),
    statement("terms"),
    statement("holders"),
    statement("words"),
)
SCORE: Mapping[Ranker, str] = {
    "bm25": "p.weight * p.frequency / (p.frequency + %(floor)s::float8 + %(slope)s::float8 * p.length)",
    "tfidf": "p.frequency * p.weight / sqrt(p.length)",
}
"""What one posting adds to its chunk's score. BM25's k1·(1 - b + b·length/mean) is the straight line floor + slope·length."""
MOST_BITS = 62
"""Terms whose presence fits one bigint; of more terms it is kept in a bit string, at twice the time."""


@dataclass(frozen=True, slots=True)
class LexicalHit:
    """`terms` are the ids of the query terms in the chunk."""

    chunk_id: int
    score: float
    terms: frozenset[int]


@dataclass(frozen=True, slots=True)
class Place:
    """Where is searched: the collections, of their documents those in `documents`, of their chunks those in `chunks`.

    None is all of them.
    """

    alias: str
    workspace_id: int
    collection_ids: tuple[int, ...]
    documents: tuple[int, ...] | None = None
    chunks: tuple[int, ...] | None = None

    @property
    def keys(self) -> dict[str, Any]:
        return {
            "workspace": self.workspace_id,
            "collections": list(self.collection_ids),
            "documents": None if self.documents is None else list(self.documents),
            "chunks": None if self.chunks is None else list(self.chunks),
        }


@dataclass(frozen=True, slots=True)
class Collections:
    """What the searched collections hold, as the asker sees them: live chunks, terms of a chunk in the mean, languages;
    and the embedding models of the installation.

    `gone` are documents that are deleted and not yet removed, or switched off, and `gone_vectors` the vectors they still have.
    `ranker` is what all that hold anything are set to, "" where they are not set alike or not at all.
    """

    chunks: int
    mean_length: float
    languages: tuple[str, ...]
    gone: tuple[int, ...]
    gone_vectors: int
    models: tuple[EmbeddingModel, ...]
    ranker: str = ""


@dataclass(frozen=True, slots=True)
class Statistics:
    """What the weights of a question's terms rest on."""

    chunks: int
    mean_length: float
    gone: tuple[int, ...]
    counts: Mapping[int, int]
    """Live chunks that hold each term of the question that any holds."""


def collections(place: Place) -> Collections:
    """One row for all of the place's collections; of none, no chunks of the length 1."""
    with connections[place.alias].cursor() as cursor:
        cursor.execute(STATISTICS, place.keys)
        chunks, mean_length, languages, gone, gone_vectors, rows, rankers = cursor.fetchone()
    spoken = tuple(dict.fromkeys(language for language in languages.split(",") if language))
    ranker = "" if "," in rankers else rankers
    return Collections(chunks, float(mean_length), spoken, tuple(gone), gone_vectors, _models(rows), ranker)


def _models(rows: Sequence[Sequence[Any]]) -> tuple[EmbeddingModel, ...]:
    names = ("id", "name", "state", "dims", "languages")
    return tuple(EmbeddingModel(**dict(zip(names, row, strict=True))) for row in rows)


def statistics(place: Place, term_ids: Sequence[int], held: Collections | None = None) -> Statistics:
    """The visible, live chunks alone are counted; `held` saves looking the collections up again."""
    held = held or collections(place)
    counts: dict[int, int] = {}
    if term_ids:
        with connections[place.alias].cursor() as cursor:
            cursor.execute(TERMS, {**place.keys, "terms": list(term_ids), "gone": list(held.gone)})
            counts = dict(cursor.fetchall())
    return Statistics(max(held.chunks, *counts.values(), 0), held.mean_length, held.gone, counts)


def holding_all(place: Place, found: Statistics, term_ids: Sequence[int], *, limit: int) -> list[int]:
    """Ids of chunks that hold every one of the terms, in the order of ids; no terms are held by none."""
    if not term_ids:
        return []
    with connections[place.alias].cursor() as cursor:
        values = {**place.keys, "terms": list(term_ids), "gone": list(found.gone), "limit": limit}
        cursor.execute(HOLDERS, values)
        return [row[0] for row in cursor.fetchall()]


@dataclass(frozen=True, slots=True)
class Listed:
    """The list by words, best first, with the cosines of its chunks that have a vector; and the scores of the chunks that were
    asked for beside it, where they hold a term.
    """

    hits: list[LexicalHit] = field(default_factory=list)
    cosines: dict[int, float] = field(default_factory=dict)
    beside: dict[int, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Beside:
    """What the other list knows: the chunks it names, the question's vector, the model that made it."""

    chunks: Sequence[int] = ()
    vector: Vector | None = None
    model_id: int | None = None


ALONE = Beside()


def search(
    place: Place,
    found: Statistics,
    *,
    ranker: Ranker = "bm25",
    limit: int,
    chunks: Sequence[int] | None = None,
    beside: Beside = ALONE,
) -> Listed:
    """Chunks that hold any of the terms, best first, ties by chunk id, at most `limit`. No terms give an empty list.

    With `chunks` only these are ranked. The chunks `beside` the list are scored wherever they stand in it, or far below its end.
    """
    if not found.counts or (chunks is not None and not chunks):
        return Listed()
    place = replace(place, chunks=None if chunks is None else tuple(chunks))
    with connections[place.alias].cursor() as cursor:
        cursor.execute(*statement_of(found, ranker, place, limit=limit, beside=beside))
        rows = cursor.fetchall()
    terms = tuple(found.counts)
    hits = [LexicalHit(row[0], row[1], _terms_of(row[2], terms)) for row in rows if row[3]]
    return Listed(
        sorted(hits, key=best_first),
        {row[0]: row[4] for row in rows if row[3] and row[4] is not None},
        {row[0]: row[1] for row in rows if not row[3]},
    )


def best_first(hit: LexicalHit) -> tuple[float, int]:
    return -hit.score, hit.chunk_id


def statement_of(
    found: Statistics, ranker: Ranker, place: Place, *, limit: int, beside: Beside = ALONE
) -> tuple[str, dict[str, Any]]:
    """The SQL of the list and its values."""
    bits = "bigint" if len(found.counts) <= MOST_BITS else "bit varying"
    values = {
        **place.keys,
        **_values(found, ranker),
        "limit": limit,
        "also": list(beside.chunks),
        "vector": None if beside.vector is None else as_text(beside.vector),
        "model": beside.model_id,
    }
    return WORDS.format(score=SCORE[ranker], bits=bits), values


def _values(found: Statistics, ranker: Ranker) -> dict[str, Any]:
    weigh = tfidf.idf if ranker == "tfidf" else _most
    terms = len(found.counts)
    return {
        "gone": list(found.gone),
        "terms": list(found.counts),
        "weights": [weigh(found.chunks, count) for count in found.counts.values()],
        "bits": [1 << place if terms <= MOST_BITS else f"{1 << place:0{terms}b}" for place in range(terms)],
        "floor": bm25.K1 * (1 - bm25.B),
        "slope": bm25.K1 * bm25.B / found.mean_length,
    }


def _most(chunks: int, count: int) -> float:
    """What a term is worth at most under BM25: in a chunk that holds it without end."""
    return bm25.idf(chunks, count) * (bm25.K1 + 1)


def _terms_of(bits: int | str, terms: Sequence[int]) -> frozenset[int]:
    held = bits if isinstance(bits, int) else int(bits, 2)
    return frozenset(term for place, term in enumerate(terms) if held >> place & 1)
