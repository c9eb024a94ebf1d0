"""The Django admin, for staff who are members: everything in it is what their scope sees (portal/middleware.py holds it)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, NoReturn, cast

from django.contrib import admin
from django.contrib.auth.views import redirect_to_login
from django.db import models
from django.db.models import QuerySet
from django.forms import ModelChoiceField
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import URLPattern, URLResolver, reverse

from portal.scope import Scope
from portal.tenant import TenantModel

ELSEWHERE = ("password_change", "password_change_done", "view_on_site")
"""Routes of Django's admin that the portal has its own pages for, or that lead nowhere here."""


if TYPE_CHECKING:
    _ModelAdmin = admin.ModelAdmin[Any]
else:
    _ModelAdmin = admin.ModelAdmin


class FootnoteAdmin(admin.AdminSite):
    site_header = "Footnote"
    site_title = "Footnote admin"
    index_title = "Corpus and workspace"
    enable_nav_sidebar = False

    def get_urls(self) -> list[URLPattern | URLResolver]:
        return [url for url in super().get_urls() if getattr(url, "name", None) not in ELSEWHERE]

    def login(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:
        """One way to sign in, the portal's; for a member who is not staff there is nothing here."""
        if self.has_permission(request):
            return redirect("admin:index")
        if request.user.is_authenticated:
            raise Http404
        return redirect_to_login(request.GET.get("next") or reverse("admin:index"), reverse("sign_in"))

    def logout(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> NoReturn:
        """Nothing here: Django asks for the route's address, and signing out is the portal's."""
        raise Http404

    def get_log_entries(self, request: HttpRequest) -> QuerySet[Any]:
        return super().get_log_entries(request).defer("user__password")


def scope_of(request: HttpRequest) -> Scope:
    return cast("Scope", request.scope)  # type: ignore[attr-defined]


class ScopedAdmin(_ModelAdmin):
    """Lists and shows what the scope sees, and changes nothing unless a subclass says otherwise."""

    ordering: ClassVar[tuple[str, ...]] = ("-id",)
    list_per_page = 50
    show_full_result_count = False
    actions_selection_counter = True
    related: ClassVar[tuple[str, ...]] = ()
    """Foreign keys that the list shows, read along with it."""
    heavy: ClassVar[tuple[str, ...]] = ()
    """Columns that a list leaves in the database."""

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        rows: QuerySet[Any] = self.model.objects.visible_to(scope_of(request)).order_by(*self.ordering)
        if self.related:
            # A person's password hash may not be selected by any role of the portal.
            rows = rows.select_related(*self.related).defer(
                *[f"{name}__password" for name in self.related if name == "user"]
            )
        return rows.defer(*self.heavy) if self.heavy else rows

    def formfield_for_foreignkey(
        self, db_field: models.ForeignKey[Any, Any], request: HttpRequest, **kwargs: Any
    ) -> ModelChoiceField[Any] | None:
        target = db_field.remote_field.model
        if issubclass(target, TenantModel):
            kwargs["queryset"] = target.objects.visible_to(scope_of(request))
        return super().formfield_for_foreignkey(db_field, request, **kwargs)

    def history_view(
        self, request: HttpRequest, object_id: str, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        response = super().history_view(request, object_id, extra_context)
        context = getattr(response, "context_data", None)
        if context is not None:
            context["action_list"].object_list = context["action_list"].object_list.defer("user__password")
        return response

    def has_view_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return True

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False
