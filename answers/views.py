"""Ask, Answer and History. A question is a POST and never stands in a URL; its answer has an address of its own."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import cast

from django.conf import settings
from django.core.paginator import Paginator
from django.db.models import Prefetch, Q, QuerySet
from django.http import Http404, HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from answers import ask as walk
from answers import cache, conversation, live, shown, thread
from answers.history import clear
from answers.live_views import live_page
from answers.model_writer import writer_for
from answers.models import Answer, Citation, LiveAnswer, Question
from answers.router.route import has_model
from answers.rules import guard, question
from answers.rules.question import MAX_CHARACTERS
from answers.standing import FOR_STANDING, standings
from documents.models import Document
from portal.limits import RateLimited, admit_question
from portal.models import Collection
from portal.pages import Choice, MemberRequest, chosen_ids, collections_of, member_page, wants_partial
from portal.problems import words_for
from portal.scope import Scope, principal

PILLS = 6
RECENT = 5
PER_PAGE = 50


@dataclass(frozen=True, slots=True)
class AskForm:
    label: str
    collections: tuple[Choice, ...]
    question: str = ""
    error: str = ""
    retry_after_s: int = 0
    max_length: int = MAX_CHARACTERS
    is_folded: bool = False
    scope_label: str = ""
    previous: str = ""


@dataclass(frozen=True, slots=True)
class Sent:
    """What a form asked, as it came."""

    text: str
    refs: list[str]
    previous: str = ""


@dataclass(frozen=True, slots=True)
class Welcome:
    """The first-run state: what can be tried before anything was uploaded."""

    has_sample: bool
    sample_name: str = ""
    sample_ref: str = ""
    examples: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Page:
    label: str
    previous_url: str
    next_url: str
    of: str


@dataclass(frozen=True, slots=True)
class History:
    items: tuple[shown.PastQuestion, ...]
    search: str
    count_label: str
    gives_again: bool = True
    may_switch: bool = False
    kept_label: str = "Kept until you delete them, visible to you alone."


@dataclass(frozen=True, slots=True)
class Confirmation:
    title: str
    what_happens: str
    submit_label: str
    cancel_url: str
    what_stays: str = ""
    nav: str = "history"


@sensitive_post_parameters("question")
@require_http_methods(["GET", "POST"])
@member_page
def ask(request: MemberRequest) -> HttpResponseBase:
    if request.method == "POST":
        return _answer_question(request)
    with principal(request.scope):
        context = {
            "ask": _form(request.scope, "Your question"),
            "welcome": _welcome(request.scope),
            "recent": _recent(request.scope),
            "now": timezone.now(),
        }
    return render(request, "ask.html", context)


def _answer_question(request: MemberRequest) -> HttpResponseBase:
    """Walk to the end and go to the answer's own page; a text that is no question keeps the form with the reason."""
    sent = Sent(
        request.POST.get("question", ""), request.POST.getlist("collection"), request.POST.get("previous", "")[:24]
    )
    chosen = chosen_ids(request.scope, sent.refs) if sent.refs else None
    if sent.refs and not chosen:
        return _form_again(request, sent, "answers.no_collection")
    talk = _conversation(request, sent.previous)
    if talk is None:
        return _form_again(request, replace(sent, previous=""), "answers.no_previous")
    if wants_partial(request) and has_model(request.scope):
        return _begin(request, sent, chosen, talk)
    try:
        return _walk(request, sent, chosen, talk)
    except RateLimited as soon:
        if wants_partial(request):  # the form stays as it is, the problem's page is shown above it
            raise
        return _form_again(request, sent, soon.code, status=429, retry_after_s=soon.retry_after_s)


def _conversation(request: MemberRequest, previous: str) -> conversation.Conversation | None:
    """None when the question before is not one of the asker's own, or not there any more."""
    if not previous:
        return conversation.ALONE
    return conversation.after(request.scope, previous, as_written="as_written" in request.POST)


