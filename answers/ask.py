"""One question, from the text in the box to an answer with its evidence or a plain "not found".

The order below is a promise (docs/architecture.md); tests/answers/test_ask_order.py holds it. From the fingerprint on, only
q_hash and q_len may reach a log, a trace or anything outside this process but the asker's own history.
"""

from __future__ import annotations

import functools
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal, Protocol, cast

from django.conf import settings as django_settings

from answers import cache, conversation, history, record
from answers.rules import budget, citations, extract, gates, guard, question
from answers.rules.fingerprint import question_fingerprint
from answers.writers import ExtractiveWriter, Void, Writer, Written, shown_pieces
from documents.embedders import Embedders, live_name
from documents.embedding.client import Embedder, EmbedderUnavailable
from documents.embedding.guarded import embedder_of_questions
from documents.embedding.vector import Vector
from portal import limits
from portal.events import Log
from portal.models import Workspace
from portal.scope import Scope, principal
from retrieval.query import Ranker
from retrieval.ranking.evidence import Passage, SearchResult
from retrieval.rerank import configured
from retrieval.search import Query, search

log = Log("answers.ask")
StageName = Literal[
    "validate",
    "guard",
    "fingerprint",
    "rewrite",
    "embed",
    "cache",
    "search",
    "gates",
    "write",
    "audit",
    "persist",
    "record",
]


@dataclass(frozen=True, slots=True)
class AskSettings:
    """How questions are answered here. `collection_ids` None searches all that the asker sees.

    `words` and `meaning` switch a list of the search off, `meaning_weight` replaces its weight: for evaluation runs.
    `rerank` has the configured reranker read the best passages, where there is one. `thresholds` are those of the live embedding
    model, whose name is `embedder`. With `as_set` collections that are set to words alone are searched so. `gives_again` lets an
    earlier answer to the same question be given.
    """

    collection_ids: tuple[int, ...] | None = None
    k: int = 8
    guard_mode: guard.Mode = "log"
    thresholds: gates.Thresholds = field(default_factory=lambda: gates.thresholds_for(live_name()))
    words: bool = field(default_factory=lambda: django_settings.SEARCH_MODE != "meaning")
    meaning: bool = field(default_factory=lambda: django_settings.SEARCH_MODE != "words")
    ranker: Ranker = field(default_factory=lambda: cast("Ranker", django_settings.SEARCH_RANKER))
    meaning_weight: float | None = None
    rerank: bool = True
    gives_again: bool = False
    as_set: bool = True
    embedder: str = field(default_factory=live_name)


@dataclass(frozen=True, slots=True)
class Stage:
    """A stage that begins now."""

    name: StageName
    count: int = 0


@dataclass(frozen=True, slots=True)
class Token:
    """A piece of the answer, in reading order."""

    text: str


@dataclass(frozen=True, slots=True)
class Meta:
    """The last event: where the answer is kept, and what it came to."""

    answer_ref: str
    outcome: str
    verdict: str
    total_ms: int


@dataclass(frozen=True, slots=True)
class Refused:
    """The last event of a text that is no question; `code` names the words. Nothing was kept."""

    code: str


Event = Stage | Token | Void | Meta | Refused


class Kept(Protocol):
    """What the last event says of the answer."""

    @property
    def ref(self) -> str: ...
    @property
    def outcome(self) -> str: ...
    @property
    def verdict(self) -> str: ...


Keep = Callable[["Walk", int], Kept]
"""Persists a finished walk and its ms. Members' questions go to their history; evaluation runs keep elsewhere."""


