"""Pages that belong to no app: signing in and out, switching workspace, status, help, and every problem in words."""

from __future__ import annotations

from dataclasses import dataclass

from django.contrib.auth import authenticate, login, logout
from django.http import HttpRequest, HttpResponse, HttpResponseBase, JsonResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from portal import limits
from portal.access import SESSION_WORKSPACE, seats_of
from portal.pages import MemberRequest, member_page
from portal.problems import problem_document, words_for
from portal.scope import UserOnly, principal


@dataclass(frozen=True, slots=True)
class SignIn:
    """The sign-in form: what was typed, what is wrong, where to go afterwards."""

    email: str = ""
    error: str = ""
    notice: str = ""
    next: str = ""


@dataclass(frozen=True, slots=True)
class Problem:
    """A failure on a page of its own."""

    code: str
    title: str
    advice: str
    detail: str = ""
    retry_after_s: int = 0


@sensitive_post_parameters("password")
@require_http_methods(["GET", "POST"])
def sign_in(request: HttpRequest) -> HttpResponseBase:
    target = _local_path(request, request.POST.get("next") or request.GET.get("next", ""))
    if request.method == "GET":
        notice = "Sign in to go on. What you typed is kept in this tab." if target else ""
        return render(request, "sign_in.html", {"sign_in": SignIn(next=target, notice=notice)})
    email, password = request.POST.get("email", "").strip()[:254], request.POST.get("password", "")[:1000]
    attempt = limits.admit_sign_in()
    user = authenticate(request, username=email, password=password)
    if user is None:
        error = words_for("portal.wrong_password").title
        return render(request, "sign_in.html", {"sign_in": SignIn(email, error, next=target)}, status=422)
    limits.forgive(attempt)
    with principal(UserOnly(user.pk)):
        login(request, user)
    return redirect(target or reverse("ask"))


def _local_path(request: HttpRequest, target: str) -> str:
    """A path on this site, or ""."""
    safe = url_has_allowed_host_and_scheme(target, allowed_hosts=None, require_https=request.is_secure())
    return target if safe and target.startswith("/") else ""


@require_POST
def sign_out(request: HttpRequest) -> HttpResponseBase:
    logout(request)
    return redirect("sign_in")


@require_POST
@member_page
def workspace_switch(request: MemberRequest) -> HttpResponseBase:
    wanted = request.POST.get("workspace", "")
    for seat in seats_of(request.user.pk):
        if seat.workspace_ref == wanted:
            request.session[SESSION_WORKSPACE] = seat.workspace_id
            return redirect("ask")
    return problem_page(request, "portal.not_found")


@require_GET
@member_page
def help_page(request: MemberRequest) -> HttpResponseBase:
    return render(request, "help.html")


def problem_page(request: HttpRequest, code: str, detail: str = "", *, retry_after_s: int = 0) -> HttpResponse:
    """The page of one code, with its status; without the signed-in frame when the database is what failed."""
    words = words_for(code)
    if words.status in (500, 503):
        request.without_shell = True  # type: ignore[attr-defined]
    problem = Problem(code, words.title, words.advice, detail, retry_after_s)
    template = "404.html" if words.status == 404 else "error.html"
    response = render(request, template, {"problem": problem}, status=words.status)
    if retry_after_s:
        response.headers["Retry-After"] = str(retry_after_s)
    return response


def csrf_failure(request: HttpRequest, reason: str = "") -> HttpResponse:
    return render(request, "403_csrf.html", status=403)


def not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
    if request.path.startswith(("/api/", "/v1/")):
        return JsonResponse(problem_document("portal.not_found"), status=404, content_type="application/problem+json")
    return render(request, "404.html", status=404)
