"""The operator's page of the queue: for staff, who see the jobs of their own workspace and the figures of all."""

from __future__ import annotations

from django.http import HttpResponseBase
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.http import require_safe

from documents import readiness
from documents.line import show_line
from portal.pages import MemberRequest, member_page
from portal.problems import UserProblem
from portal.scope import principal


@require_safe
@member_page
def queue(request: MemberRequest) -> HttpResponseBase:
    if not request.user.is_staff:
        raise UserProblem("portal.not_found")
    checks = readiness.checks()
    with principal(request.scope):
        line = show_line(request.scope, checks)
    return render(request, "queue.html", {"line": line, "now": timezone.now()})
