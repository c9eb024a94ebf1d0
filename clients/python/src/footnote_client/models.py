"""What the API gives, as frozen dataclasses. A field that a newer server adds is left out; `decode` reads them from JSON."""

from __future__ import annotations

import dataclasses
import functools
import types
import typing
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal, TypeVar

T = TypeVar("T")
DocumentState = Literal["queued", "reading", "words", "ready", "attention"]


@dataclass(frozen=True, slots=True)
class Workspace:
    ref: str
    name: str
    role: str


@dataclass(frozen=True, slots=True)
class Collection:
    """`kind` is private, shared or granted; `may_edit`: the key's owner may add documents."""

    ref: str
    name: str
    kind: str
    created_at: datetime
    may_edit: bool


@dataclass(frozen=True, slots=True)
class Reason:
    """Why a document needs attention, or what it waits for. `code` is stable."""

    code: str
    title: str
    detail: str
    advice: str


@dataclass(frozen=True, slots=True)
class Job:
    ref: str
    kind: str
    state: str
    attempt: int
    created_at: datetime
    finished_at: datetime | None


@dataclass(frozen=True, slots=True)
class Document:
    """`state` is `ready` when it is read and embedded, `words` when it can be found by its words already."""

    ref: str
    name: str
    title: str
    kind: str
    collection: str
    source_url: str
    state: str
    reason: Reason | None
    version: int | None
    chunks: int
    vectors: int
    pages: int | None
    unread_pages: int
    skipped_parts: int
    tables: int
    suspects: int
    disabled_at: datetime | None
    created_at: datetime
    updated_at: datetime
    job: Job | None = None


@dataclass(frozen=True, slots=True)
class Taken:
    """What became of a file: `accepted` as a version, or a `duplicate` of what is there."""

    outcome: str
    version: int | None
    document: Document


@dataclass(frozen=True, slots=True)
class TextChunk:
    """A passage of a document, in reading order from `number` 1."""

    id: int
    number: int
    kind: str
    text: str
    heading_path: tuple[str, ...]
    page: int | None
    start: int
    end: int
    language: str
    source_url: str


@dataclass(frozen=True, slots=True)
class Scores:
    fused: float
    similarity: float | None
    bm25: float | None
    reranked: float | None


@dataclass(frozen=True, slots=True)
class Passage:
    """`document` is the document's ref; `start` and `end` are offsets in the version's text."""

    rank: int
    chunk: int
    document: str
    title: str
    source_url: str
    heading_path: tuple[str, ...]
    page: int | None
    text: str
    language: str
    start: int
    end: int
    scores: Scores


@dataclass(frozen=True, slots=True)
class Note:
    """What the asker should know of a result."""

    code: str
    title: str
    advice: str


@dataclass(frozen=True, slots=True)
class SearchResult:
    passages: tuple[Passage, ...]
    searched_chunks: int
    mode: str
    notes: tuple[Note, ...]


@dataclass(frozen=True, slots=True)
class Quote:
    text: str
    citation: int


@dataclass(frozen=True, slots=True)
class Citation:
    """A passage under an answer. A removed source keeps its number alone; `url` is a path on the portal."""

    number: int
    role: str
    is_removed: bool
    document: str | None
    url: str | None
    is_live: bool
    chunk: int
    title: str
    source_url: str
    page: int | None
    heading_path: tuple[str, ...]
    snippet: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class SourcesSince:
    """What became of the cited passages since the answer."""

    cited: int
    changed: int
    disabled: int
    removed: int


@dataclass(frozen=True, slots=True)
class Sentence:
    """`text[start:end]` of a model's answer, with the audit's word: supported, partly, not_supported."""

    start: int
    end: int
    support: str
    faults: tuple[str, ...]
    citations: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Answer:
    """`text` holds [n] markers that name citations. `outcome` answered, declined, …; `reason` says why not, a stable code."""

    ref: str
    outcome: str
    verdict: str
    reason: str
    text: str
    quotes: tuple[Quote, ...]
    citations: tuple[Citation, ...]
    sentences: tuple[Sentence, ...]
    sources_since: SourcesSince
    mode: str
    model: str
    tokens_in: int
    tokens_out: int
    cost_usd: float
    searched_chunks: int
    notes: tuple[str, ...]
    unread_pages: int
    total_ms: int
    created_at: datetime
    question_ref: str = ""
    timings_ms: Mapping[str, float] = field(default_factory=dict)

    @property
    def cited(self) -> tuple[Citation, ...]:
        """The citations that the text rests on; the others are the nearest passages beside them."""
        return tuple(citation for citation in self.citations if citation.role == "cited")


@dataclass(frozen=True, slots=True)
class Question:
    """`typed` is what was sent when a follow-up was completed to `question`."""

    ref: str
    question: str
    language: str
    asked_at: datetime
    answer: Answer
    typed: str = ""
    conversation: str = ""


@dataclass(frozen=True, slots=True)
class PastQuestion:
    ref: str
    question: str
    language: str
    asked_at: datetime
    outcome: str
    verdict: str
    is_stale: bool


@dataclass(frozen=True, slots=True)
class Stage:
    """An answer on its way: what is being done, over how many passages."""

    name: str
    count: int = 0


@dataclass(frozen=True, slots=True)
class Token:
    """The next piece of the text."""

    text: str


@dataclass(frozen=True, slots=True)
class Void:
    """The text so far is void and begins anew."""


def decode(kind: type[T], data: Any) -> T:
    """`data`, as JSON gives it, as an instance of the dataclass. Raises ValueError for what does not fit."""
    made: T = _decoded(kind, data)
    return made


@functools.cache
def _fields(kind: Any) -> tuple[tuple[str, Any, bool], ...]:
    """Name, type and whether it must be there."""
    hints = typing.get_type_hints(kind)
    return tuple(
        (
            one.name,
            hints[one.name],
            one.default is dataclasses.MISSING and one.default_factory is dataclasses.MISSING,
        )
        for one in dataclasses.fields(kind)
    )


def _decoded(kind: Any, data: Any) -> Any:
    origin, inside = typing.get_origin(kind), typing.get_args(kind)
    if kind is Any:
        return data
    if origin is types.UnionType:
        return None if data is None else _decoded(inside[0], data)
    if origin is tuple:
        return tuple(_decoded(inside[0], item) for item in _be(list, data))
    if origin is Mapping:
        return {str(name): _decoded(inside[1], item) for name, item in _be(dict, data).items()}
    if kind is datetime:
        return datetime.fromisoformat(_be(str, data))
    if dataclasses.is_dataclass(kind):
        return _object(kind, _be(dict, data))
    return float(_be((int, float), data)) if kind is float else _be(kind, data)


def _object(kind: Any, data: dict[str, Any]) -> Any:
    found = {}
    for name, inside, is_needed in _fields(kind):
        if name in data:
            found[name] = _decoded(inside, data[name])
        elif is_needed:
            raise ValueError(f"{kind.__name__} without {name}")
    return kind(**found)


def _be(kind: Any, data: Any) -> Any:
    if not isinstance(data, kind):
        raise ValueError(f"{type(data).__name__} where {kind} was expected")  # noqa: TRY004 (one kind for what does not fit)
    return data
