"""The Django admin, for staff who are members: everything in it is what their scope sees."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect


class FootnoteAdmin(admin.AdminSite):
    site_header = "Footnote"
    site_title = "Footnote admin"
    index_title = "Corpus"
    enable_nav_sidebar = False

    def login(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:
        """One way to sign in: the portal's."""
        return redirect(f"/sign-in/?next={request.path}")
