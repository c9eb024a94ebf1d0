"""The People page: members with their roles, and invitations, which owners make and withdraw."""

from __future__ import annotations

from django.contrib import messages
from django.http import HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.debug import sensitive_variables
from django.views.decorators.http import require_http_methods, require_POST

from portal.invitations import LASTS, invite, open_invitations
from portal.invitations import withdraw as take_back
from portal.members import change_member, members_of
from portal.models import Membership
from portal.pages import MemberRequest, member_page
from portal.scope import principal

MEANS = (
    (Membership.Role.READER, "asks, and keeps own documents"),
    (Membership.Role.EDITOR, "adds to what everyone sees"),
    (Membership.Role.OWNER, "decides who is in"),
)


@require_http_methods(["GET", "HEAD", "POST"])
@member_page
@sensitive_variables("code")
def people(request: MemberRequest) -> HttpResponseBase:
    """The page; a POST makes an invitation and shows its code this once."""
    if request.method != "POST":
        return _page(request)
    note = " ".join(request.POST.get("note", "").split())
    code = invite(request.scope, role=request.POST.get("role", ""), note=note)
    return _page(request, link=f"{_origin(request)}{reverse('join')}#{code}", code=code)


def _origin(request: MemberRequest) -> str:
    return request.build_absolute_uri("/").rstrip("/")


@require_POST
@member_page
def member(request: MemberRequest, membership_id: int) -> HttpResponseBase:
    sent = request.POST
    messages.success(
        request,
        change_member(request.scope, membership_id, role=sent.get("role", ""), state=sent.get("state", "active")),
    )
    return redirect("people")


@require_POST
@member_page
def withdraw(request: MemberRequest, ref: str) -> HttpResponseBase:
    take_back(request.scope, ref)
    messages.success(request, "The invitation lets nobody in from now on.")
    return redirect("people")


def _page(request: MemberRequest, *, link: str = "", code: str = "") -> HttpResponse:
    scope = request.scope
    with principal(scope):
        members, invitations = members_of(scope), open_invitations(scope)
    context = {
        "members": members,
        "invitations": invitations,
        "may_manage": scope.can_manage,
        "roles": MEANS,
        "days": LASTS.days,
        "link": link,
        "code": code,
        "now": timezone.now(),
    }
    return render(request, "people.html", context)
