"""Webhooks and their messages in the admin: looked at, not changed. The pages of the portal change them."""

from __future__ import annotations

from django.contrib import admin

from portal.admin_site import ScopedAdmin
from portal.models import Delivery, Webhook


@admin.register(Webhook)
class WebhookAdmin(ScopedAdmin):
    list_display = ("name", "url", "event_names", "user", "taken_at", "off_at", "off_why")
    search_fields = ("name",)
    related = ("user",)
    fields = ("name", "ref", "url", "events", "user", "created_at", "taken_at", "off_at", "off_why")
    readonly_fields = fields

    @admin.display(description="Events")
    def event_names(self, hook: Webhook) -> str:
        return ", ".join(hook.events)


@admin.register(Delivery)
class DeliveryAdmin(ScopedAdmin):
    """The own ones: they name what their maker sees."""

    list_display = ("created_at", "hook", "event", "subject_ref", "state", "attempt", "status", "problem")
    list_filter = ("state", "event")
    search_fields = ("ref", "subject_ref")
    related = ("hook",)
    fields = (
        *("ref", "hook", "event", "subject_ref", "told", "state", "attempt", "status", "problem", "took_ms"),
        *("created_at", "next_try_at", "give_up_at", "settled_at"),
    )
    readonly_fields = fields