def _walk(
    request: MemberRequest, sent: Sent, chosen: tuple[int, ...] | None, talk: conversation.Conversation
) -> HttpResponseBase:
    gives_again = "afresh" not in request.POST
    options = walk.AskSettings(collection_ids=chosen, guard_mode=guard_mode(), gives_again=gives_again)
    writer = writer_for(request.scope)
    target = reverse("ask")
    for event in walk.ask(request.scope, sent.text, settings=options, now=timezone.now(), writer=writer, talk=talk):
        if isinstance(event, walk.Refused):
            return _form_again(request, sent, event.code)
        if isinstance(event, walk.Meta):
            target = reverse("answer", args=[event.answer_ref])
    if wants_partial(request):
        return HttpResponse(status=204, headers={"HX-Redirect": target})
    return redirect(target)


def _begin(
    request: MemberRequest, sent: Sent, chosen: tuple[int, ...] | None, talk: conversation.Conversation
) -> HttpResponseBase:
    """A model takes its time: go to the answer's page at once, which follows it (answers/live.py)."""
    asked = conversation.read(sent.text, talk)
    if isinstance(asked, question.Invalid):
        return _form_again(request, sent, asked.code)
    admit_question(request.scope)
    begun = live.begin(request.scope, sent.text, collection_ids=chosen, talk=talk, previous=sent.previous)
    return HttpResponse(status=204, headers={"HX-Redirect": reverse("answer", args=[begun.ref])})


def guard_mode() -> guard.Mode:
    return cast("guard.Mode", settings.GUARD_MODE)


def _form_again(
    request: MemberRequest, sent: Sent, code: str, *, status: int = 422, retry_after_s: int = 0
) -> HttpResponseBase:
    words = words_for(code)
    error = f"{words.title} {words.advice}"
    label = "Ask on" if sent.previous else "Your question"
    with principal(request.scope):
        form = _form(request.scope, label, refs=sent.refs)
        form = replace(
            form,
            question=sent.text[:MAX_CHARACTERS],
            error=error,
            retry_after_s=retry_after_s,
            previous=sent.previous,
        )
        context = {"ask": form, "welcome": None, "recent": (), "now": timezone.now()}
    return render(request, "_ask_form.html" if wants_partial(request) else "ask.html", context, status=status)


def _form(scope: Scope, label: str, *, refs: list[str] | None = None, previous: str = "") -> AskForm:
    rows = collections_of(scope)
    counts = _documents_in(scope)
    choices = tuple(
        Choice(
            row.ref,
            row.name,
            is_chosen=not refs or row.ref in refs,
            documents_label=shown._count(counts.get(row.pk, 0), "document"),
        )
        for row in rows
    )
    chosen = sum(choice.is_chosen for choice in choices)
    label_of_scope = (
        f"all {len(choices)} collections" if chosen == len(choices) else f"{chosen} of {len(choices)} collections"
    )
    return AskForm(label, choices, is_folded=len(choices) > PILLS, scope_label=label_of_scope, previous=previous)


def _form_after(scope: Scope, row: Answer) -> AskForm:
    """The form of the next turn: it asks where the last one did."""
    asked = row.question
    visible = dict(Collection.objects.visible_to(scope).values_list("pk", "ref"))
    then = [visible[pk] for pk in asked.collection_ids if pk in visible]
    return _form(scope, "Ask on", refs=then if set(visible.values()) - set(then) else None, previous=asked.ref)


def _documents_in(scope: Scope) -> dict[int, int]:
    from django.db.models import Count

    rows = Document.objects.visible_to(scope).filter(deleted_at__isnull=True).values_list("collection_id")
    return dict(rows.annotate(Count("pk")).order_by())


def _welcome(scope: Scope) -> Welcome | None:
    """While the person has uploaded nothing but the samples: their collection with three questions it answers."""
    own = Document.objects.visible_to(scope).filter(created_by_id=scope.user_id, deleted_at__isnull=True)
    if own.exclude(collection__name=settings.SAMPLE_COLLECTION).exists():
        return None
    sample = Collection.objects.visible_to(scope).filter(name=settings.SAMPLE_COLLECTION).order_by("id").first()
    if sample is None:
        return Welcome(has_sample=False)
    return Welcome(True, sample.name, sample.ref, tuple(settings.SAMPLE_QUESTIONS))


def _recent(scope: Scope) -> tuple[shown.PastQuestion, ...]:
    return tuple(_lines(scope, list(_own_questions(scope)[:RECENT])))


