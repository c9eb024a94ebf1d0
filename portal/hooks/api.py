"""Webhooks for programs, with the key of an owner whose scope is admin and which is limited to no collection."""

from __future__ import annotations

from typing import Any

from django.urls import reverse
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from portal.api import Listing, ProgramView
from portal.hooks import store
from portal.hooks.serializers import (
    ChangedWebhookSerializer,
    DeliveriesQuerySerializer,
    DeliverySerializer,
    MadeWebhookSerializer,
    NewWebhookSerializer,
    ReplayedSerializer,
    ReplaySerializer,
    WebhookSerializer,
)
from portal.idempotency import Kept
from portal.models import Delivery, Webhook
from portal.problems import UserProblem
from portal.scope import principal

ADMIN = {"GET": "admin", "POST": "admin", "PATCH": "admin", "DELETE": "admin"}


class _HookView(ProgramView):
    """What every view here begins with."""

    key_scopes = ADMIN

    def found(self, ref: str) -> Webhook:
        store.refuse_others(self.scope)
        with principal(self.scope):
            return store.find_hook(self.scope, ref)

    def own(self, ref: str) -> Webhook:
        hook = self.found(ref)
        store.refuse_strangers(self.scope, hook)
        return hook

    def shown(self, hook: Webhook) -> dict[str, Any]:
        with principal(self.scope):
            fresh = store.find_hook(self.scope, hook.ref)
        return dict(WebhookSerializer(fresh, context={"scope": self.scope}).data)

    def told(self, hook: Webhook, *, status: int = 200) -> Response:
        at = {"Location": reverse("api_webhook", args=[hook.ref])}
        return Response({**self.shown(hook), "secret": store.secret(hook)}, status=status, headers=at)


class Webhooks(_HookView, Listing):
    serializer_class = WebhookSerializer

    @extend_schema(operation_id="webhooks_list", summary="The workspace's webhooks, of every owner, newest first")
    def get(self, request: Request) -> Response:
        store.refuse_others(self.scope)
        with principal(self.scope):
            return self.answer(store.hooks_of(self.scope), WebhookSerializer)

    @extend_schema(
        operation_id="webhooks_create",
        summary="Make a webhook; its secret is in this answer alone",
        request=NewWebhookSerializer,
        responses={201: MadeWebhookSerializer},
    )
    def post(self, request: Request) -> Response:
        store.refuse_others(self.scope)
        sent = NewWebhookSerializer(data=request.data)
        sent.is_valid(raise_exception=True)
        return self.told(store.make(self.scope, **sent.validated_data), status=201)

    def kept_of(self, response: Response) -> dict[str, Any]:
        return {"webhook": response.data["ref"]}

    def again(self, kept: Kept) -> Response:
        return self.told(self.found(kept.body["webhook"]), status=kept.status)


class OneWebhook(_HookView):
    serializer_class = WebhookSerializer
    is_one = True

    @extend_schema(operation_id="webhooks_retrieve", summary="One webhook")
    def get(self, request: Request, ref: str) -> Response:
        return Response(self.shown(self.found(ref)))

    @extend_schema(
        operation_id="webhooks_update", summary="Change it, or switch it off and on", request=ChangedWebhookSerializer
    )
    def patch(self, request: Request, ref: str) -> Response:
        hook = self.own(ref)
        sent = ChangedWebhookSerializer(data=request.data)
        sent.is_valid(raise_exception=True)
        self.expect(self.shown(hook))
        wanted = dict(sent.validated_data)
        is_on = wanted.pop("is_on", None)
        store.change(self.scope, hook, **wanted)
        if is_on is not None:
            (store.switch_on if is_on else store.switch_off)(self.scope, hook)
        return Response(self.shown(hook))

    @extend_schema(operation_id="webhooks_delete", summary="End it, with its log; any owner may")
    def delete(self, request: Request, ref: str) -> Response:
        hook = self.found(ref)
        self.expect(self.shown(hook))
        store.remove(self.scope, hook)
        return Response(status=204)


