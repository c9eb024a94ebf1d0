"""The Webhooks pages, for a workspace's owners: make, test, switch, and see what became of each message."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.http import HttpResponse, HttpResponseBase, QueryDict
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.debug import sensitive_variables
from django.views.decorators.http import require_http_methods, require_POST

from portal.hooks import store
from portal.models import Delivery, Webhook
from portal.pages import MemberRequest, member_page
from portal.problems import UserProblem, words_for
from portal.scope import principal

SHOWN = 50


@require_http_methods(["GET", "HEAD", "POST"])
@member_page
@sensitive_variables("made")
def webhooks(request: MemberRequest) -> HttpResponseBase:
    store.refuse_others(request.scope)
    if request.method != "POST":
        return _list(request)
    sent = request.POST
    try:
        made = store.make(
            request.scope, name=sent.get("name", ""), url=sent.get("url", ""), events=sent.getlist("event")
        )
    except UserProblem as problem:
        return _list(request, error=problem.code, detail=problem.detail, status=422)
    return _one(request, made.ref, secret=store.secret(made))


@require_http_methods(["GET", "HEAD", "POST"])
@member_page
def webhook(request: MemberRequest, ref: str) -> HttpResponseBase:
    store.refuse_others(request.scope)
    if request.method != "POST":
        return _one(request, ref)
    hook, sent = _found(request, ref), request.POST
    try:
        values: dict[str, Any] = {
            "name": sent.get("name", ""),
            "url": sent.get("url", ""),
            "events": sent.getlist("event"),
        }
        store.change(request.scope, hook, **values)
    except UserProblem as problem:
        if problem.code in ("portal.hook_of_another", "portal.owner_only"):
            raise
        return _one(request, ref, error=problem.code, detail=problem.detail, status=422)
    messages.success(request, "Saved.")
    return redirect("webhook", ref)


@require_POST
@member_page
def webhook_ping(request: MemberRequest, ref: str) -> HttpResponseBase:
    store.ping(request.scope, _found(request, ref))
    messages.success(request, "A test message is on its way; what became of it stands in the log in a moment.")
    return redirect("webhook", ref)


@require_POST
@member_page
def webhook_switch(request: MemberRequest, ref: str) -> HttpResponseBase:
    hook = _found(request, ref)
    if request.POST.get("to") == "on":
        store.switch_on(request.scope, hook)
    else:
        store.switch_off(request.scope, hook)
    return redirect("webhook", ref)


@require_POST
@member_page
@sensitive_variables("secret")
def webhook_secret(request: MemberRequest, ref: str) -> HttpResponseBase:
    secret = store.secret(store.replace_secret(request.scope, _found(request, ref)))
    return _one(request, ref, secret=secret)


@require_POST
@member_page
def webhook_replay(request: MemberRequest, ref: str) -> HttpResponseBase:
    """One message when it is named, else all that were given up."""
    count = store.send_again(request.scope, _found(request, ref), ref=request.POST.get("message", ""))
    messages.success(request, f"{count} {'message is' if count == 1 else 'messages are'} sent again.")
    return redirect("webhook", ref)


@require_http_methods(["GET", "HEAD", "POST"])
@member_page
def webhook_delete(request: MemberRequest, ref: str) -> HttpResponseBase:
    hook = _found(request, ref)
    if request.method == "POST":
        store.remove(request.scope, hook)
        messages.success(request, f"{hook.name} is deleted.")
        return redirect("webhooks")
    confirmation = {
        "title": f"Delete the webhook {hook.name}?",
        "what_happens": "Its receiver hears nothing more, and its log is deleted. This cannot be undone.",
        "what_stays": "The line in the audit log stays.",
        "submit_label": "Delete the webhook",
        "cancel_url": reverse("webhook", args=[ref]),
        "nav": "keys",
    }
    return render(request, "confirm.html", {"confirmation": confirmation})


def _found(request: MemberRequest, ref: str) -> Webhook:
    store.refuse_others(request.scope)
    with principal(request.scope):
        return store.find_hook(request.scope, ref)


def _list(request: MemberRequest, *, error: str = "", detail: str = "", status: int = 200) -> HttpResponse:
    with principal(request.scope):
        rows = [(row, words_for(row.off_why) if row.off_at else None) for row in store.hooks_of(request.scope)]
    sent = request.POST if error else QueryDict("&".join(f"event={event}" for event in store.EVENTS))
    chosen = sent.getlist("event")
    context = {
        "hooks": rows,
        "form": {"name": sent.get("name", ""), "url": sent.get("url", "")},
        "events": [(name, means, name in chosen) for name, means in store.EVENTS.items()],
        "error": words_for(error) if error else None,
        "detail": detail,
        "now": timezone.now(),
    }
    return render(request, "webhooks.html", context, status=status)


def _one(
    request: MemberRequest, ref: str, *, secret: str = "", error: str = "", detail: str = "", status: int = 200
) -> HttpResponse:
    hook = _found(request, ref)
    with principal(request.scope):
        log = list(store.log_of(request.scope, hook)[: SHOWN + 1])
        given_up = store.log_of(request.scope, hook).filter(state=Delivery.State.FAILED).count()
    sent = request.POST if error else None
    context: dict[str, Any] = {
        "hook": hook,
        "secret": secret,
        "is_mine": hook.user_id == request.scope.user_id,
        "off": words_for(hook.off_why) if hook.off_at else None,
        "form": {"name": sent.get("name", "") if sent else hook.name, "url": sent.get("url", "") if sent else hook.url},
        "events": [
            (name, means, name in (sent.getlist("event") if sent else hook.events))
            for name, means in store.EVENTS.items()
        ],
        "error": words_for(error) if error else None,
        "detail": detail,
        "log": [(row, words_for(row.problem) if row.problem else None) for row in log[:SHOWN]],
        "has_more": len(log) > SHOWN,
        "given_up": given_up,
        "now": timezone.now(),
    }
    return render(request, "webhook.html", context, status=status)