@dataclass(slots=True)
class Walk:
    """What the walk has found out so far; each stage fills in its own."""

    scope: Scope
    settings: AskSettings
    asked: question.Question | question.SmallTalk
    now: datetime
    talk: conversation.Conversation = conversation.ALONE
    typed: str = ""
    completed_by: conversation.By = ""
    q_hash: str = ""
    rule_ids: tuple[str, ...] = ()
    blocked: bool = False
    result: SearchResult = field(default_factory=lambda: SearchResult((), (), ()))
    evidence: tuple[Passage, ...] = ()
    decision: gates.Answerable | gates.Declined | None = None
    draft: extract.Draft = field(default_factory=extract.Draft)
    written: Written = field(default_factory=Written)
    audit: citations.Audit | None = None
    notes: list[str] = field(default_factory=list)
    cache_place: cache.Place | None = None
    earlier_at: datetime | None = None
    stage_ms: dict[str, float] = field(default_factory=dict)


def ask(
    scope: Scope,
    text: str,
    *,
    settings: AskSettings,
    now: datetime,
    embedder: Embedder | None = None,
    keep: Keep = history.keep,
    writer: Writer | None = None,
    admit: limits.Admit = limits.admit_question,
    talk: conversation.Conversation = conversation.ALONE,
) -> Iterator[Event]:
    """Stage events as they begin, the answer's text as Tokens, then exactly one Meta (or Refused), last.

    Without a `writer` the answer is quoted. Tokens are what was written before the audit; what is kept is after it. In a
    conversation (`talk`) a follow-up is completed first, and what is searched, guarded and kept is the completed question.
    Raises RateLimited before anything happened to a question that comes too soon.
    """
    started = time.perf_counter()
    clock = _Clock()
    yield Stage("validate")
    asked = conversation.read(text, talk)
    if isinstance(asked, question.Invalid):
        yield Refused(asked.code)
        return
    admit(scope)
    walk = Walk(scope, settings, asked, now, talk, question.tidy(text))
    yield clock.next("guard", walk)
    _screen(walk, asked.text)
    yield clock.next("fingerprint", walk)
    walk.q_hash = question_fingerprint(_question_key(scope), asked.text)
    if talk.earlier and isinstance(asked, question.Question) and not walk.blocked:
        yield clock.next("rewrite", walk)
        asked = _complete(walk, asked, writer)
    if isinstance(asked, question.Question) and not walk.blocked:
        yield from _find(walk, asked, clock, embedder, may_give_again=settings.gives_again and _quotes(writer))
        if walk.earlier_at is None:
            yield clock.next("gates", walk)
            walk.evidence = budget.choose(walk.result.passages).passages
            walk.decision = gates.decide(asked, walk.evidence, settings.thresholds)
            yield clock.next("write", walk)
            yield from _write(walk, asked, writer or ExtractiveWriter())
        yield clock.next("audit", walk)
        walk.audit = citations.audit(walk.written.text or walk.draft, walk.evidence[: walk.written.sent])
    yield clock.next("persist", walk)
    total_ms = round((time.perf_counter() - started) * 1000)
    answer = keep(walk, total_ms)
    if walk.cache_place is not None and walk.earlier_at is None:
        cache.keep(walk, walk.cache_place)
    yield clock.next("record", walk)
    record.tell(walk, answer.ref, answer.outcome, total_ms)
    yield Meta(answer.ref, answer.outcome, answer.verdict, total_ms)


def _screen(walk: Walk, text: str) -> None:
    screened = guard.screen(text, walk.settings.guard_mode)
    walk.rule_ids = tuple(dict.fromkeys((*walk.rule_ids, *screened.rule_ids)))
    walk.blocked = walk.blocked or screened.blocked


def _complete(walk: Walk, asked: question.Question, writer: object) -> question.Question:
    """The question that stands alone: guarded and fingerprinted like any other."""
    completes = writer if isinstance(writer, conversation.Completes) else None
    completed = conversation.complete(walk.scope, walk.typed, asked, walk.talk, completes=completes)
    walk.asked, walk.completed_by = completed.asked, completed.by
    if completed.by:
        _screen(walk, completed.asked.text)
        walk.q_hash = question_fingerprint(_question_key(walk.scope), completed.asked.text)
    return completed.asked


