"""A document as one line of a list: plain objects with every label ready, the same few queries however many there are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import Prefetch, QuerySet
from django.http import Http404
from django.urls import reverse

from documents.models import Document, Version
from documents.states import Outlook, State, outlook, poll_s, state_of
from portal.models import Collection
from portal.problems import UserProblem
from portal.scope import Scope

NONE = "–"


@dataclass(frozen=True, slots=True)
class DocumentRow:
    """What _document_row.html shows."""

    ref: str
    title: str
    url: str
    collection_name: str
    version_label: str
    state: State
    pages_label: str
    passages_label: str
    added_at: datetime
    poll_s: int
    may_retry: bool


def listed(scope: Scope) -> QuerySet[Document]:
    """The documents that pages and programs may name, with what their lines need; a deleted one is not among them."""
    rows: QuerySet[Document] = (
        Document.objects.visible_to(scope)
        .filter(deleted_at__isnull=True)
        .select_related("collection", "live_version")
        .defer("live_version__text", "live_version__report", "live_version__boxes")
    )
    return rows


def listed_in_pages(scope: Scope) -> QuerySet[Document]:
    """As listed, for a page out of many: collection and version are read for the page alone, two queries more.

    Joined, they were read for all 10,000 documents before the first fifty were known: 42 ms instead of 6.
    """
    versions: QuerySet[Version] = Version.objects.visible_to(scope).defer("text", "report", "boxes")
    collections: QuerySet[Collection] = Collection.objects.visible_to(scope)
    return (
        listed(scope)
        .select_related(None)
        .prefetch_related(Prefetch("collection", collections), Prefetch("live_version", versions))
    )


def find(scope: Scope, ref: str) -> Document:
    """The document of this ref. Raises Http404 alike for what is hidden, deleted or never was."""
    document = listed(scope).filter(ref=ref).first()
    if document is None:
        raise Http404
    return document


def find_writable(scope: Scope, ref: str) -> Document:
    """As find; raises UserProblem portal.read_only for a document that the scope may read and not change."""
    document = find(scope, ref)
    if document.collection_id not in scope.writable_ids:
        raise UserProblem("portal.read_only")
    return document


def purgeable(scope: Scope, ref: str) -> Document:
    """A document that is there, or was deleted and not purged yet. Raises Http404 for what is hidden, purged or never was,
    UserProblem portal.read_only for what may only be read.
    """
    row: Document | None = Document.objects.visible_to(scope).filter(ref=ref, purged_at__isnull=True).first()
    if row is None:
        raise Http404
    if row.collection_id in scope.writable_ids:
        return row
    if row.deleted_at is not None:
        raise Http404
    raise UserProblem("portal.read_only")


def rows_of(scope: Scope, documents: Sequence[Document]) -> tuple[DocumentRow, ...]:
    """Needs an open principal; at most four queries, all of them about documents that are on their way."""
    seen = outlook(scope, documents)
    return tuple(_row(scope, document, seen) for document in documents)


def _row(scope: Scope, document: Document, seen: Outlook) -> DocumentRow:
    return DocumentRow(
        ref=document.ref,
        title=document.name,
        url=reverse("document", args=[document.ref]),
        collection_name=document.collection.name,
        version_label=version_label(document.live_version),
        state=state_of(document, seen),
        pages_label=NONE if document.page_count is None else f"{document.page_count:,}",
        passages_label=f"{document.chunk_count:,}" if document.chunk_count else NONE,
        added_at=document.created_at,
        poll_s=poll_s(document, seen),
        may_retry=may_retry(scope, document),
    )


def may_retry(scope: Scope, document: Document) -> bool:
    return document.state == Document.State.ATTENTION and document.collection_id in scope.writable_ids


def version_label(version: Any) -> str:
    """Said from the second version on."""
    return f"version {version.number}" if version and version.number > 1 else ""


def counted(number: int, noun: str) -> str:
    return f"{number:,} {noun}" + ("" if number == 1 else "s")


def size_label(size_bytes: int) -> str:
    """In the unit that people say: "812 bytes", "14 KB", "2.1 MB"."""
    if size_bytes < 1024:
        return counted(size_bytes, "byte")
    if size_bytes < 1024 * 1024:
        return f"{size_bytes / 1024:.0f} KB"
    return f"{size_bytes / 1024 / 1024:.1f} MB"
