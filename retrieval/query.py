"""What is searched for, where, and how the lists are made."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from documents.embedding.vector import Vector
from retrieval.ranking.rerank import Reranker

Ranker = Literal["bm25", "tfidf"]
Mode = Literal["hybrid", "words", "meaning"]
MODES: tuple[Mode, ...] = ("hybrid", "words", "meaning")
RANKERS: tuple[Ranker, ...] = ("bm25", "tfidf")


@dataclass(frozen=True, slots=True)
class Filters:
    """Which documents are searched: all whose live version fits every filter that is set; () and None set none.

    `kinds` are kinds of file, `languages` ISO 639-1 codes, `tags` those of which a document has one at least. `since` and `until`
    bound the moment the live version became valid (until is the first moment outside). `as_of` searches the versions that were
    valid then.
    """

    documents: tuple[str, ...] = ()
    kinds: tuple[str, ...] = ()
    languages: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    since: datetime | None = None
    until: datetime | None = None
    as_of: datetime | None = None

    @property
    def are_set(self) -> bool:
        return self != Filters()


NO_FILTERS = Filters()


@dataclass(frozen=True, slots=True)
class Query:
    """What is searched for. `vector` None leaves the dense list out; `note` then says why, on the trace and the page. `model` names
    who made the vector, "" for the live model: it is compared with vectors of that model alone, also when another went live.

    `words` False leaves the lexical list out; `meaning_weight` replaces the weight that the languages call for. With
    `phrases` what stands in quotation marks must stand in a passage. `per_document` moves what one document has beyond that
    many passages behind the others; `join` makes a hit whole with its neighbours; `reranker` places the first of the list anew.
    With `as_set` the lists are those that the searched collections are set to, where they are set alike.
    """

    text: str
    vector: Vector | None = None
    model: str = ""
    k: int = 8
    collection_ids: tuple[int, ...] | None = None
    language: str = ""
    note: str = ""
    words: bool = True
    meaning_weight: float | None = None
    filters: Filters = NO_FILTERS
    ranker: Ranker = "bm25"
    phrases: bool = False
    per_document: int | None = None
    join: bool = False
    reranker: Reranker | None = None
    as_set: bool = False
