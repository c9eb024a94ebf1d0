"""The API on a page of its own: from the same description that programs read, with nothing from anywhere else."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponseBase
from django.shortcuts import render
from django.views.decorators.http import require_safe

from portal.api_described import groups


@require_safe
def api_docs(request: HttpRequest) -> HttpResponseBase:
    return render(request, "api_docs.html", {"groups": groups()})
