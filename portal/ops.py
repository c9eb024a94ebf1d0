"""For whoever runs it: is it alive, is it ready, and a page that says what is missing and what that costs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from django.conf import settings
from django.db import DatabaseError, connections
from django.http import HttpRequest, HttpResponseBase, JsonResponse
from django.shortcuts import render
from django.utils import timezone
from django.utils.module_loading import import_string
from django.views.decorators.http import require_GET

from portal import checks
from portal.pages import MemberRequest, member_page

State = Literal["ok", "warn", "none"]


@dataclass(frozen=True, slots=True)
class Check:
    """One part of the stack. `code` is a stable word for programs; `detail` says what its absence costs and what to do."""

    code: str
    name: str
    kind: State
    label: str
    detail: str = ""
    is_needed: bool = True


@dataclass(frozen=True, slots=True)
class Status:
    kind: State
    label: str
    checks: tuple[Check, ...]
    checked_at: object


def live(request: HttpRequest) -> HttpResponseBase:
    """200 while the process answers; asks nothing else."""
    return JsonResponse({"live": True})


def ready(request: HttpRequest) -> HttpResponseBase:
    """200 when every needed part is there, else 503; one line per part, nothing of any tenant."""
    found = all_checks()
    is_ready = all(check.kind == "ok" for check in found if check.is_needed)
    body = {
        "ready": is_ready,
        "checks": {check.code: {"ok": check.kind == "ok", "says": check.label} for check in found},
    }
    return JsonResponse(body, status=200 if is_ready else 503)


@require_GET
@member_page
def status(request: MemberRequest) -> HttpResponseBase:
    found = all_checks()
    missing = [check for check in found if check.kind != "ok"]
    label = "Everything runs" if not missing else f"{missing[0].name}: {missing[0].label.lower()}"
    shown = Status("ok" if not missing else "warn", label, found, timezone.now())
    return render(request, "status.html", {"status": shown, "now": timezone.now()})


def all_checks() -> tuple[Check, ...]:
    """Database and isolation here; broker, worker and embedder from the apps that use them (settings.READINESS)."""
    database = _database()
    found = [database]
    if database.kind == "ok":
        found.append(_isolation())
        for name in settings.READINESS:
            gather: Callable[[], list[Check]] = import_string(name)
            found.extend(gather())
    return tuple(found)


def _database() -> Check:
    try:
        for alias in checks.SERVING:
            with connections[alias].cursor() as cursor:
                cursor.execute("SELECT 1")
    except DatabaseError:
        return Check(
            "database",
            "Database",
            "warn",
            "Does not answer",
            "Nothing can be read or asked until it is back. Nothing stored is lost.",
        )
    return Check("database", "Database", "ok", "Runs")


def _isolation() -> Check:
    found = checks.faults()
    if found:
        return Check("isolation", "Isolation", "warn", "Does not hold", "; ".join(found))
    return Check("isolation", "Isolation", "ok", "Holds")
