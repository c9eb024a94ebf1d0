"""Workspace bookkeeping in the admin: collections, who sees them, members, keys and the audit trail."""

from __future__ import annotations

from typing import Any

from django.contrib import admin, messages
from django.db.models import Field, QuerySet
from django.forms import Field as FormField
from django.http import HttpRequest
from django.utils import timezone

from portal.admin_site import ScopedAdmin, scope_of
from portal.hooks import admin as hooks_admin  # noqa: F401 (registers)
from portal.models import ApiKey, AuditEvent, Collection, Grant, Membership

OPEN_KINDS = (Collection.Kind.SHARED, Collection.Kind.GRANTED)


@admin.register(Collection)
class CollectionAdmin(ScopedAdmin):
    """Private ones come with a membership; documents tie a collection down, so none is deleted here."""

    list_display = ("name", "kind", "owner", "created_at")
    list_filter = ("kind",)
    search_fields = ("name",)
    fields = ("name", "kind", "owner", "ref", "splitter", "max_tokens", "overlap_tokens", "created_at")

    def get_readonly_fields(self, request: HttpRequest, obj: Collection | None = None) -> tuple[str, ...]:
        """A kind is chosen once: changing it would show a private collection to everyone."""
        return ("owner", "ref", "created_at", *(("kind",) if obj else ()))

    def formfield_for_dbfield(self, db_field: Field[Any, Any], request: HttpRequest, **kwargs: Any) -> FormField | None:
        if db_field.name == "kind":
            kwargs["choices"] = [(kind.value, kind.label) for kind in OPEN_KINDS]
        return super().formfield_for_dbfield(db_field, request, **kwargs)

    def has_add_permission(self, request: HttpRequest) -> bool:
        return scope_of(request).role in ("owner", "editor")

    def has_change_permission(self, request: HttpRequest, obj: Collection | None = None) -> bool:
        return obj is None or obj.pk in scope_of(request).writable_ids

    def save_model(self, request: HttpRequest, obj: Collection, form: Any, change: bool) -> None:
        if change:
            obj.save(update_fields=[name for name in form.changed_data if name not in ("kind", "owner")])
            return
        obj.workspace_id = scope_of(request).workspace_id
        if obj.kind == Collection.Kind.GRANTED:
            obj.owner_id = request.user.pk
        obj.save()


@admin.register(Grant)
class GrantAdmin(ScopedAdmin):
    """Who sees a collection of named members. Given and taken by the workspace's owners, not changed."""

    list_display = ("collection", "user", "may_edit")
    related = ("collection", "user")
    fields = ("collection", "user", "may_edit")

    def has_add_permission(self, request: HttpRequest) -> bool:
        return scope_of(request).can_manage

    def has_delete_permission(self, request: HttpRequest, obj: Grant | None = None) -> bool:
        return scope_of(request).can_manage

    def save_model(self, request: HttpRequest, obj: Grant, form: Any, change: bool) -> None:
        obj.workspace_id = scope_of(request).workspace_id
        obj.save()


@admin.register(Membership)
class MembershipAdmin(ScopedAdmin):
    """Owners change roles and suspend; people are added by `manage.py`. Nobody changes the own membership here."""

    list_display = ("user", "role", "state", "created_at")
    list_filter = ("role", "state")
    related = ("user",)
    fields = ("user", "role", "state", "created_at")
    readonly_fields = ("user", "created_at")

    def has_change_permission(self, request: HttpRequest, obj: Membership | None = None) -> bool:
        return scope_of(request).can_manage and (obj is None or obj.user_id != request.user.pk)

    def save_model(self, request: HttpRequest, obj: Membership, form: Any, change: bool) -> None:
        obj.save(update_fields=[name for name in form.changed_data if name in ("role", "state")])
        AuditEvent.objects.create_for(
            scope_of(request),
            user_id=request.user.pk,
            action=f"membership.{obj.role}.{obj.state}",
            detail={"user": obj.user_id},
        )


@admin.register(ApiKey)
class ApiKeyAdmin(ScopedAdmin):
    """The own keys. They are made with `manage.py make_key`, which prints the secret once."""

    list_display = ("name", "ref", "scope_names", "created_at", "last_used_at", "expires_at", "revoked_at")
    fields = ("name", "ref", "scopes", "collection_ids", "created_at", "last_used_at", "expires_at", "revoked_at")
    readonly_fields = fields
    actions = ("revoke",)

    @admin.display(description="Scopes")
    def scope_names(self, key: ApiKey) -> str:
        return ", ".join(key.scopes)

    def has_revoke_permission(self, request: HttpRequest) -> bool:
        return True

    @admin.action(description="Revoke the selected keys", permissions=["revoke"])
    def revoke(self, request: HttpRequest, rows: QuerySet[ApiKey]) -> None:
        count = rows.filter(revoked_at__isnull=True).order_by().update(revoked_at=timezone.now())
        messages.success(request, f"{count} revoked. They are refused from the next request on.")


@admin.register(AuditEvent)
class AuditEventAdmin(ScopedAdmin):
    list_display = ("at", "user", "action", "object_ref")
    list_filter = ("action",)
    search_fields = ("object_ref",)
    related = ("user",)
    fields = ("at", "user", "action", "object_ref", "detail")
    readonly_fields = fields
