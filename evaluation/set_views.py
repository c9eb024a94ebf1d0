"""Golden sets: made, imported, drafted, reviewed, exported, and run."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.contrib import messages
from django.core.paginator import Paginator
from django.db.models import Q
from django.http import Http404, HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from answers.router.route import has_model
from documents.models import Document
from evaluation import queue, shown
from evaluation.configuration import Configuration
from evaluation.golden import drafting, files, sample, store
from evaluation.golden.item import Item, Malformed, key_of, read_item
from evaluation.models import GoldenQuestion, GoldenSet, Run
from portal.models import Collection
from portal.pages import MemberRequest, chosen_ids, collections_of, member_page
from portal.paging import page_of
from portal.problems import UserProblem
from portal.scope import Scope, principal

PER_PAGE = 50
MAX_FILE_BYTES = 20_000_000
ASKED_AT_ONCE = 8
"""Questions that a model writes while somebody waits for the page; `manage.py golden draft --model` writes all."""


@dataclass(frozen=True, slots=True)
class QuestionForm:
    """A question as its form shows it; lists are one item a line, gold passages `document` or `document: quote`."""

    text: str = ""
    expects: str = "answer"
    answers: str = ""
    key_facts: str = ""
    gold: str = ""
    tags: str = ""
    weight: str = "1"

    @classmethod
    def of(cls, item: Item) -> QuestionForm:
        gold = "\n".join(f"{one.document}: {one.quote}" if one.quote else one.document for one in item.gold)
        answers, facts = "\n".join(item.answers), "\n".join(item.key_facts)
        return cls(item.text, item.expects, answers, facts, gold, ", ".join(item.tags), f"{item.weight:g}")


@require_POST
@member_page
def create(request: MemberRequest) -> HttpResponseBase:
    name = " ".join(request.POST.get("name", "").split())[:120]
    if not name:
        raise UserProblem("evaluation.malformed", "The set needs a name.")
    store.refuse_readers(request.scope)
    with principal(request.scope):
        if GoldenSet.objects.visible_to(request.scope).filter(name=name).exists():
            raise UserProblem("evaluation.name_taken")
    made = store.open_set(request.scope, name, description=request.POST.get("description", "")[:500])
    return redirect("golden_set", made.ref)


@require_POST
@member_page
def make_sample(request: MemberRequest) -> HttpResponseBase:
    made = sample.ensure(request.scope)
    if left := sample.unread(request.scope):
        messages.info(
            request, f"{left} sample documents are still being read. Start the run when the Library says Ready."
        )
    return redirect("golden_set", made.ref)


@require_safe
@member_page
def golden_set(request: MemberRequest, ref: str) -> HttpResponseBase:
    scope = request.scope
    found = _set(scope, ref)
    with principal(scope):
        rows = store.questions_of(scope, found.pk, found.version)
        search = request.GET.get("tag", "")
        current = Paginator(rows.filter(tags__contains=[search]) if search else rows, PER_PAGE).get_page(
            request.GET.get("page")
        )
        runs = (
            Run.objects.visible_to(scope)
            .filter(golden_set=found)
            .select_related("golden_set", "user")
            .defer("user__password")
        )
        context: dict[str, Any] = {
            "set": found,
            "total": rows.count(),
            "questions": list(current.object_list),
            "drafts": list(store.drafts_of(scope, found)[:PER_PAGE]),
            "page": page_of(
                current, url=reverse("golden_set", args=[ref]), query={"tag": search} if search else {}, of="questions"
            ),
            "runs": [shown.run_line(run) for run in runs.order_by("-pk")[:10]],
            "collections": collections_of(scope),
            "private": Collection.Kind.PRIVATE,
            "form": QuestionForm(),
            "choices": GoldenQuestion.Expects.choices,
            "may_edit": scope.role in ("owner", "editor"),
            "now": timezone.now(),
        }
    context["has_model"] = has_model(scope)
    return render(request, "golden_set.html", context)


@require_POST
@member_page
def import_file(request: MemberRequest, ref: str) -> HttpResponseBase:
    found, sent = _set(request.scope, ref), request.FILES.get("file")
    store.refuse_readers(request.scope)
    if sent is None or not sent.size or sent.size > MAX_FILE_BYTES:
        raise UserProblem("evaluation.malformed", "Choose a JSONL or CSV file of at most 20 MB.")
    try:
        text = sent.read().decode("utf-8-sig")
        items = files.read_text(text, "csv" if (sent.name or "").lower().endswith(".csv") else "jsonl")
    except UnicodeDecodeError:
        raise UserProblem("evaluation.malformed", "The file is not UTF-8.") from None
    except Malformed as trouble:
        raise UserProblem("evaluation.malformed", str(trouble)) from None
    saved = store.save(
        request.scope, found, items, origin=GoldenQuestion.Origin.IMPORT, replace="replace" in request.POST
    )
    messages.success(request, f"Saved as {saved}.")
    return redirect("golden_set", ref)


@require_safe
@member_page
def export_file(request: MemberRequest, ref: str, kind: str) -> HttpResponseBase:
    if kind not in ("jsonl", "csv"):
        raise Http404
    found = _set(request.scope, ref)
    with principal(request.scope):
        items = [store.item_of(row) for row in store.questions_of(request.scope, found.pk, found.version)]
    body = files.to_csv(items) if kind == "csv" else files.to_jsonl(items)
    response = HttpResponse(
        body, content_type="text/csv; charset=utf-8" if kind == "csv" else "application/jsonl; charset=utf-8"
    )
    response["Content-Disposition"] = f'attachment; filename="golden-{found.ref}-v{found.version}.{kind}"'
    return response


@require_POST
@member_page
def add_question(request: MemberRequest, ref: str) -> HttpResponseBase:
    found = _set(request.scope, ref)
    item = _item(request)
    store.save(request.scope, found, [item], origin=GoldenQuestion.Origin.HAND)
    messages.success(request, f"Added in version {found.version}.")
    return redirect("golden_set", ref)


@require_POST
@member_page
def draft(request: MemberRequest, ref: str) -> HttpResponseBase:
    scope, found = request.scope, _set(request.scope, ref)
    store.refuse_readers(scope)
    wanted = request.POST.get("document", "").strip()
    with principal(scope):
        rows = Document.objects.visible_to(scope).filter(
            Q(name=wanted) | Q(title=wanted) | Q(ref=wanted), deleted_at__isnull=True
        )
        document = rows.order_by("pk").first()
    if document is None:
        raise UserProblem("portal.not_found")
    items = (
        drafting.by_model(scope, document, most=ASKED_AT_ONCE)
        if "model" in request.POST
        else drafting.from_document(scope, document)
    )
    count = store.draft(scope, found, items, origin=GoldenQuestion.Origin.DRAFT)
    written = sum("model" in item.tags for item in items)
    by = f", {written} of them written by the model" if "model" in request.POST else ""
    messages.info(request, f"{count} drafts, one per heading{by}. No run asks them until you approve them.")
    return redirect(f"{reverse('golden_set', args=[ref])}#drafts")


@require_POST
@member_page
def approve(request: MemberRequest, ref: str) -> HttpResponseBase:
    found = _set(request.scope, ref)
    saved = store.approve(request.scope, found, request.POST.getlist("question"))
    messages.success(request, f"Approved: {saved}.")
    return redirect("golden_set", ref)


@require_http_methods(["GET", "HEAD", "POST"])
@member_page
def question(request: MemberRequest, ref: str) -> HttpResponseBase:
    """Look at a question, change it (a new version; for a draft that is its approval) or take it out."""
    scope = request.scope
    with principal(scope):
        rows = GoldenQuestion.objects.visible_to(scope).filter(ref=ref).select_related("golden_set")
        row: GoldenQuestion | None = rows.first()
    if row is None:
        raise Http404
    if request.method != "POST":
        context = {
            "question": row,
            "form": QuestionForm.of(store.item_of(row)),
            "choices": GoldenQuestion.Expects.choices,
            "may_edit": scope.role in ("owner", "editor") and row.until_version is None,
        }
        return render(request, "golden_question.html", context)
    if "remove" in request.POST:
        store.remove(scope, row.golden_set, ref)
        messages.success(request, "The question is taken out. Earlier versions and runs keep it.")
    else:
        store.refuse_readers(scope)
        store.save(scope, row.golden_set, [_item(request, key=row.key)], origin=row.origin)
        messages.success(request, f"Saved in version {row.golden_set.version}.")
    return redirect("golden_set", row.golden_set.ref)


@require_POST
@member_page
def start(request: MemberRequest, ref: str) -> HttpResponseBase:
    scope, found = request.scope, _set(request.scope, ref)
    refs = request.POST.getlist("collection")
    made = queue.start(
        scope,
        found,
        Configuration.parse(request.POST.get("config", "")[:1000]),
        collection_ids=chosen_ids(scope, refs) if refs else None,
        name=request.POST.get("name", ""),
    )
    return redirect("evaluation_run", made.ref)


def _set(scope: Scope, ref: str) -> GoldenSet:
    with principal(scope):
        found: GoldenSet | None = GoldenSet.objects.visible_to(scope).filter(ref=ref).first()
    if found is None:
        raise Http404
    return found


def _item(request: MemberRequest, *, key: str = "") -> Item:
    """The form as an item. Raises UserProblem evaluation.malformed."""
    sent = request.POST
    lines = {
        name: [line for line in sent.get(name, "").splitlines() if line.strip()]
        for name in ("answers", "key_facts", "gold")
    }
    gold = [line.partition(": ") for line in lines["gold"]]
    raw = {
        "id": key or key_of(sent.get("question", "")),
        "question": sent.get("question", ""),
        "expects": sent.get("expects", ""),
        "answers": lines["answers"],
        "key_facts": lines["key_facts"],
        "gold": [{"document": name.strip(), "quote": quote.strip()} for name, _, quote in gold],
        "tags": [tag.strip() for tag in sent.get("tags", "").split(",")],
        "weight": sent.get("weight", ""),
    }
    try:
        return read_item(raw)
    except Malformed as trouble:
        raise UserProblem("evaluation.malformed", f"The question {trouble}.") from None
