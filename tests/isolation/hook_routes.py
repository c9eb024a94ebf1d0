"""The declared rule of the routes of webhooks, pages and API."""

from __future__ import annotations

from collections.abc import Callable

from django.urls import reverse

from portal.models import Delivery, Webhook
from tests.isolation.canaries import OWNER
from tests.isolation.matrix import Case, Sent
from tests.isolation.sending import PLACES, delete, get, post, post_json
from tests.isolation.targets import Target

NUMBERED = "=https://93.184.215.14/"
"""A public number: nothing is asked of a name server."""


def hook_of(aimed: Target) -> Webhook:
    return Webhook.objects.using(OWNER).get(ref=aimed.hook_ref)


def made(aimed: Target) -> bool:
    return Webhook.objects.using(OWNER).filter(workspace__ref=aimed.workspace_ref, name=aimed.document_ref).exists()


def renamed(aimed: Target) -> bool:
    return hook_of(aimed).name == aimed.document_ref


def switched(aimed: Target) -> bool:
    return hook_of(aimed).off_at is not None


def resealed(aimed: Target) -> bool:
    return hook_of(aimed).old_until is not None


def gone(aimed: Target) -> bool:
    return not Webhook.objects.using(OWNER).filter(ref=aimed.hook_ref).exists()


def pinged(aimed: Target) -> bool:
    return Delivery.objects.using(OWNER).filter(hook__ref=aimed.hook_ref, event="ping").exists()


def sent_again(aimed: Target) -> bool:
    return Delivery.objects.using(OWNER).get(ref=aimed.message_ref).state == "pending"


def rename(mine: Target, aimed: Target) -> Sent:
    return Sent("PATCH", reverse("api_webhook", args=[aimed.hook_ref]), body={"name": aimed.document_ref})


def make(mine: Target, aimed: Target) -> Sent:
    body = {"name": aimed.document_ref, "url": NUMBERED[1:], "events": ["document.ready"]}
    return Sent("POST", reverse("api_webhooks"), body=body)


def _page(route: str, did: Callable[[Target], bool], **form: str) -> Case:
    return Case(route, "POST", post(route, "hook_ref", **form), PLACES, did=did, fresh="hook", is_write=True)


def _call(route: str, did: Callable[[Target], bool], *slots: str) -> Case:
    return Case(route, "POST", post_json(route, *slots), PLACES, did=did, fresh="hook", needs="admin", is_write=True)


PAGES = (
    Case("webhooks", "GET", get("webhooks"), PLACES, shows="hook", is_list=True),
    Case(
        "webhooks",
        "POST",
        post("webhooks", name="document_ref", url=NUMBERED, event="=document.ready"),
        PLACES,
        did=made,
        fresh="ready",
        is_list=True,
        is_write=True,
    ),
    Case("webhook", "GET", get("webhook", "hook_ref"), PLACES, shows="hook"),
    Case(
        "webhook",
        "POST",
        post("webhook", "hook_ref", name="document_ref", url=NUMBERED, event="=document.ready"),
        PLACES,
        did=renamed,
        fresh="hook",
        is_write=True,
    ),
    Case("webhook_delete", "GET", get("webhook_delete", "hook_ref"), PLACES, shows="hook"),
    _page("webhook_ping", pinged),
    _page("webhook_switch", switched, to="=off"),
    _page("webhook_secret", resealed),
    _page("webhook_replay", sent_again, message="message_ref"),
    _page("webhook_delete", gone),
)

API = (
    Case("api_webhooks", "GET", get("api_webhooks"), PLACES, shows="hook", needs="admin", is_list=True),
    Case(
        "api_webhooks",
        "POST",
        make,
        PLACES,
        did=made,
        fresh="ready",
        needs="admin",
        is_list=True,
        is_write=True,
    ),
    Case("api_webhook", "GET", get("api_webhook", "hook_ref"), PLACES, shows="hook", needs="admin"),
    Case("api_webhook", "PATCH", rename, PLACES, did=renamed, fresh="hook", needs="admin", is_write=True),
    Case(
        "api_webhook",
        "DELETE",
        delete("api_webhook", "hook_ref"),
        PLACES,
        did=gone,
        fresh="hook",
        needs="admin",
        is_write=True,
    ),
    Case(
        "api_webhook_deliveries",
        "GET",
        get("api_webhook_deliveries", "hook_ref"),
        PLACES,
        shows="hook",
        needs="admin",
    ),
    Case(
        "api_webhook_delivery",
        "GET",
        get("api_webhook_delivery", "hook_ref", "message_ref"),
        PLACES,
        shows="hook",
        needs="admin",
    ),
    _call("api_webhook_ping", pinged, "hook_ref"),
    _call("api_webhook_secret", resealed, "hook_ref"),
    _call("api_webhook_replay", sent_again, "hook_ref"),
    _call("api_webhook_delivery_replay", sent_again, "hook_ref", "message_ref"),
)