def _own_questions(scope: Scope) -> QuerySet[Question]:
    citations = Prefetch("citations", Citation.objects.visible_to(scope).only(*FOR_STANDING))
    answers = Prefetch("answers", Answer.objects.visible_to(scope).prefetch_related(citations).order_by("-id"))
    questions: QuerySet[Question] = Question.objects.visible_to(scope)
    return questions.prefetch_related(answers).order_by("-id")


def _lines(scope: Scope, questions: list[Question]) -> list[shown.PastQuestion]:
    newest = [(question, next(iter(question.answers.all()), None)) for question in questions]
    answers = [answer for _, answer in newest if answer is not None]
    found = standings(scope, answers, [citation for answer in answers for citation in answer.citations.all()])
    return [shown.past(question, answer, found[answer.pk]) for question, answer in newest if answer is not None]


@require_GET
@member_page
def answer(request: MemberRequest, ref: str) -> HttpResponseBase:
    context: dict[str, object] = {}
    with principal(request.scope):
        row = Answer.objects.visible_to(request.scope).select_related("question").filter(ref=ref).first()
        if row is None:
            going = live.row_of(request.scope, ref)
        else:
            context = {
                "answer": shown.show(request.scope, row, permalink=request.build_absolute_uri(request.path)),
                "thread": thread.around(request.scope, row),
                "ask": _form_after(request.scope, row),
                "now": timezone.now(),
            }
            going = None
    if row is None:
        return _going(request, going)
    return render(request, "answer.html", context)


def _going(request: MemberRequest, row: LiveAnswer | None) -> HttpResponseBase:
    if row is None:
        raise Http404
    return live_page(request, row)


@sensitive_post_parameters("q")
@require_http_methods(["GET", "POST"])
@member_page
def history(request: MemberRequest) -> HttpResponseBase:
    """Searching is a POST: what people asked never stands in a URL."""
    search = request.POST.get("q", "").strip()[:200]
    with principal(request.scope):
        rows = _own_questions(request.scope)
        if search:
            rows = rows.filter(Q(text__icontains=search) | Q(typed__icontains=search))
        rows = thread.together(rows)
        pages = Paginator(rows, PER_PAGE)
        current = pages.get_page(request.GET.get("page"))
        items = tuple(_lines(request.scope, list(current.object_list)))
        gives_again = cache.gives_again(request.scope)
    kept = History(items, search, shown._count(pages.count, "question"), gives_again, request.scope.can_manage)
    page = None
    if not search and pages.num_pages > 1:
        url = reverse("history")
        page = Page(
            f"{current.start_index()}–{current.end_index()} of {pages.count:,}",
            f"{url}?page={current.previous_page_number()}" if current.has_previous() else "",
            f"{url}?page={current.next_page_number()}" if current.has_next() else "",
            "questions",
        )
    template = "_history_list.html" if wants_partial(request) else "history.html"
    return render(request, template, {"history": kept, "page": page, "now": timezone.now()})


@require_POST
@member_page
def answers_again(request: MemberRequest) -> HttpResponseBase:
    """Whether the workspace gives earlier answers again: for its owners to say; to everybody else there is no such page."""
    if not request.scope.can_manage:
        raise Http404
    cache.switch(request.scope, on=request.POST.get("state") == "on")
    return redirect("history")


@require_http_methods(["GET", "POST"])
@member_page
def history_delete(request: MemberRequest, ref: str) -> HttpResponseBase:
    with principal(request.scope):
        question = Question.objects.visible_to(request.scope).filter(ref=ref).first()
        if question is None:
            raise Http404
        if request.method == "POST":
            question.delete()
            return redirect("history")
    return _confirm(
        request,
        "Delete this question?",
        "The question, its answer and what was quoted in it are removed at once.",
        "Delete the question",
    )


@require_http_methods(["GET", "POST"])
@member_page
def history_clear(request: MemberRequest) -> HttpResponseBase:
    if request.method == "POST":
        clear(request.scope)
        return redirect("history")
    return _confirm(
        request,
        "Delete all your questions?",
        "All your questions and their answers are removed at once.",
        "Delete all of them",
    )


def _confirm(request: MemberRequest, title: str, what_happens: str, submit_label: str) -> HttpResponse:
    confirmation = Confirmation(title, what_happens, submit_label, reverse("history"))
    return render(request, "confirm.html", {"confirmation": confirmation})