def _quotes(writer: Writer | None) -> bool:
    """A model's text is never kept, so no earlier answer stands in for one (ADR 0025)."""
    return writer is None or isinstance(writer, ExtractiveWriter)


def _find(
    walk: Walk, asked: question.Question, clock: _Clock, embedder: Embedder | None, *, may_give_again: bool
) -> Iterator[Event]:
    """The passages that were found, or an earlier answer with its own."""
    yield clock.next("embed", walk)
    asking = embedder or question_embedder().named(walk.settings.embedder)
    vector, note = _vector(asked.text, asking) if walk.settings.meaning else (None, "")
    if note:
        walk.notes.append(note)
    if may_give_again and vector is not None:
        yield clock.next("cache", walk)
        walk.cache_place, again = cache.look(walk, asked, vector, _question_key(walk.scope))
        if again is not None:
            yield from _give_again(walk, again)
            return
    yield clock.next("search", walk)
    query = Query(
        asked.text,
        vector=vector,
        model=asking.model,
        k=walk.settings.k,
        collection_ids=walk.settings.collection_ids,
        language=asked.language,
        note=note,
        words=walk.settings.words,
        meaning_weight=walk.settings.meaning_weight,
        ranker=walk.settings.ranker,
        reranker=configured() if walk.settings.rerank else None,
        as_set=walk.settings.as_set,
    )
    walk.result = search(walk.scope, query)
    walk.notes += walk.result.notes


def _give_again(walk: Walk, again: cache.Again) -> Iterator[Token]:
    walk.earlier_at, walk.result, walk.decision = again.given_at, again.result, again.decision
    walk.evidence, walk.draft = again.result.passages, again.draft
    for piece in shown_pieces(again.draft):
        yield Token(piece)
    walk.written = Written(again.draft, sent=len(walk.evidence))
    if again.draft.disagreeing:
        walk.notes.append(extract.DISAGREE)


def _vector(text: str, embedder: Embedder) -> tuple[Vector | None, str]:
    """The question's vector, which lives for this request; or None and the code of the note that says so."""
    try:
        return embedder.embed([text], priority="question")[0], ""
    except EmbedderUnavailable as trouble:
        log.warning("ask.embedder_down", code=trouble.code)
        return None, "retrieval.embedder_down"


def _write(walk: Walk, asked: question.Question, writer: Writer) -> Iterator[Event]:
    """The answerable question's Tokens; one whose passages give nothing that answers is declined after all."""
    if isinstance(walk.decision, gates.Declined):
        return
    for piece in writer.write(walk.scope, asked, walk.evidence):
        if isinstance(piece, str):
            yield Token(piece)
        elif isinstance(piece, Void):
            yield piece
        else:
            walk.written, walk.draft = piece, piece.draft
    walk.notes += walk.written.notes
    if walk.draft.disagreeing:
        walk.notes.append(extract.DISAGREE)
    if not (walk.draft.sentences or walk.written.text or walk.written.stopped):
        confidence = walk.decision.confidence if walk.decision else 0.0
        reason: gates.Reason = "answers.writer_found_nothing" if walk.written.found_nothing else "answers.too_few_terms"
        walk.decision = gates.Declined(reason, confidence, walk.evidence[: gates.NEAREST])


def _question_key(scope: Scope) -> bytes:
    with principal(scope):
        return bytes(Workspace.objects.visible_to(scope).values_list("question_key", flat=True).get())


class _Clock:
    """Ends the running stage and begins the next."""

    def __init__(self) -> None:
        self._name = "validate"
        self._since = time.perf_counter()

    def next(self, name: StageName, walk: Walk) -> Stage:
        now = time.perf_counter()
        walk.stage_ms[self._name] = (now - self._since) * 1000
        self._name, self._since = name, now
        return Stage(name, len(walk.result.passages))


@functools.cache
def question_embedder() -> Embedders:
    return Embedders(embedder_of_questions)
