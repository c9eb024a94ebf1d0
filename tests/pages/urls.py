"""The URL names that the templates use, leading nowhere: pages are rendered here without views."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.urls import path


def nothing(request: HttpRequest, ref: str = "") -> HttpResponse:
    return HttpResponse(status=204)


urlpatterns = [
    path("", nothing, name="ask"),
    path("answers/<ref>/", nothing, name="answer"),
    path("library/", nothing, name="library"),
    path("library/upload/", nothing, name="upload"),
    path("documents/<ref>/", nothing, name="document"),
    path("documents/<ref>/row/", nothing, name="document_row"),
    path("documents/<ref>/retry/", nothing, name="document_retry"),
    path("documents/<ref>/cancel/", nothing, name="document_cancel"),
    path("documents/<ref>/delete/", nothing, name="document_delete"),
    path("documents/<ref>/replace/", nothing, name="document_replace"),
    path("documents/<ref>/original/", nothing, name="document_original"),
    path("history/", nothing, name="history"),
    path("history/<ref>/delete/", nothing, name="history_delete"),
    path("history-clear/", nothing, name="history_clear"),
    path("sign-in/", nothing, name="sign_in"),
    path("sign-out/", nothing, name="sign_out"),
    path("workspace/", nothing, name="workspace_switch"),
    path("status/", nothing, name="status"),
    path("help/", nothing, name="help"),
]
