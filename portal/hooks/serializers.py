"""Webhooks and their messages as programs get them."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from portal.hooks import store
from portal.models import Delivery, Webhook
from portal.problems import words_for

EVENT_NAMES = tuple(store.EVENTS)


class ReasonOfHookSerializer(serializers.Serializer[Any]):
    code = serializers.CharField()
    title = serializers.CharField()
    advice = serializers.CharField(allow_blank=True)


def reason_of(code: str) -> dict[str, str] | None:
    words = words_for(code)
    return {"code": code, "title": words.title, "advice": words.advice} if code else None


class WebhookSerializer(serializers.Serializer[Webhook]):
    """A webhook without its secret. `off` says why one that is switched off is."""

    ref = serializers.CharField()
    name = serializers.CharField()
    url = serializers.CharField()
    events = serializers.ListField(child=serializers.ChoiceField(EVENT_NAMES))
    made_by = serializers.CharField(source="user.email", help_text="It hears of what this owner sees.")
    is_mine = serializers.SerializerMethodField(help_text="Only its maker changes it and reads its log.")
    is_on = serializers.SerializerMethodField()
    off = serializers.SerializerMethodField()
    off_at = serializers.DateTimeField(allow_null=True)
    taken_at = serializers.DateTimeField(allow_null=True, help_text="When its receiver last took a message.")
    created_at = serializers.DateTimeField()

    def get_is_mine(self, hook: Webhook) -> bool:
        return bool(hook.user_id == self.context["scope"].user_id)

    def get_is_on(self, hook: Webhook) -> bool:
        return hook.off_at is None

    @extend_schema_field(ReasonOfHookSerializer(allow_null=True))
    def get_off(self, hook: Webhook) -> dict[str, str] | None:
        return reason_of(hook.off_why)


class MadeWebhookSerializer(WebhookSerializer):
    secret = serializers.CharField(help_text="`whsec_…`, said in the answer to its making or replacing alone.")


class NewWebhookSerializer(serializers.Serializer[Any]):
    name = serializers.CharField(max_length=120)
    url = serializers.CharField(max_length=2000, help_text="https://…, of the open internet.")
    events = serializers.ListField(child=serializers.ChoiceField(EVENT_NAMES), allow_empty=False, max_length=20)


class ChangedWebhookSerializer(serializers.Serializer[Any]):
    """What is sent is changed. `is_on` switches it; what is on its way when it goes off is given up, and can be sent again."""

    name = serializers.CharField(max_length=120, required=False)
    url = serializers.CharField(max_length=2000, required=False)
    events = serializers.ListField(
        child=serializers.ChoiceField(EVENT_NAMES), allow_empty=False, max_length=20, required=False
    )
    is_on = serializers.BooleanField(required=False)


class DeliverySerializer(serializers.Serializer[Delivery]):
    """One message: what it tells of and how far it came. `id` is what its receiver gets as `webhook-id`."""

    ref = serializers.CharField()
    id = serializers.SerializerMethodField()
    event = serializers.ChoiceField((*EVENT_NAMES, store.PING))
    subject = serializers.CharField(source="subject_ref", allow_blank=True, help_text="The document's or run's ref.")
    state = serializers.ChoiceField(Delivery.State.choices)
    attempts = serializers.IntegerField(source="attempt")
    status = serializers.IntegerField(allow_null=True, help_text="The receiver's last HTTP status.")
    problem = serializers.SerializerMethodField()
    took_ms = serializers.IntegerField(allow_null=True)
    next_try_at = serializers.SerializerMethodField()
    give_up_at = serializers.DateTimeField()
    created_at = serializers.DateTimeField()
    settled_at = serializers.DateTimeField(allow_null=True)

    def get_id(self, row: Delivery) -> str:
        return f"msg_{row.ref}"

    @extend_schema_field(ReasonOfHookSerializer(allow_null=True))
    def get_problem(self, row: Delivery) -> dict[str, str] | None:
        return reason_of(row.problem)

    @extend_schema_field(serializers.DateTimeField(allow_null=True))
    def get_next_try_at(self, row: Delivery) -> str | None:
        is_waiting = row.state == Delivery.State.PENDING
        return str(serializers.DateTimeField().to_representation(row.next_try_at)) if is_waiting else None


class DeliveriesQuerySerializer(serializers.Serializer[Any]):
    state = serializers.ChoiceField(Delivery.State.choices, required=False)
    event = serializers.ChoiceField((*EVENT_NAMES, store.PING), required=False)
    subject = serializers.CharField(required=False, max_length=24)


class ReplaySerializer(serializers.Serializer[Any]):
    since = serializers.DateTimeField(
        required=False, help_text="Told at this time or later; without it all in the log."
    )


class ReplayedSerializer(serializers.Serializer[Any]):
    messages = serializers.IntegerField(help_text=f"How many are sent again, {store.AT_ONCE} at most in one call.")