class WebhookSecret(_HookView):
    serializer_class = MadeWebhookSerializer
    repeats_safely = True

    @extend_schema(
        operation_id="webhooks_secret",
        summary="Replace its secret; the one before signs too for a day",
        request=None,
        responses={201: MadeWebhookSerializer},
    )
    def post(self, request: Request, ref: str) -> Response:
        return self.told(store.replace_secret(self.scope, self.own(ref)), status=201)


class PingWebhook(_HookView):
    serializer_class = DeliverySerializer

    @extend_schema(
        operation_id="webhooks_ping",
        summary="Send a test message; read Location for what became of it",
        request=None,
        responses={202: DeliverySerializer},
    )
    def post(self, request: Request, ref: str) -> Response:
        hook = self.own(ref)
        return self._sent(hook, store.ping(self.scope, hook).ref)

    def _sent(self, hook: Webhook, message: str) -> Response:
        at = {"Location": reverse("api_webhook_delivery", args=[hook.ref, message])}
        with principal(self.scope):
            row = find_message(self.scope, hook, message)
            return Response(DeliverySerializer(row).data, status=202, headers=at)

    def kept_of(self, response: Response) -> dict[str, Any]:
        return {"message": response.data["ref"]}

    def again(self, kept: Kept) -> Response:
        return self._sent(self.own(self.kwargs["ref"]), kept.body["message"])


def find_message(scope: Any, hook: Webhook, ref: str) -> Delivery:
    """Needs an open principal."""
    row = store.log_of(scope, hook).filter(ref=ref).first()
    if row is None:
        raise UserProblem("portal.not_found")
    return row


class Deliveries(_HookView, Listing):
    serializer_class = DeliverySerializer
    orders = {"newest": ("-id",), "oldest": ("id",)}

    @extend_schema(
        operation_id="webhooks_deliveries",
        summary="Its messages of the last month, newest first",
        parameters=[DeliveriesQuerySerializer],
    )
    def get(self, request: Request, ref: str) -> Response:
        hook = self.own(ref)
        asked = DeliveriesQuerySerializer(data=request.query_params)
        asked.is_valid(raise_exception=True)
        names = {"state": "state", "event": "event", "subject": "subject_ref"}
        with principal(self.scope):
            rows = store.log_of(self.scope, hook)
            rows = rows.filter(**{names[name]: value for name, value in asked.validated_data.items()})
            return self.answer(rows, DeliverySerializer)


class OneDelivery(_HookView):
    serializer_class = DeliverySerializer
    is_one = True

    @extend_schema(operation_id="webhooks_delivery", summary="One message")
    def get(self, request: Request, ref: str, message: str) -> Response:
        hook = self.own(ref)
        with principal(self.scope):
            return Response(DeliverySerializer(find_message(self.scope, hook, message)).data)


class ReplayDelivery(_HookView):
    serializer_class = ReplayedSerializer
    repeats_safely = True

    @extend_schema(
        operation_id="webhooks_replay_one",
        summary="Send a message again, under the same id",
        request=None,
        responses={202: ReplayedSerializer},
    )
    def post(self, request: Request, ref: str, message: str) -> Response:
        return Response({"messages": store.send_again(self.scope, self.own(ref), ref=message)}, status=202)


class ReplayDeliveries(_HookView):
    serializer_class = ReplayedSerializer
    repeats_safely = True

    @extend_schema(
        operation_id="webhooks_replay",
        summary="Send again what was given up, in its order",
        request=ReplaySerializer,
        responses={202: ReplayedSerializer},
    )
    def post(self, request: Request, ref: str) -> Response:
        hook = self.own(ref)
        sent = ReplaySerializer(data=request.data)
        sent.is_valid(raise_exception=True)
        count = store.send_again(self.scope, hook, since=sent.validated_data.get("since"))
        return Response({"messages": count}, status=202)
