"""What is done with a whole document on its page: switch it off and on, move, delete with a receipt, purge."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from django.contrib import messages
from django.http import Http404, HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from documents import lifecycle
from documents.describe import describe
from documents.models import Document
from documents.receipt import Receipt, left_in_storage, receipt_of
from documents.rows import counted, find_writable, purgeable
from portal.models import Collection
from portal.pages import Choice, MemberRequest, collections_of, member_page
from portal.problems import UserProblem, words_for
from portal.scope import Scope, principal


@dataclass(frozen=True, slots=True)
class Confirmation:
    """What confirm.html asks."""

    title: str
    what_happens: str
    what_stays: str
    submit_label: str
    cancel_url: str
    nav: str = "library"


@dataclass(frozen=True, slots=True)
class Move:
    """The form that document_move.html shows."""

    document_title: str
    document_url: str
    collection_name: str
    collections: tuple[Choice, ...]
    error: str = ""


@dataclass(frozen=True, slots=True)
class ReceiptPage:
    """What document_receipt.html shows; `facts` are name and value."""

    ref: str
    headline: str
    is_clean: bool
    deleted_at: datetime
    facts: tuple[tuple[str, str], ...]
    storage_label: str
    is_purged: bool
    may_purge: bool


@require_POST
@member_page
def document_disable(request: MemberRequest, ref: str) -> HttpResponseBase:
    return _switched(request, ref, off=True)


@require_POST
@member_page
def document_enable(request: MemberRequest, ref: str) -> HttpResponseBase:
    return _switched(request, ref, off=False)


def _switched(request: MemberRequest, ref: str, *, off: bool) -> HttpResponse:
    with principal(request.scope):
        found = find_writable(request.scope, ref)
        (lifecycle.disable if off else lifecycle.enable)(request.scope, found)
    said = "answers no question until it is switched on again" if off else "answers questions again"
    messages.success(request, f"{found.name} {said}.")
    return redirect("document", ref)


@require_POST
@member_page
def document_tags(request: MemberRequest, ref: str) -> HttpResponseBase:
    """All its tags from now on, as one text with commas."""
    with principal(request.scope):
        found = find_writable(request.scope, ref)
        lifecycle.lock(request.scope, found)
        try:
            describe(request.scope, found, tags=request.POST.get("tags", "").split(","))
        except UserProblem as problem:
            words = words_for(problem.code)
            messages.warning(request, f"{words.title} {problem.detail} {words.advice}")
        else:
            messages.success(request, "The tags were saved.")
    return redirect("document", ref)


@require_http_methods(["GET", "HEAD", "POST"])
@member_page
def document_move(request: MemberRequest, ref: str) -> HttpResponseBase:
    scope, error = request.scope, ""
    with principal(scope):
        found = find_writable(scope, ref)
        if request.method == "POST":
            target = _named(scope, request.POST.get("collection", ""))
            try:
                lifecycle.move(scope, found, target)
            except UserProblem as problem:
                if problem.code != "documents.name_taken":
                    raise
                error = f"{words_for(problem.code).title} {words_for(problem.code).advice}"
            else:
                messages.success(request, f"{found.name} was moved to {target.name}.")
                return redirect("document", ref)
        places = [place for place in collections_of(scope, writable=True) if place.pk != found.collection_id]
    choices = tuple(Choice(place.ref, place.name, is_chosen=not at) for at, place in enumerate(places))
    form = Move(found.name, reverse("document", args=[ref]), found.collection.name, choices, error)
    return render(request, "document_move.html", {"move": form}, status=409 if error else 200)


def _named(scope: Scope, ref: str) -> Collection:
    found: Collection | None = Collection.objects.visible_to(scope).filter(ref=ref).first()
    if found is None:
        raise Http404
    return found


@require_http_methods(["GET", "HEAD", "POST"])
@member_page
def document_delete(request: MemberRequest, ref: str) -> HttpResponseBase:
    with principal(request.scope):
        found = find_writable(request.scope, ref)
        if request.method == "POST":
            lifecycle.delete(request.scope, found)
    if request.method == "POST":
        messages.success(request, f"{found.name} was deleted.")
        return redirect("document_receipt", ref)
    confirmation = Confirmation(
        title=f"Delete {found.name}?",
        what_happens="Its text, passages and vectors are removed at once. Answers that quoted it will say “source removed”. "
        "A search then looks for what was deleted, and you get the receipt.",
        what_stays="The audit log keeps a line that it was deleted, without its name.",
        submit_label="Delete the document",
        cancel_url=reverse("document", args=[ref]),
    )
    return render(request, "confirm.html", {"confirmation": confirmation})


@require_http_methods(["GET", "HEAD", "POST"])
@member_page
def document_purge(request: MemberRequest, ref: str) -> HttpResponseBase:
    """Of a document that is there, or of one that was deleted and not purged yet."""
    with principal(request.scope):
        found = purgeable(request.scope, ref)
        counts = lifecycle.purge(request.scope, found) if request.method == "POST" else {}
    if request.method == "POST":
        blanked = ", ".join(counted(counts[name], name[:-1]) for name in ("citations", "answers", "traces"))
        messages.success(request, f"The document was purged. Blanked: {blanked}.")
        return redirect("document_receipt", ref)
    confirmation = Confirmation(
        title=f"Purge {found.name}?",
        what_happens="It is deleted with all its versions and its name. Every quote, every answer that a model wrote from it and "
        "its places in the traces of answers are blanked for everyone who asked.",
        what_stays="The audit log keeps a line that it was purged, without its name. This cannot be undone.",
        submit_label="Purge the document",
        cancel_url=reverse("document_receipt" if found.deleted_at else "document", args=[ref]),
    )
    return render(request, "confirm.html", {"confirmation": confirmation})


@require_safe
@member_page
def document_receipt(request: MemberRequest, ref: str) -> HttpResponseBase:
    """For who deleted the document, and the owners of the workspace; for others it never was."""
    scope = request.scope
    with principal(scope):
        gone = Document.objects.visible_to(scope).filter(ref=ref, deleted_at__isnull=False).first()
        held = receipt_of(scope, ref) if gone else None
        if gone is None or held is None:
            raise Http404
        page = _receipt_page(scope, gone, held, left_in_storage(scope, gone))
    return render(request, "document_receipt.html", {"receipt": page})


def _receipt_page(scope: Scope, gone: Document, held: Receipt, left: int) -> ReceiptPage:
    facts = [
        ("Deleted by", held.by),
        ("Passages looked for by their ids", f"{held.passages:,}, found {held.by_id:,}"),
        ("Sentences searched word for word", f"{held.sentences:,}, found {held.by_sentence:,}"),
        ("Vectors searched for neighbours", f"{held.vectors:,}, found {held.by_neighbours:,}"),
    ]
    waiting = f"{counted(left, 'passage')} wait to be removed from storage; none of them can be retrieved."
    return ReceiptPage(
        ref=gone.ref,
        headline=f"{held.retrievable:,} of {counted(held.passages, 'passage')} retrievable",
        is_clean=held.is_clean,
        deleted_at=held.at,
        facts=tuple(facts),
        storage_label=waiting if left else "Nothing of it is left in storage.",
        is_purged=gone.purged_at is not None,
        may_purge=gone.purged_at is None and gone.collection_id in scope.writable_ids,
    )
