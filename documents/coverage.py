"""How much of what people uploaded was read: per collection, from figures that reading leaves on each document."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection as Group
from dataclasses import dataclass
from typing import cast

from django.db.models import Count, Q, QuerySet, Sum

from documents.models import Document
from portal.scope import Scope


@dataclass(frozen=True, slots=True)
class Coverage:
    """Sums over the documents of a collection, as their live versions were read. `languages` by how many speak them."""

    documents: int = 0
    unread_documents: int = 0
    """Without a version that could be read, be it on its way or in need of attention."""
    disabled: int = 0
    pages: int = 0
    unread_pages: int = 0
    skipped: int = 0
    tables: int = 0
    hidden_characters: int = 0
    suspects: int = 0
    languages: tuple[tuple[str, int], ...] = ()

    @property
    def read_pages(self) -> int:
        return self.pages - self.unread_pages


def coverage_of(scope: Scope, collection_ids: Group[int]) -> dict[int, Coverage]:
    """By collection id; one that holds nothing has Coverage(). Needs an open principal; two queries."""
    rows = _rows(scope, collection_ids)
    sums = rows.values("collection_id").annotate(
        documents=Count("pk"),
        unread_documents=Count("pk", filter=Q(live_version__isnull=True)),
        disabled=Count("pk", filter=Q(disabled_at__isnull=False)),
        pages=Sum("page_count", default=0),
        unread_pages=Sum("unread_pages"),
        skipped=Sum("skipped_count"),
        tables=Sum("table_count"),
        hidden=Sum("hidden_characters"),
        suspects=Sum("suspect_count"),
    )
    spoken = _languages(rows)
    found = dict.fromkeys(collection_ids, Coverage())
    for row in sums:
        summed = cast("dict[str, int]", row)
        key, hidden = summed.pop("collection_id"), summed.pop("hidden")
        found[key] = Coverage(**summed, hidden_characters=hidden, languages=spoken[key])
    return found


def _rows(scope: Scope, collection_ids: Group[int]) -> QuerySet[Document]:
    rows: QuerySet[Document] = Document.objects.visible_to(scope).filter(
        collection_id__in=list(collection_ids), deleted_at__isnull=True
    )
    return rows.order_by()


def _languages(rows: QuerySet[Document]) -> dict[int, tuple[tuple[str, int], ...]]:
    counted = rows.exclude(live_version__language="").filter(live_version__isnull=False)
    found: dict[int, list[tuple[str, int]]] = defaultdict(list)
    for key, language, count in counted.values_list("collection_id", "live_version__language").annotate(Count("pk")):
        found[key].append((language, count))
    return defaultdict(
        tuple, {key: tuple(sorted(said, key=lambda one: (-one[1], one[0]))) for key, said in found.items()}
    )


@dataclass(frozen=True, slots=True)
class Unread:
    """Pages without text, and documents of which nothing was read: what no answer can know."""

    pages: int = 0
    documents: int = 0


def unread_in(scope: Scope, collection_ids: Group[int]) -> Unread:
    """Of what a question could be answered from. Needs an open principal; one query."""
    rows = _rows(scope, collection_ids).filter(disabled_at__isnull=True)
    sums = rows.aggregate(
        pages=Sum("unread_pages", default=0),
        documents=Count("pk", filter=Q(live_version__isnull=True, state=Document.State.ATTENTION)),
    )
    return Unread(**sums)
