"""The corpus in the admin: how far each document is, what it was cut into, and the queue. Chunks are never edited."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from django.contrib import admin, messages
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.text import Truncator

from documents import lifecycle
from documents.models import Chunk, Document, IngestJob, Version
from documents.rows import counted
from portal.admin_site import ScopedAdmin, scope_of
from portal.pages import collections_of
from portal.problems import UserProblem, words_for
from portal.scope import Scope

IN_COLLECTION = (("collection", admin.RelatedOnlyFieldListFilter),)


@admin.register(Document)
class DocumentAdmin(ScopedAdmin):
    """Deleting goes through documents.lifecycle: the document is hidden at once, the worker then erases what it was cut into."""

    list_display = (
        "name",
        "collection",
        "state",
        "is_on",
        "reason",
        "pages_read",
        "chunk_count",
        "vector_count",
        "updated_at",
    )
    list_filter = ("state", "kind", *IN_COLLECTION)
    search_fields = ("name", "title", "ref")
    related = ("collection",)
    fields = (
        "name", "title", "ref", "page", "collection", "kind", "source_url", "state", "reason", "pages_read", "chunk_count",
        "vector_count", "skipped_count", "table_count", "hidden_characters", "suspect_count", "disabled_at",
        "created_at", "updated_at",
    )  # fmt: skip
    readonly_fields = tuple(name for name in fields if name != "source_url")
    actions = ("read_again", "cancel_reading", "switch_off", "switch_on", "move", "purge")

    def get_queryset(self, request: HttpRequest) -> QuerySet[Document]:
        return super().get_queryset(request).filter(deleted_at__isnull=True)

    @admin.display(description="Reason")
    def reason(self, document: Document) -> str:
        return words_for(document.problem).title if document.problem else "–"

    @admin.display(description="Answers", boolean=True)
    def is_on(self, document: Document) -> bool:
        return document.disabled_at is None

    @admin.display(description="Pages read")
    def pages_read(self, document: Document) -> str:
        if document.page_count is None:
            return "–"
        return f"{document.page_count - document.unread_pages} of {document.page_count}"

    @admin.display(description="Page")
    def page(self, document: Document) -> SafeString:
        return format_html('<a href="{}">Open in the Library</a>', reverse("document", args=[document.ref]))

    def has_change_permission(self, request: HttpRequest, obj: Document | None = None) -> bool:
        return _may_write(scope_of(request), obj)

    def has_delete_permission(self, request: HttpRequest, obj: Document | None = None) -> bool:
        return _may_write(scope_of(request), obj)

    def save_model(self, request: HttpRequest, obj: Document, form: Any, change: bool) -> None:
        obj.save(update_fields=["source_url", "updated_at"])

    def delete_model(self, request: HttpRequest, obj: Document) -> None:
        lifecycle.delete(scope_of(request), obj)

    def delete_queryset(self, request: HttpRequest, queryset: QuerySet[Document]) -> None:
        for document in queryset:
            lifecycle.delete(scope_of(request), document)

    def get_deleted_objects(
        self, objs: Sequence[Document] | QuerySet[Document], request: HttpRequest
    ) -> tuple[list[str], dict[str, int], set[str], list[str]]:
        """The documents alone: what hangs on them is erased by the worker, and may be a hundred thousand rows."""
        documents = list(objs)
        locked = {"document" for document in documents if not _may_write(scope_of(request), document)}
        return [document.name for document in documents], {"documents": len(documents)}, locked, []

    @admin.action(description="Read the selected documents again", permissions=["change"])
    def read_again(self, request: HttpRequest, rows: QuerySet[Document]) -> None:
        self._for_each(request, rows, lifecycle.read_again, "queued to be read again")

    @admin.action(description="Stop reading the selected documents", permissions=["change"])
    def cancel_reading(self, request: HttpRequest, rows: QuerySet[Document]) -> None:
        busy = rows.filter(state__in=(Document.State.QUEUED, Document.State.READING))
        self._for_each(request, busy, lifecycle.cancel, "stopped")

    @admin.action(description="Switch off: answer no question from the selected documents", permissions=["change"])
    def switch_off(self, request: HttpRequest, rows: QuerySet[Document]) -> None:
        self._for_each(request, rows.filter(disabled_at__isnull=True), lifecycle.disable, "switched off")

    @admin.action(description="Switch on the selected documents", permissions=["change"])
    def switch_on(self, request: HttpRequest, rows: QuerySet[Document]) -> None:
        self._for_each(request, rows.filter(disabled_at__isnull=False), lifecycle.enable, "switched on")

    @admin.action(description="Move the selected documents to another collection", permissions=["change"])
    def move(self, request: HttpRequest, rows: QuerySet[Document]) -> HttpResponse | None:
        scope = scope_of(request)
        places = collections_of(scope, writable=True)
        target = next((place for place in places if place.ref == request.POST.get("collection", "")), None)
        if target is None:
            context = {**self.admin_site.each_context(request), "documents": rows, "collections": places}
            return TemplateResponse(
                request, "admin/documents/move.html", {**context, "title": "Move documents", "opts": self.opts}
            )
        moved = rows.exclude(collection_id=target.pk)
        self._for_each(request, moved, lambda held, document: lifecycle.move(held, document, target), "moved")
        return None

    @admin.action(
        description="Purge the selected documents, their names and what answers hold of them", permissions=["delete"]
    )
    def purge(self, request: HttpRequest, rows: QuerySet[Document]) -> HttpResponse | None:
        if request.POST.get("post") == "yes":
            self._for_each(request, rows, lifecycle.purge, "purged")
            return None
        context = {
            **self.admin_site.each_context(request),
            "documents": rows,
            "title": "Purge documents",
            "opts": self.opts,
        }
        return TemplateResponse(request, "admin/documents/purge.html", context)

    def _for_each(
        self, request: HttpRequest, rows: Iterable[Document], verb: Callable[[Scope, Document], object], done: str
    ) -> None:
        scope = scope_of(request)
        documents = list(rows)
        mine = [document for document in documents if _may_write(scope, document)]
        count = 0
        for document in mine:
            try:
                verb(scope, document)
            except UserProblem as problem:
                messages.error(request, f"Left alone: {document.name}. {words_for(problem.code).title}")
                continue
            self.log_change(request, document, done)
            count += 1
        messages.success(request, f"{counted(count, 'document')} {done}.")
        if kept := len(documents) - len(mine):
            messages.warning(request, f"{counted(kept, 'document')} left alone: you may read them and not change them.")


def _may_write(scope: Scope, document: Document | None) -> bool:
    return bool(scope.writable_ids) if document is None else document.collection_id in scope.writable_ids


class PartAdmin(ScopedAdmin):
    """What a document was made into. Parts of a deleted document are on their way out and not shown."""

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        return super().get_queryset(request).filter(document__deleted_at__isnull=True)


@admin.register(Version)
class VersionAdmin(PartAdmin):
    list_display = ("document", "number", "file_name", "size_bytes", "language", "valid_from", "valid_to")
    list_filter = IN_COLLECTION
    search_fields = ("file_name", "document__ref")
    related = ("document",)
    heavy = ("text", "report")
    fields = ("document", "number", "file_name", "size_bytes", "language", "valid_from", "valid_to", "reading_report")
    readonly_fields = fields

    @admin.display(description="Reading report")
    def reading_report(self, version: Version) -> SafeString:
        said = {name: value for name, value in version.report.items() if name != "blocks"}
        return format_html("<pre>{}</pre>", json.dumps(said, indent=2, ensure_ascii=False))


@admin.register(Chunk)
class ChunkAdmin(PartAdmin):
    list_display = ("id", "document", "ordinal", "page", "kind", "term_count", "beginning")
    list_filter = ("kind", *IN_COLLECTION)
    search_fields = ("document__ref",)
    related = ("document",)
    heavy = ("fingerprint",)
    fields = (
        "document",
        "version",
        "ordinal",
        "kind",
        "heading_path",
        "page",
        "start",
        "end",
        "language",
        "text",
        "prefix",
    )
    readonly_fields = fields

    @admin.display(description="Beginning")
    def beginning(self, chunk: Chunk) -> str:
        return Truncator(chunk.text).chars(80)


@admin.register(IngestJob)
class IngestJobAdmin(ScopedAdmin):
    """Documents by their refs: a job of a deleted one says no name."""

    list_display = (
        "ref",
        "kind",
        "state",
        "document_ref",
        "attempt",
        "crashes",
        "retries",
        "problem",
        "created_at",
        "finished_at",
    )
    list_filter = ("state", "kind")
    search_fields = ("ref", "document__ref")
    related = ("document",)
    fields = (*list_display, "lease_until", "claimed_by", "next_try_at")
    readonly_fields = fields

    @admin.display(description="Document")
    def document_ref(self, job: IngestJob) -> str:
        return job.document.ref
