"""Library and Document. Whatever the asker cannot see answers as what never was; what they cannot change says so."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, BinaryIO, cast

from django.contrib import messages
from django.core.files.uploadedfile import UploadedFile
from django.http import Http404, HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.cache import patch_vary_headers
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from documents import lifecycle
from documents.batch import accept_all
from documents.collection import rows_of_collections
from documents.download import original
from documents.library import Asked, UploadResult, max_label, results_of, show_library, upload_form
from documents.models import Document
from documents.parsers import kinds
from documents.reading import REF, Opened, Wanted, address, live_ref, opened, show_document, show_passages
from documents.rows import find, find_writable, rows_of
from documents.states import explain
from documents.text.addresses import web_address
from documents.upload import Accepted, Outcome, Rejected, Result, accept_version, problem_of
from documents.web.views import FromTheWeb, from_the_web
from portal.models import Collection
from portal.pages import MemberRequest, collections_of, member_page, wants_partial
from portal.problems import UserProblem
from portal.scope import Scope, principal


@dataclass(frozen=True, slots=True)
class Replacement:
    """The form for a new version."""

    document_title: str
    document_ref: str
    document_url: str
    kinds_label: str
    accept: str
    max_label: str
    error: str = ""


@require_safe
@member_page
def library(request: MemberRequest) -> HttpResponseBase:
    asked = Asked.of(request.GET.dict())
    with principal(request.scope):
        shown, page = show_library(request.scope, asked)
        form = upload_form(request.scope, collection_ref=asked.collection_ref)
        places = () if wants_partial(request) else rows_of_collections(request.scope)
        web = None if wants_partial(request) else from_the_web(request.scope)
    template = _part_of_library(request) if wants_partial(request) else "library.html"
    context = {
        "library": shown,
        "page": page,
        "upload": form,
        "collections": places,
        "may_make_collections": request.scope.role in ("owner", "editor"),
        "web": web,
        "now": timezone.now(),
        "is_alone": wants_partial(request),
    }
    return _varying(render(request, template, context))


def _part_of_library(request: MemberRequest) -> str:
    return "_library_counts.html" if request.headers.get("HX-Target") == "library-summary" else "_document_list.html"


@require_POST
@member_page
def upload(request: MemberRequest) -> HttpResponseBase:
    """Takes what can be taken and says so file by file; reading goes on after the answer."""
    scope, files = request.scope, request.FILES.getlist("file")
    collection = chosen_collection(scope, request.POST.get("collection", ""))
    if not files:
        return library_again(request, collection, error=explain("documents.no_file"), status=422)
    base_url = request.POST.get("base_url", "").strip()
    if base_url and not web_address(base_url):
        return library_again(request, collection, error=explain("documents.bad_address"), status=422)
    outcomes = accept_all(scope, collection.pk, files=files, paths=request.POST.getlist("path"), base_url=base_url)
    with principal(scope):
        results = results_of(scope, outcomes)
        form = upload_form(scope, collection_ref=collection.ref, results=results)
    status = _status(outcomes)
    if wants_partial(request):
        return _soon(_varying(render(request, "_upload_results.html", {"upload": form}, status=status)), outcomes)
    return _soon(library_again(request, collection, results=results, status=status), outcomes)


def _wait_s(outcome: Result) -> int:
    return outcome.retry_after_s if isinstance(outcome, Rejected) else 0


def _soon(response: HttpResponse, outcomes: Sequence[Result]) -> HttpResponse:
    """With Retry-After, where files found no room."""
    if wait_s := max(map(_wait_s, outcomes), default=0):
        response.headers["Retry-After"] = str(wait_s)
    return response


def _status(outcomes: Sequence[Result]) -> int:
    """202 when a file was taken, 422 when every one was refused, 429 when for want of room alone; what was here already is none."""
    if any(isinstance(outcome, Accepted) for outcome in outcomes):
        return 202
    if outcomes and all(_wait_s(outcome) for outcome in outcomes):
        return 429
    return 422 if all(isinstance(outcome, Rejected) for outcome in outcomes) else 200


def chosen_collection(scope: Scope, ref: str) -> Collection:
    """The collection to add to: the named one, else the first that the scope may add to."""
    with principal(scope):
        rows = collections_of(scope)
    found = next((row for row in rows if row.ref == ref), None)
    if ref and found is None:
        raise Http404
    found = found or next((row for row in rows if row.pk in scope.writable_ids), None)
    if found is None or found.pk not in scope.writable_ids:
        raise UserProblem("portal.read_only")
    return found


def library_again(
    request: MemberRequest,
    collection: Collection,
    *,
    status: int,
    error: str = "",
    results: tuple[UploadResult, ...] = (),
    web: FromTheWeb | None = None,
) -> HttpResponse:
    with principal(request.scope):
        web = web or from_the_web(request.scope)
        shown, page = show_library(request.scope, Asked())
        form = upload_form(request.scope, collection_ref=collection.ref, error=error, results=results)
        places = rows_of_collections(request.scope)
    context = {
        "library": shown,
        "page": page,
        "upload": form,
        "collections": places,
        "may_make_collections": request.scope.role in ("owner", "editor"),
        "web": web,
        "now": timezone.now(),
    }
    return render(request, "library.html", context, status=status)


@require_safe
@member_page
def document(request: MemberRequest, ref: str) -> HttpResponseBase:
    """A named passage leads on to the page of passages that it stands on."""
    if wants_partial(request):
        return _head(request, ref)
    scope, wanted, page = request.scope, Wanted.of(request.GET.dict()), request.GET.get("page", "")
    with principal(scope):
        answer_ref = request.GET.get("for", "")
        seen = _open(scope, ref, request.GET.get("version", ""))
        seen = replace(seen, answer_ref=answer_ref if REF.fullmatch(answer_ref) else "")
        target = wanted.number(scope, seen.version)
        if target and not page:
            return redirect(address(seen, wanted, target))
        passages, links, range_label = show_passages(scope, seen, page=page, target=target, marks=wanted.marks)
        shown = show_document(scope, seen, range_label=range_label)
    context = {
        "document": shown,
        "passages": passages,
        "page": links,
        "answer_ref": seen.answer_ref,
        "now": timezone.now(),
    }
    return _varying(render(request, "document.html", context))


def _open(scope: Scope, ref: str, version_ref: str) -> Opened:
    seen = opened(scope, find(scope, ref), version_ref)
    if seen is None:
        raise Http404
    return seen


def _head(request: MemberRequest, ref: str) -> HttpResponseBase:
    """The state alone; the whole page again once other passages are live than those it shows."""
    with principal(request.scope):
        seen = _open(request.scope, ref, request.GET.get("version", ""))
        shown = show_document(request.scope, seen, range_label="")
    if request.GET.get("was", live_ref(seen.document)) != live_ref(seen.document):
        return HttpResponse(status=204, headers={"HX-Refresh": "true"})
    return _varying(render(request, "_document_head.html", {"document": shown}))


@require_safe
@member_page
def document_row(request: MemberRequest, ref: str) -> HttpResponseBase:
    return _row(request, ref)


@require_POST
@member_page
def document_retry(request: MemberRequest, ref: str) -> HttpResponseBase:
    with principal(request.scope):
        found = find_writable(request.scope, ref)
        if found.state not in (Document.State.QUEUED, Document.State.READING):
            lifecycle.read_again(request.scope, found)
    return _row(request, ref) if wants_partial(request) else redirect("document", ref)


@require_POST
@member_page
def document_cancel(request: MemberRequest, ref: str) -> HttpResponseBase:
    with principal(request.scope):
        found = find_writable(request.scope, ref)
        if found.state in (Document.State.QUEUED, Document.State.READING):
            lifecycle.cancel(request.scope, found)
    return _row(request, ref) if wants_partial(request) else redirect("document", ref)


def _row(request: MemberRequest, ref: str) -> HttpResponse:
    with principal(request.scope):
        row = rows_of(request.scope, [find(request.scope, ref)])[0]
    return render(request, "_document_row.html", {"row": row, "now": timezone.now()})


@require_http_methods(["GET", "HEAD", "POST"])
@member_page
def document_replace(request: MemberRequest, ref: str) -> HttpResponseBase:
    with principal(request.scope):
        found = find_writable(request.scope, ref)
    error = ""
    if request.method == "POST":
        outcome = _new_version(request.scope, found, request.FILES.get("file"))
        if not isinstance(outcome, Rejected):
            _say_replaced(request, outcome)
            return redirect("document", ref)
        error = explain(outcome.code, outcome.detail)
    form = Replacement(
        found.name,
        ref,
        reverse("document", args=[ref]),
        kinds.supported(),
        ",".join(kinds.ACCEPTED_ENDINGS),
        max_label(),
        error,
    )
    return render(request, "document_replace.html", {"replacement": form}, status=422 if error else 200)


def _new_version(scope: Scope, found: Document, file: UploadedFile[Any] | None) -> Outcome:
    if file is None:
        return Rejected(found.name, "documents.no_file")
    if problem := problem_of(file):
        return Rejected(found.name, problem)
    return accept_version(scope, found, name=file.name or "", file=cast("BinaryIO", file), size_bytes=file.size or 0)


def _say_replaced(request: MemberRequest, outcome: Outcome) -> None:
    if isinstance(outcome, Accepted):
        messages.success(request, f"Version {outcome.number} was taken. It becomes the live one when it is read.")
    else:
        messages.info(request, "This very file is the newest version already. Nothing was changed.")


@require_safe
@member_page
def document_original(request: MemberRequest, ref: str) -> HttpResponseBase:
    with principal(request.scope):
        seen = _open(request.scope, ref, request.GET.get("version", ""))
        blob = seen.version.blob
    return original(seen.document, seen.version, blob)


def _varying(response: HttpResponse) -> HttpResponse:
    patch_vary_headers(response, ["HX-Request"])
    return response
