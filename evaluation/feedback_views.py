"""Thumbs on an answer, the right passage, and the editors' queue."""

from __future__ import annotations

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import Http404, HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from answers.models import Citation
from evaluation import consent, feedback
from evaluation.models import Feedback, GoldenSet
from portal.pages import MemberRequest, member_page
from portal.paging import page_of
from portal.problems import UserProblem
from portal.scope import principal

PER_PAGE = 30
THANKS = {
    Feedback.Kind.UP: "Noted. Thank you.",
    Feedback.Kind.DOWN: "Noted. The editors of this workspace can now see your question and look into it.",
    Feedback.Kind.OFFER: "Offered. The editors of this workspace can now see this question.",
}


@require_http_methods(["GET", "HEAD", "POST"])
@member_page
def answer_feedback(request: MemberRequest, ref: str) -> HttpResponseBase:
    """The form about one of the own answers; POST keeps it and goes back to the answer."""
    scope = request.scope
    with principal(scope):
        answer = feedback.own_answer(scope, ref)
        if answer is None:
            raise Http404
        citations = list(
            Citation.objects.visible_to(scope).filter(answer=answer, redacted=False).order_by("role", "number")
        )
        given = Feedback.objects.visible_to(scope).filter(user_id=answer.user_id, answer_ref=ref).first()
    if request.method == "POST":
        given = feedback.give(scope, answer, _said(request))
        messages.success(request, THANKS[Feedback.Kind(given.kind)])
        return redirect("answer", ref)
    context = {
        "answer_ref": ref,
        "question": answer.question.text,
        "citations": citations,
        "reasons": [choice for choice in Feedback.Reason.choices if choice[0]],
        "given": given,
        "url": reverse("answer", args=[ref]),
    }
    return render(request, "answer_feedback.html", context)


def _said(request: MemberRequest) -> feedback.Said:
    sent = request.POST
    number = sent.get("passage", "")
    return feedback.Said(
        sent.get("kind", ""),
        sent.get("reason", ""),
        sent.get("comment", "").strip(),
        int(number) if number.isdecimal() and len(number) < 6 else None,
        sent.get("quote", ""),
        sent.get("document", ""),
    )


@require_safe
@member_page
def queue(request: MemberRequest) -> HttpResponseBase:
    """Editors see what members said; a reader sees what they said themselves."""
    scope = request.scope
    state = request.GET.get("state", Feedback.State.NEW)
    state = state if state in Feedback.State.values else Feedback.State.NEW
    with principal(scope):
        rows = (
            Feedback.objects.visible_to(scope)
            .filter(state=state)
            .select_related("user")
            .defer("user__password")
            .order_by("-pk")
        )
        current = Paginator(rows, PER_PAGE).get_page(request.GET.get("page"))
        context = {
            "items": list(current.object_list),
            "state": state,
            "states": Feedback.State.choices,
            "page": page_of(current, url=reverse("feedback_queue"), query={"state": state}, of="feedback"),
            "sets": list(GoldenSet.objects.visible_to(scope).order_by("name")),
            "inbox": feedback.INBOX,
            "may_edit": scope.role in ("owner", "editor"),
            "now": timezone.now(),
        }
    return render(request, "feedback_queue.html", context)


@require_POST
@member_page
def settle(request: MemberRequest, ref: str) -> HttpResponseBase:
    """Take it into a golden set as a draft, or put it aside."""
    scope = request.scope
    with principal(scope):
        found = Feedback.objects.visible_to(scope).filter(ref=ref).first()
        into = GoldenSet.objects.visible_to(scope).filter(ref=request.POST.get("set", "")).first()
    if found is None:
        raise Http404
    if request.POST.get("do") == "dismiss":
        feedback.dismiss(scope, found)
        messages.info(request, "Put aside.")
    elif request.POST.get("do") == "take":
        taken = feedback.take(scope, found, into)
        messages.success(request, f"A draft in {taken.name}. Approve it there to have it asked.")
    else:
        raise UserProblem("portal.invalid")
    return redirect("feedback_queue")


@require_http_methods(["GET", "HEAD", "POST"])
@member_page
def standing_offer(request: MemberRequest) -> HttpResponseBase:
    """Whether every question of one's own is offered; what was offered so far; POST gives the consent or takes it back."""
    scope = request.scope
    if request.method == "POST":
        if request.POST.get("do") == "give":
            consent.give(scope)
            messages.success(
                request, "From your next question on, each is offered to the editors. You can take it back here."
            )
        elif request.POST.get("do") == "withdraw":
            count = consent.withdraw(scope)
            messages.success(request, f"Nothing is offered any more; {count} offers were taken back.")
        else:
            raise UserProblem("portal.invalid")
        return redirect("question_offers")
    with principal(scope):
        current = Paginator(consent.own_offers(scope).order_by("-pk"), PER_PAGE).get_page(request.GET.get("page"))
        items = list(current.object_list)
    context = {
        "is_given": consent.is_given(scope),
        "items": items,
        "page": page_of(current, url=reverse("question_offers"), query={}, of="questions"),
        "now": timezone.now(),
    }
    return render(request, "question_offers.html", context)
