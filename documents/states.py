"""How far a document is, in words: its place in line, what it waits for, why it needs attention."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta

from django.db.models import Q
from django.utils import timezone

from documents import queue
from documents.models import Document, EmbeddingModel, IngestJob
from portal.problems import words_for
from portal.scope import Scope, open_alias

BUSY = (Document.State.QUEUED, Document.State.READING, Document.State.WORDS)
IN_LINE_SHOWN = 1000
LATE = timedelta(seconds=60)
LOST = timedelta(seconds=15)
"""A lease is 45 s: this long after its end, a lost job has waited a minute and nobody took it over."""
NTH = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth")


@dataclass(frozen=True, slots=True)
class State:
    """What _state.html shows. `total` above 0 draws a bar of the vectors."""

    kind: str
    label: str
    detail: str = ""
    done: int = 0
    total: int = 0
    progress_label: str = ""


@dataclass(frozen=True, slots=True)
class Outlook:
    """What the queue says of some documents. `places` are counted among the jobs that the asker sees, from 1."""

    places: Mapping[int, int] = field(default_factory=dict)
    stuck: frozenset[int] = frozenset()
    """Documents whose job has waited over a minute while no worker works."""
    has_model: bool = True


def outlook(scope: Scope, documents: Sequence[Document]) -> Outlook:
    """Needs an open principal. No query for documents at rest, at most four for the others, however many there are."""
    busy = [document for document in documents if document.state in BUSY]
    if not busy:
        return Outlook()
    places: dict[int, int] = {}
    if any(document.state == Document.State.QUEUED for document in busy):
        places = _places(scope)
    has_model = True
    if any(document.state == Document.State.WORDS for document in busy):
        has_model = EmbeddingModel.objects.using(open_alias(scope)).filter(state=EmbeddingModel.State.LIVE).exists()
    return Outlook(places, _stuck(scope, busy), has_model)


def _places(scope: Scope) -> dict[int, int]:
    line = (
        IngestJob.objects.visible_to(scope)
        .filter(state=IngestJob.State.QUEUED, kind=IngestJob.Kind.INGEST)
        .order_by("next_try_at", "id")
        .values_list("document_id", flat=True)[:IN_LINE_SHOWN]
    )
    return {document_id: place for place, document_id in enumerate(line, 1)}


def _stuck(scope: Scope, busy: Sequence[Document]) -> frozenset[int]:
    now = timezone.now()
    waiting = Q(state=IngestJob.State.QUEUED, next_try_at__lt=now - LATE)
    lost = Q(state=IngestJob.State.RUNNING, lease_until__lt=now - LOST)
    late = IngestJob.objects.visible_to(scope).filter(
        waiting | lost, document_id__in=[document.pk for document in busy]
    )
    found = frozenset(late.values_list("document_id", flat=True))
    if found and queue.state(open_alias(scope)).running:
        return frozenset()
    return found


OFF = State("off", "Switched off", "No question is answered from it until it is switched on again.")


def state_of(document: Document, seen: Outlook) -> State:
    """How far it is; a document that is switched off and at rest says that alone."""
    kind = Document.State(document.state)
    if document.disabled_at is not None and kind in (Document.State.READY, Document.State.WORDS):
        return OFF
    if kind == Document.State.QUEUED:
        return State(kind, _queued_label(seen.places.get(document.pk)), _waiting_detail(document, seen))
    if kind == Document.State.READING:
        return State(kind, "Reading", _waiting_detail(document, seen))
    if kind == Document.State.WORDS:
        return _words(document, seen)
    if kind == Document.State.READY:
        return State(kind, "Ready")
    return State(kind, "Needs attention", _reason(document) + _answered_from_before(document))


def poll_s(document: Document, seen: Outlook) -> int:
    """Seconds until a page asks again; 0 when the state is final."""
    if document.state == Document.State.QUEUED:
        return min(30, 2 + seen.places.get(document.pk, IN_LINE_SHOWN))
    if document.state == Document.State.WORDS:
        return 0 if not seen.has_model else 10 if document.problem else 2
    return 2 if document.state == Document.State.READING else 0


def explain(code: str, detail: str = "") -> str:
    """What happened, the particular, and what to do, as one line."""
    words = words_for(code)
    return " ".join(part for part in (words.title, detail, words.advice) if part)


def _queued_label(place: int | None) -> str:
    if place is None:
        return "Queued"
    return f"Queued, {NTH[place - 1] if place <= len(NTH) else _ordinal(place)} in line"


def _ordinal(number: int) -> str:
    suffix = "th" if 10 <= number % 100 <= 20 else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number}{suffix}"


def _waiting_detail(document: Document, seen: Outlook) -> str:
    stuck = explain("documents.no_worker") if document.pk in seen.stuck else ""
    if document.problem == "documents.scanner_down" and document.state == Document.State.QUEUED:
        stuck = explain(document.problem)
    return " ".join(part for part in (stuck, _answered_from_before(document).strip()) if part)


def _words(document: Document, seen: Outlook) -> State:
    label, kind = "Searchable by words", document.state
    if not seen.has_model:
        return State(kind, label, explain("documents.no_model"))
    detail = explain(document.problem, document.problem_detail) if document.problem else ""
    if document.pk in seen.stuck and not detail:
        detail = explain("documents.no_worker")
    done, total = document.vector_count, document.chunk_count
    return State(kind, label, detail, done, total, f"{done:,} of {total:,} vectors")


def _reason(document: Document) -> str:
    return explain(document.problem or "documents.reader_failed", document.problem_detail)


def _answered_from_before(document: Document) -> str:
    return " Until then, questions are answered from the version before it." if document.live_version_id else ""
