"""Taking out one old version of a document on its page, and the receipt of it."""

from __future__ import annotations

from django.contrib import messages
from django.http import Http404, HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_safe

from documents.lifecycle_views import Confirmation, ReceiptPage
from documents.models import Document, Version
from documents.old_version import purge_version
from documents.receipt import Receipt, receipt_of
from documents.rows import counted, find, find_writable
from portal.pages import MemberRequest, member_page
from portal.scope import Scope, principal


def version_of(scope: Scope, document: Document, ref: str) -> Version:
    """Raises Http404 for a ref that is none of the document's."""
    rows = Version.objects.visible_to(scope).filter(document=document, ref=ref).defer("text", "report", "boxes")
    found: Version | None = rows.first()
    if found is None:
        raise Http404
    return found


@require_http_methods(["GET", "HEAD", "POST"])
@member_page
def version_purge(request: MemberRequest, ref: str, version_ref: str) -> HttpResponseBase:
    with principal(request.scope):
        document = find_writable(request.scope, ref)
        version = version_of(request.scope, document, version_ref)
        counts = purge_version(request.scope, document, version) if request.method == "POST" else {}
    if request.method == "POST":
        blanked = ", ".join(counted(counts[name], name[:-1]) for name in ("citations", "answers", "traces"))
        messages.success(request, f"Version {version.number} was purged. Blanked: {blanked}.")
        return redirect("version_receipt", ref, version_ref)
    confirmation = Confirmation(
        title=f"Purge version {version.number} of {document.name}?",
        what_happens="Its text, its passages and its file are removed. Every quote from it, every answer that a model wrote "
        "from it and its places in the traces of answers are blanked for everyone who asked.",
        what_stays="The other versions stay as they are. Its number and its dates stay in the list. This cannot be undone.",
        submit_label="Purge the version",
        cancel_url=reverse("document", args=[ref]),
    )
    return render(request, "confirm.html", {"confirmation": confirmation})


@require_safe
@member_page
def version_receipt(request: MemberRequest, ref: str, version_ref: str) -> HttpResponseBase:
    """For who purged the version, and the owners of the workspace; for others it never was."""
    with principal(request.scope):
        document = find(request.scope, ref)
        version = version_of(request.scope, document, version_ref)
        held = receipt_of(request.scope, version.ref) if version.purged_at else None
        if held is None:
            raise Http404
    return render(request, "document_receipt.html", {"receipt": _page(document, version, held)})


def _page(document: Document, version: Version, held: Receipt) -> ReceiptPage:
    facts = (
        ("Document", document.name),
        ("Version", f"{version.number}"),
        ("Purged by", held.by),
        ("Passages looked for by their ids", f"{held.passages:,}, found {held.by_id:,}"),
        ("Sentences searched word for word", f"{held.sentences:,}, found {held.by_sentence:,}"),
    )
    return ReceiptPage(
        ref=version.ref,
        headline=f"{held.retrievable:,} of {counted(held.passages, 'passage')} retrievable",
        is_clean=held.is_clean,
        deleted_at=held.at,
        facts=facts,
        storage_label="Nothing of it is left in storage.",
        is_purged=False,
        may_purge=False,
    )
