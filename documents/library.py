"""What the Library shows: the upload form, the filters, one page of documents."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from urllib.parse import urlencode

from django.conf import settings
from django.core.paginator import Paginator
from django.db.models import Count, Q, QuerySet
from django.urls import reverse

from documents.models import Document
from documents.parsers import kinds
from documents.rows import DocumentRow, counted, listed, rows_of
from documents.states import BUSY, explain, outlook, state_of
from documents.upload import Accepted, Duplicate, LeftOut, Rejected, Result
from portal.models import Collection
from portal.pages import Choice, collections_of
from portal.paging import Page, page_of
from portal.scope import Scope

PER_PAGE = 50
STATES: Mapping[str, tuple[str, tuple[str, ...]]] = {
    "": ("All", tuple(Document.State.values)),
    "busy": ("Being read", tuple(BUSY)),
    "ready": ("Ready", (Document.State.READY,)),
    "attention": ("Needs attention", (Document.State.ATTENTION,)),
    "off": ("Switched off", ("off",)),
}
"""Filter → its label and the states it counts. "off" is no state of reading: a document of any state may be switched off."""


@dataclass(frozen=True, slots=True)
class Asked:
    """The filters of a request; what makes no sense is as if it had not been sent."""

    search: str = ""
    state: str = ""
    collection_ref: str = ""
    page: str = "1"

    @classmethod
    def of(cls, query: Mapping[str, str]) -> Asked:
        state = query.get("state", "")
        return cls(
            search=query.get("q", "").replace("\x00", "").strip()[:100],
            state=state if state in STATES else "",
            collection_ref=query.get("collection", "").replace("\x00", "")[:24],
            page=query.get("page", "1"),
        )

    @property
    def filters(self) -> dict[str, str]:
        pairs = {"q": self.search, "state": self.state, "collection": self.collection_ref}
        return {name: value for name, value in pairs.items() if value}


@dataclass(frozen=True, slots=True)
class StateChoice:
    value: str
    label: str
    count_label: str
    is_chosen: bool


@dataclass(frozen=True, slots=True)
class Filters:
    search: str
    collections: tuple[Choice, ...]
    states: tuple[StateChoice, ...]


@dataclass(frozen=True, slots=True)
class Library:
    summary_label: str
    rows: tuple[DocumentRow, ...]
    filters: Filters
    is_filtered: bool
    is_busy: bool
    refresh_url: str


@dataclass(frozen=True, slots=True)
class UploadResult:
    """What became of one file."""

    filename: str
    kind: str
    label: str
    detail: str
    url: str = ""
    url_label: str = ""


@dataclass(frozen=True, slots=True)
class Upload:
    """The form, and what the last one brought."""

    may_add: bool
    collections: tuple[Choice, ...]
    kinds_label: str
    accept: str
    max_bytes: int
    max_label: str
    error: str = ""
    results: tuple[UploadResult, ...] = ()
    results_label: str = ""


def show_library(scope: Scope, asked: Asked) -> tuple[Library, Page | None]:
    """One page of the list. Needs an open principal; four queries, and at most four more while documents are on their way."""
    found = Paginator(_matching(scope, asked).order_by("-id"), PER_PAGE)
    current = found.get_page(asked.page)
    counts = _counts(scope)
    query = asked.filters
    here = {**query, "page": str(current.number)} if current.number > 1 else query
    url = reverse("library")
    shown = Library(
        summary_label=_summary(counts),
        rows=rows_of(scope, list(current.object_list)),
        filters=_filters(scope, asked, counts),
        is_filtered=bool(query),
        is_busy=any(counts[state] for state in BUSY),
        refresh_url=f"{url}?{urlencode(here)}" if here else url,
    )
    return shown, page_of(current, url=url, query=query, of="documents")


def _matching(scope: Scope, asked: Asked) -> QuerySet[Document]:
    rows = listed(scope)
    if asked.state == "off":
        rows = rows.filter(disabled_at__isnull=False)
    elif asked.state:
        rows = rows.filter(state__in=STATES[asked.state][1])
    if asked.collection_ref:
        rows = rows.filter(collection__ref=asked.collection_ref)
    return rows.filter(name__icontains=asked.search) if asked.search else rows


def _counts(scope: Scope) -> Counter[str]:
    """Documents per state, and "off", of everything that the scope sees and whatever is filtered for."""
    rows = Document.objects.visible_to(scope).filter(deleted_at__isnull=True).order_by().values("state")
    found = list(rows.annotate(all=Count("pk"), off=Count("pk", filter=Q(disabled_at__isnull=False))))
    return Counter({**{row["state"]: row["all"] for row in found}, "off": sum(row["off"] for row in found)})


def _summary(counts: Counter[str]) -> str:
    busy = sum(counts[state] for state in BUSY)
    attention, total = counts[Document.State.ATTENTION], counts.total() - counts["off"]
    if not total:
        return "No documents"
    parts = [counted(total, "document")]
    if busy:
        parts.append(f"{busy:,} being read")
    if attention:
        parts.append(f"{attention:,} {'needs' if attention == 1 else 'need'} attention")
    return ", ".join(parts)


def _filters(scope: Scope, asked: Asked, counts: Counter[str]) -> Filters:
    states = tuple(
        StateChoice(value, label, f"{sum(counts[state] for state in states):,}", value == asked.state)
        for value, (label, states) in STATES.items()
    )
    return Filters(asked.search, choices(collections_of(scope), asked.collection_ref), states)


def choices(collections: Sequence[Collection], chosen_ref: str) -> tuple[Choice, ...]:
    return tuple(Choice(row.ref, row.name, is_chosen=row.ref == chosen_ref) for row in collections)


def upload_form(
    scope: Scope, *, collection_ref: str = "", error: str = "", results: tuple[UploadResult, ...] = ()
) -> Upload:
    """Needs an open principal; one query."""
    tally = Counter(result.kind for result in results)
    words = (("accepted", "taken"), ("duplicate", "already here"), ("left-out", "left out"), ("refused", "not taken"))
    return Upload(
        may_add=bool(scope.writable_ids),
        collections=choices(collections_of(scope, writable=True), collection_ref),
        kinds_label=kinds.supported(),
        accept=",".join((*kinds.ACCEPTED_ENDINGS, ".zip")),
        max_bytes=settings.MAX_UPLOAD_BYTES,
        max_label=max_label(),
        error=error,
        results=results,
        results_label=", ".join(f"{tally[kind]:,} {word}" for kind, word in words if tally[kind]),
    )


def max_label() -> str:
    return f"{settings.MAX_UPLOAD_BYTES // 1_048_576} MB"


def results_of(scope: Scope, outcomes: Sequence[Result]) -> tuple[UploadResult, ...]:
    """What became of each file, in the order sent. Needs an open principal; at most four queries."""
    refs = [outcome.document_ref for outcome in outcomes if isinstance(outcome, Accepted | Duplicate)]
    documents = {document.ref: document for document in listed(scope).filter(ref__in=refs)} if refs else {}
    seen = outlook(scope, list(documents.values()))
    labels = {ref: state_of(document, seen).label for ref, document in documents.items()}
    places = {ref: document.collection.name for ref, document in documents.items()}
    return tuple(_result(outcome, labels, places) for outcome in outcomes)


def _result(outcome: Result, labels: Mapping[str, str], places: Mapping[str, str]) -> UploadResult:
    if isinstance(outcome, Rejected):
        return UploadResult(outcome.name, "refused", "Not taken", explain(outcome.code, outcome.detail))
    if isinstance(outcome, LeftOut):
        return UploadResult(
            outcome.name, "left-out", "Left out", f"{counted(outcome.count, 'file')} without text to read."
        )
    ref = outcome.document_ref
    url, url_label = reverse("document", args=[ref]), f"Open {outcome.name}"
    if isinstance(outcome, Duplicate):
        detail = f"The same file is in {places.get(ref, 'this collection')}."
        return UploadResult(outcome.name, "duplicate", "Already here", detail, url, url_label)
    return UploadResult(outcome.name, "accepted", "Taken", _taken(outcome, labels.get(ref, "")), url, url_label)


def _taken(outcome: Accepted, label: str) -> str:
    version = f"Version {outcome.number} of this document. " if outcome.number > 1 else ""
    return f"{version}{label}." if label else version.strip()
