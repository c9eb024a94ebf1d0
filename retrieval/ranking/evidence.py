"""What a search returns: passages in order, and how each stage placed them."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Candidate:
    """One chunk in one stage's list; `rank` counts from 1, `score` is in the stage's own unit."""

    chunk_id: int
    rank: int
    score: float


@dataclass(frozen=True, slots=True)
class StageTrace:
    """One stage of the read walk: dense, lexical, fused. `note` says in words why a stage was left out or fell back."""

    name: str
    ms: float
    candidates: tuple[Candidate, ...] = ()
    note: str = ""


@dataclass(frozen=True, slots=True)
class Passage:
    """One retrieved chunk with everything an answer, a citation and a reader need.

    `start` and `end` are character offsets of `text` in the version's canonical text. `similarity` is the cosine to the
    question in [-1, 1], None when the chunk has no vector or no vector was asked for. `bm25` is None when the chunk is
    outside the lexical list. `matched_terms` counts distinct query terms in the chunk; `identifier_hits` those that are
    identifiers (documents.text.analyse.is_identifier). `ordinal` is its place in the version; a passage that was joined with
    its neighbours has the ids and the place of the chunk that was found. `reranked` is the score of a reranker that read it.
    """

    chunk_id: int
    document_id: int
    version_id: int
    collection_id: int
    text: str
    start: int
    end: int
    title: str
    document_ref: str = ""
    heading_path: tuple[str, ...] = ()
    page: int | None = None
    prefix: str = ""
    kind: str = "prose"
    language: str = ""
    source_url: str = ""
    rank: int = 0
    fused: float = 0.0
    similarity: float | None = None
    dense_rank: int | None = None
    bm25: float | None = None
    lexical_rank: int | None = None
    matched_terms: int = 0
    identifier_hits: int = 0
    ordinal: int = 0
    reranked: float | None = None
    is_joined: bool = False


@dataclass(frozen=True, slots=True)
class SearchResult:
    """Passages best first, at most k; `query_terms` are the distinct analysed terms of the query.

    `found` are the ids of all chunks that any list held, best first; `notes` are codes of what the reader should know.
    """

    passages: tuple[Passage, ...]
    stages: tuple[StageTrace, ...]
    query_terms: tuple[str, ...]
    searched_chunks: int = 0
    found: tuple[int, ...] = ()
    notes: tuple[str, ...] = ()
