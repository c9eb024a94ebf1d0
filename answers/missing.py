"""Why not this passage? Finds what the asker marks, and says at which stage the question's walk lost it.

Looks through the asker's own policies alone. What they may not see is answered with the words for what does not exist.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from django.db.models import QuerySet
from django.urls import reverse

from answers.models import Answer, Citation, Trace
from answers.rules.lost import STAGES, Gold, GoldState, lost_at
from answers.trace import Placed, Traced, read
from documents.models import Chunk, Document, Version
from portal.problems import words_for
from portal.scope import Scope, principal
from retrieval.search import Query, search

NOISE = re.compile(r"[\s*_`|#>]+")
SHOWN = 5
REACH = 50
"""Passages, nearest to the marked words, that are looked through when no document is named."""
MAX_WORDS = 2_000


@dataclass(frozen=True, slots=True)
class Mark:
    """What was marked: a passage by its id, or words, in a named document or anywhere."""

    words: str = ""
    document: str = ""
    chunk_id: int | None = None

    @property
    def plain(self) -> str:
        return plain(self.words[:MAX_WORDS])


@dataclass(frozen=True, slots=True)
class Verdict:
    """Where one marked passage was lost. `code` is a key of STAGES, "" when the answer used it."""

    code: str
    says: str
    advice: str
    title: str = ""
    where: str = ""
    url: str = ""
    places: tuple[str, ...] = ()


ADVICE = {
    "": "It is one of the sources under the answer.",
    "hidden": "Nothing that you can open holds this. Check the words, or ask its owner whether it is shared with you.",
    "not_read": "Look at the document's reading report: pages may be pictures, or reading has not ended.",
    "not_searched": "Ask again with its collection chosen.",
    "disabled": "Whoever may edit its collection can enable it on the document's page.",
    "later": "Ask again, or look at what a replay finds today.",
    "cut": "No single passage holds all of these words: they stand on both sides of a cut. Mark fewer of them to follow one side.",
    "not_listed": "It shares too few words and too little meaning with the question. Ask with the words that it uses.",
    "not_lexical": "It is near in meaning, but shares no rare word with the question. Ask with the words that it uses.",
    "not_dense": "It shares words, but a hundred passages are nearer in meaning.",
    "fusion": "Other passages stand higher in the lists taken together.",
    "rerank": "The reranker read it and placed others above it.",
    "budget": "It was found, but others filled the writer's share of text first.",
    "unused": "The writer had it before it and quoted something else.",
    "declined": "It was given, and the gates held that it does not answer.",
}


def plain(text: str) -> str:
    """Without case, white space runs and the marks of Markdown, which words copied from a page do not have."""
    return NOISE.sub(" ", text.casefold()).strip()


def look(scope: Scope, answer: Answer, mark: Mark) -> tuple[Verdict, ...]:
    """A verdict for each passage that holds what was marked, at most SHOWN; one verdict when none does."""
    documents = _documents(scope, mark)
    if mark.document and not documents:
        return (_verdict("hidden"),)
    with principal(scope):
        found = _holding(scope, mark, documents)
        context = _Context.of(scope, answer)
        if found:
            return tuple(_of_chunk(context, chunk) for chunk in found[:SHOWN])
        return (_of_none(scope, context, mark, documents),)


@dataclass(frozen=True, slots=True)
class _Context:
    """The answer with its trace."""

    answer: Answer
    traced: Traced
    searched: frozenset[int]
    quoted: tuple[Placed, ...]

    @classmethod
    def of(cls, scope: Scope, answer: Answer) -> _Context:
        """Needs an open principal; two queries."""
        stages = Trace.objects.visible_to(scope).filter(answer=answer).values_list("stages", flat=True).first()
        cited = Citation.objects.visible_to(scope).filter(answer=answer, role=Citation.Role.CITED)
        spans = cited.values_list("chunk_id", "version_id", "start", "end")
        quoted = tuple(Placed(*span) for span in spans)
        return cls(answer, read(stages or ()), frozenset(answer.question.collection_ids), quoted)


def _documents(scope: Scope, mark: Mark) -> list[Document]:
    """The named documents, by name, title or ref; without a name those that hold something near the marked words."""
    if mark.chunk_id is not None:
        return []
    if mark.document:
        return documents_named(scope, mark.document)
    near = search(scope, Query(mark.words[:MAX_WORDS], k=REACH)).passages if mark.plain else ()
    with principal(scope):
        return list(_live(scope).filter(pk__in={passage.document_id for passage in near}).order_by("-id"))


def documents_named(scope: Scope, name: str) -> list[Document]:
    """Those in sight with this name, title or ref, newest first, at most 20."""
    with principal(scope):
        rows = _live(scope)
        return list((rows.filter(name=name) | rows.filter(title=name) | rows.filter(ref=name)).order_by("-id")[:20])


def _live(scope: Scope) -> QuerySet[Document]:
    rows: QuerySet[Document] = Document.objects.visible_to(scope).filter(deleted_at__isnull=True)
    return rows


def _holding(scope: Scope, mark: Mark, documents: Sequence[Document]) -> list[Chunk]:
    """The chunks that hold all of the marked words, in the order of their documents."""
    chunks = Chunk.objects.visible_to(scope).filter(document__deleted_at__isnull=True)
    chunks = chunks.select_related("document", "version").defer("version__text", "version__report", "version__boxes")
    if mark.chunk_id is not None:
        return [chunk for chunk in chunks.filter(pk=mark.chunk_id) if mark.plain in plain(chunk.text)]
    if not mark.plain:
        return []
    live = [document.live_version_id for document in documents if document.live_version_id]
    rows = chunks.filter(version__in=live).order_by("document_id", "ordinal")
    return [chunk for chunk in rows.iterator() if mark.plain in plain(chunk.text)][:SHOWN]


def _of_chunk(context: _Context, chunk: Chunk) -> Verdict:
    placed = Placed(chunk.pk, chunk.version_id, chunk.start, chunk.end)
    state: GoldState = "held"
    if chunk.collection_id not in context.searched:
        state = "not_searched"
    elif chunk.version.created_at > context.answer.created_at:
        state = "later"
    elif chunk.document.disabled_at is not None and not context.traced.saw(chunk.pk):
        state = "disabled"
    gold = Gold(chunk.document.name, frozenset((chunk.pk,)), state)
    declined_by = "" if context.answer.outcome == Answer.Outcome.ANSWERED else context.answer.reason or "declined"
    passed = context.traced.passed([placed], quoted=context.quoted, declined_by=declined_by)
    code = lost_at([gold], passed)
    places = _places(context.traced, chunk.pk) if state == "held" else ()
    where = " › ".join(chunk.heading_path) + (f", page {chunk.page}" if chunk.page else "")
    url = f"{reverse('document', args=[chunk.document.ref])}?chunk={chunk.pk}"
    return _verdict(code, document=chunk.document, where=where, url=url, places=places)


def _of_none(scope: Scope, context: _Context, mark: Mark, documents: Sequence[Document]) -> Verdict:
    """No chunk holds it: the words stand across a cut, or were not read, or are nowhere that the asker can see."""
    texts = Version.objects.visible_to(scope).filter(pk__in=[document.live_version_id or 0 for document in documents])
    cut = {version for version, text in texts.values_list("pk", "text") if mark.plain and mark.plain in plain(text)}
    document = next((one for one in documents if one.live_version_id in cut), None)
    if document is not None:
        return _verdict("not_searched" if document.collection_id not in context.searched else "cut", document=document)
    if mark.document:
        return _verdict("not_read", document=documents[0])
    return _verdict("hidden")


def _verdict(
    code: str, *, document: Document | None = None, where: str = "", url: str = "", places: Iterable[str] = ()
) -> Verdict:
    stage, _, gate = code.partition(":")
    says = STAGES[stage] if stage else "used: the answer quotes it"
    advice = f"{words_for(gate).title} {ADVICE[stage]}" if gate and gate != "declined" else ADVICE[stage]
    title = (document.title or document.name) if document else ""
    opened = url or (reverse("document", args=[document.ref]) if document else "")
    return Verdict(stage, says, advice, title, where, opened, tuple(places))


def _places(traced: Traced, chunk_id: int) -> tuple[str, ...]:
    """In words, where each list of the search had it."""
    names = (("words", "by words"), ("meaning", "by meaning"), ("fused", "together"), ("reranked", "by the reranker"))
    said = []
    for name, label in names:
        one = traced.listed(name)
        if one is None:
            continue
        place = one.place_of(chunk_id)
        if place is not None:
            said.append(f"{label}: place {place[0]} of {len(one.candidates)}, score {place[1]:.3f}")
        elif one.note and not one.candidates:
            said.append(f"{label}: this list was left out")
        else:
            said.append(f"{label}: not among {len(one.candidates)}")
    return tuple(said)
