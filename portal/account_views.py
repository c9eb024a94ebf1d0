"""A person's own account: joining with an invitation, the name, the password."""

from __future__ import annotations

from dataclasses import dataclass

from django.contrib import messages
from django.contrib.auth import authenticate, login, update_session_auth_hash
from django.contrib.auth.password_validation import validate_password
from django.core.exceptions import ValidationError
from django.core.validators import validate_email
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render
from django.views.decorators.debug import sensitive_post_parameters, sensitive_variables
from django.views.decorators.http import require_http_methods, require_POST

from portal import invitations, limits
from portal.access import SESSION_WORKSPACE
from portal.models import User
from portal.pages import MemberRequest, member_page
from portal.problems import UserProblem, words_for
from portal.scope import UserOnly, principal


@dataclass(frozen=True, slots=True)
class Join:
    """The form: the code, where it leads once it is known, what was typed, what is wrong."""

    code: str = ""
    offer: invitations.Offer | None = None
    email: str = ""
    name: str = ""
    error: str = ""
    advice: str = ""


@sensitive_post_parameters("code", "password")
@sensitive_variables("code", "password")
@require_http_methods(["GET", "HEAD", "POST"])
def join(request: HttpRequest) -> HttpResponseBase:
    """Asks for the code, says where it leads, and lets its bearer in; guesses count as attempts to sign in."""
    if request.method != "POST":
        return _show(request, Join())
    code, sent = request.POST.get("code", "").strip()[:200], request.POST
    attempt = limits.admit_sign_in()
    found = invitations.offer(code)
    if found is None:
        return _refused(request, Join(code=code), "portal.invitation_over")
    limits.forgive(attempt)
    form = Join(code, found, sent.get("email", "").strip()[:254], " ".join(sent.get("name", "").split())[:120])
    if "join" not in sent:
        return _show(request, form)
    try:
        return _joined(request, form, sent.get("password", "")[:1000])
    except UserProblem as problem:
        return _refused(request, form, problem.code, problem.detail)


@sensitive_variables("password")
def _joined(request: HttpRequest, form: Join, password: str) -> HttpResponse:
    if request.user.is_authenticated:
        request.session[SESSION_WORKSPACE] = invitations.accept(request.user.pk, form.code)
    else:
        _check(form, password)
        invitations.join_as(form.code, email=form.email, name=form.name, password=password)
        user = authenticate(request, username=form.email, password=password)
        with principal(UserOnly(user.pk)):  # type: ignore[union-attr]
            login(request, user)
    messages.success(request, f"You are a member of {form.offer.workspace_name} now.")  # type: ignore[union-attr]
    return redirect("ask")


@sensitive_variables("password")
def _check(form: Join, password: str) -> None:
    """Raises UserProblem portal.email or portal.weak_password."""
    try:
        validate_email(form.email)
    except ValidationError:
        raise UserProblem("portal.email") from None
    _check_password(password, User(email=form.email, name=form.name))


@sensitive_variables("password")
def _check_password(password: str, user: User) -> None:
    try:
        validate_password(password, user)
    except ValidationError as error:
        raise UserProblem("portal.weak_password", " ".join(error.messages)) from None


def _refused(request: HttpRequest, form: Join, code: str, detail: str = "") -> HttpResponse:
    words = words_for(code)
    told = Join(form.code, form.offer, form.email, form.name, words.title, detail or words.advice)
    return _show(request, told, status=422)


def _show(request: HttpRequest, form: Join, *, status: int = 200) -> HttpResponse:
    return render(request, "join.html", {"join": form}, status=status)


@require_http_methods(["GET", "HEAD", "POST"])
@member_page
def account(request: MemberRequest) -> HttpResponseBase:
    if request.method == "POST":
        with principal(UserOnly(request.user.pk)):
            User.objects.filter(pk=request.user.pk).update(name=" ".join(request.POST.get("name", "").split())[:120])
        messages.success(request, "Your name was saved.")
        return redirect("account")
    return render(request, "account.html", {"account": request.user})


@sensitive_post_parameters("old", "new")
@sensitive_variables("new")
@require_POST
@member_page
def password(request: MemberRequest) -> HttpResponseBase:
    """Change the password; every other browser of the person is signed out by it."""
    user, new = request.user, request.POST.get("new", "")[:1000]
    try:
        _prove(user, request.POST.get("old", "")[:1000])
        _check_password(new, user)
    except UserProblem as problem:
        words = words_for(problem.code)
        told = {"account": user, "error": words.title, "advice": problem.detail or words.advice}
        return render(request, "account.html", told, status=422)
    with principal(UserOnly(user.pk)):
        user.set_password(new)
        User.objects.filter(pk=user.pk).update(password=user.password)
        update_session_auth_hash(request, user)
    messages.success(request, "Your password was changed. Every other browser of yours is signed out.")
    return redirect("account")


def _prove(user: User, old: str) -> None:
    """Guesses count as attempts to sign in. Raises UserProblem portal.old_password, RateLimited."""
    attempt = limits.admit_sign_in()
    with principal(UserOnly(user.pk)):
        is_right = user.check_password(old)
    if not is_right:
        raise UserProblem("portal.old_password")
    limits.forgive(attempt)
