"""Why this answer, why not that passage, and what the same question gives today. For the asker alone, like the answer."""

from __future__ import annotations

from urllib.parse import urlencode

from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_POST, require_safe

from answers import missing, replay
from answers import why as shown
from answers.ask import AskSettings
from answers.models import Answer
from answers.views import guard_mode
from documents.models import Document
from portal.pages import MemberRequest, member_page
from portal.scope import Scope, principal


@require_safe
@member_page
def why(request: MemberRequest, ref: str) -> HttpResponseBase:
    return _page(request, _find(request.scope, ref))


@sensitive_post_parameters("words", "document")
@require_POST
@member_page
def why_not(request: MemberRequest, ref: str) -> HttpResponseBase:
    """A document without words leads to its page, where the passage can be chosen."""
    answer = _find(request.scope, ref)
    mark = _mark(request)
    if mark.document and not mark.plain and (document_ref := _only_document(request.scope, mark)):
        return redirect(f"{reverse('document', args=[document_ref])}?{urlencode({'for': answer.ref})}")
    verdicts = missing.look(request.scope, answer, mark) if mark.plain or mark.document or mark.chunk_id else ()
    return _page(request, answer, mark=mark, verdicts=verdicts)


@require_POST
@member_page
def replay_now(request: MemberRequest, ref: str) -> HttpResponseBase:
    answer = _find(request.scope, ref)
    if answer.outcome not in (Answer.Outcome.ANSWERED, Answer.Outcome.DECLINED):
        raise Http404
    seen = set(request.scope.collection_ids) & set(answer.question.collection_ids)
    options = AskSettings(collection_ids=tuple(sorted(seen)), guard_mode=guard_mode())
    again = replay.replay(request.scope, answer, options, now=timezone.now())
    return render(request, "answer_replay.html", {"replay": again, "answer": answer, "now": timezone.now()})


def _find(scope: Scope, ref: str) -> Answer:
    with principal(scope):
        found: Answer | None = Answer.objects.visible_to(scope).select_related("question").filter(ref=ref).first()
    if found is None:
        raise Http404
    return found


def _mark(request: HttpRequest) -> missing.Mark:
    chunk = request.POST.get("chunk", "")
    return missing.Mark(
        words=request.POST.get("words", "")[: missing.MAX_WORDS],
        document=request.POST.get("document", "").strip()[:500],
        chunk_id=int(chunk) if chunk.isascii() and chunk.isdigit() and len(chunk) <= 18 else None,
    )


def _only_document(scope: Scope, mark: missing.Mark) -> str:
    """The ref of the named document, or "" when the asker sees none or several of that name."""
    found: list[Document] = missing.documents_named(scope, mark.document)
    return found[0].ref if len(found) == 1 else ""


def _page(
    request: MemberRequest,
    answer: Answer,
    *,
    mark: missing.Mark | None = None,
    verdicts: tuple[missing.Verdict, ...] = (),
) -> HttpResponse:
    with principal(request.scope):
        page = shown.show(request.scope, answer)
    may_replay = answer.outcome in (Answer.Outcome.ANSWERED, Answer.Outcome.DECLINED)
    context = {"why": page, "mark": mark, "verdicts": verdicts, "may_replay": may_replay, "now": timezone.now()}
    return render(request, "answer_why.html", context)
