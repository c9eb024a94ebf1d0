"""Webhooks made, changed, switched and ended by their maker, an owner; any owner sees and ends them. For pages and API alike."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.db.models import QuerySet
from django.utils import timezone

from portal.addresses import Resolve, Unreached, places_of, read_address, resolve
from portal.hooks.signing import secret_of
from portal.models import ApiKey, AuditEvent, Delivery, Webhook, new_key
from portal.problems import UserProblem
from portal.scope import Scope, principal

EVENTS = {
    "document.ready": "a document can be searched in full",
    "document.needs_attention": "a document could not be read or made searchable",
    "document.deleted": "a document was deleted",
    "run.finished": "an evaluation run ended",
}
PING = "ping"
MOST = 20
"""Of a workspace: each costs a row at every event."""
GIVE_UP = timedelta(days=3)
OVERLAP = timedelta(hours=24)
"""For so long a replaced secret signs too."""
AT_ONCE = 1000
"""Messages that one call sends again."""


def refuse_others(scope: Scope) -> None:
    """Raises UserProblem portal.owner_only, or portal.hook_narrow for a key that is limited to some collections."""
    if not scope.can_manage:
        raise UserProblem("portal.owner_only")
    if scope.api_key_id is None:
        return
    with principal(scope):
        key: ApiKey = ApiKey.objects.visible_to(scope).get(pk=scope.api_key_id)
    if key.collection_ids is not None:
        raise UserProblem("portal.hook_narrow")


def hooks_of(scope: Scope) -> QuerySet[Webhook]:
    """The workspace's, of every owner, newest first. Needs an open principal."""
    rows: QuerySet[Webhook] = (
        Webhook.objects.visible_to(scope).select_related("user").defer("user__password").order_by("-id")
    )
    return rows


def find_hook(scope: Scope, ref: str) -> Webhook:
    """Needs an open principal. Raises UserProblem portal.not_found."""
    found = hooks_of(scope).filter(ref=ref).first()
    if found is None:
        raise UserProblem("portal.not_found")
    return found


def log_of(scope: Scope, hook: Webhook) -> QuerySet[Delivery]:
    """Its messages, newest first: to its maker alone, since they name what the maker sees. Needs an open principal."""
    rows: QuerySet[Delivery] = Delivery.objects.visible_to(scope).filter(hook=hook).order_by("-id")
    return rows


def check(url: str, *, look_up: Resolve = resolve) -> str:
    """The address as it will be called. Raises Unreached: https alone, but for hosts that the operator opened."""
    address = read_address(url, settings.OUTGOING_HOSTS)
    if address.scheme != "https" and not address.is_trusted:
        raise Unreached("portal.url_plain")
    places_of(address, look_up)
    return address.url


def make(scope: Scope, *, name: str, url: str, events: Sequence[str], look_up: Resolve = resolve) -> Webhook:
    """Raises UserProblem portal.hook_name, hook_events, hook_many, owner_only, or what is wrong with the address."""
    refuse_others(scope)
    wanted = {"name": _name(name), "events": _events(events), "url": check(url, look_up=look_up)}
    with principal(scope):
        if Webhook.objects.visible_to(scope).count() >= MOST:
            raise UserProblem("portal.hook_many", f"The limit is {MOST}.")
        hook: Webhook = Webhook.objects.create_for(scope, user_id=scope.user_id, **wanted)
        _note(scope, "webhook.made", hook.ref, {"events": hook.events})
    return hook


def secret(hook: Webhook) -> str:
    """For the answer to its making or replacing, and for nothing else."""
    return secret_of(hook.ref, bytes(hook.nonce))


def change(scope: Scope, hook: Webhook, *, look_up: Resolve = resolve, **values: Any) -> None:
    """Name, address or events. A name is looked up for the address, so call it outside a principal."""
    refuse_strangers(scope, hook)
    wanted: dict[str, Any] = {}
    if "name" in values:
        wanted["name"] = _name(values["name"])
    if "events" in values:
        wanted["events"] = _events(values["events"])
    if "url" in values and values["url"] != hook.url:
        wanted["url"] = check(values["url"], look_up=look_up)
    if wanted:
        with principal(scope):
            Webhook.objects.visible_to(scope).filter(pk=hook.pk).update(**wanted)
            _note(scope, "webhook.changed", hook.ref, {"changed": sorted(wanted)})


def replace_secret(scope: Scope, hook: Webhook) -> Webhook:
    """A new secret; the one before signs too for OVERLAP, so that a receiver can be told in time."""
    refuse_strangers(scope, hook)
    with principal(scope):
        Webhook.objects.visible_to(scope).filter(pk=hook.pk).update(
            nonce=new_key(), old_nonce=hook.nonce, old_until=timezone.now() + OVERLAP
        )
        _note(scope, "webhook.secret_replaced", hook.ref)
        return find_hook(scope, hook.ref)


def switch_off(scope: Scope, hook: Webhook, *, why: str = "portal.hook_stopped") -> None:
    """Nothing is told to it from now on, and what is on its way is given up: it can be sent again. Done twice is as once."""
    refuse_strangers(scope, hook)
    with principal(scope):
        on = Webhook.objects.visible_to(scope).filter(pk=hook.pk, off_at__isnull=True)
        if on.update(off_at=timezone.now(), off_why=why):
            log_of(scope, hook).filter(state=Delivery.State.PENDING).update(
                state=Delivery.State.FAILED, problem="portal.hook_off", settled_at=timezone.now()
            )
            _note(scope, "webhook.off", hook.ref, {"why": why})


def switch_on(scope: Scope, hook: Webhook) -> None:
    refuse_strangers(scope, hook)
    with principal(scope):
        if Webhook.objects.visible_to(scope).filter(pk=hook.pk, off_at__isnull=False).update(off_at=None, off_why=""):
            _note(scope, "webhook.on", hook.ref)


def remove(scope: Scope, hook: Webhook) -> None:
    """With its log. Any owner may."""
    refuse_others(scope)
    with principal(scope):
        Webhook.objects.visible_to(scope).filter(pk=hook.pk)._raw_delete("default")
        _note(scope, "webhook.removed", hook.ref)


def ping(scope: Scope, hook: Webhook) -> Delivery:
    """Put a message that tells of nothing into the line; it is tried once. Raises UserProblem portal.hook_off."""
    refuse_strangers(scope, hook)
    _refuse_off(hook)
    now = timezone.now()
    with principal(scope):
        made: Delivery = Delivery.objects.create_for(scope, hook=hook, event=PING, next_try_at=now, give_up_at=now)
    return made


def send_again(scope: Scope, hook: Webhook, *, ref: str = "", since: datetime | None = None) -> int:
    """One message, or every given-up one since a time (the newest AT_ONCE), under the same id; how many there were.

    Raises UserProblem portal.not_found for a message that is not there, portal.hook_off.
    """
    refuse_strangers(scope, hook)
    _refuse_off(hook)
    now = timezone.now()
    with principal(scope):
        rows = log_of(scope, hook)
        rows = rows.filter(ref=ref) if ref else rows.filter(state=Delivery.State.FAILED)
        if since is not None:
            rows = rows.filter(created_at__gte=since)
        chosen = list(rows.values_list("pk", flat=True)[:AT_ONCE])
        if ref and not chosen:
            raise UserProblem("portal.not_found")
        count = (
            Delivery.objects.visible_to(scope)
            .filter(pk__in=chosen)
            .exclude(state=Delivery.State.PENDING)
            .update(
                state=Delivery.State.PENDING,
                next_try_at=now,
                give_up_at=now + GIVE_UP,
                lease_until=None,
                problem="",
                settled_at=None,
            )
        )
        if count:
            _note(scope, "webhook.sent_again", hook.ref, {"messages": count})
    return int(count)


def refuse_strangers(scope: Scope, hook: Webhook) -> None:
    """Another owner's webhook is seen and ended, not changed: it hears of what its maker sees."""
    refuse_others(scope)
    if hook.user_id != scope.user_id:
        raise UserProblem("portal.hook_of_another")


def _refuse_off(hook: Webhook) -> None:
    if hook.off_at is not None:
        raise UserProblem("portal.hook_off")


def _name(name: str) -> str:
    name = " ".join(name.split())[:120]
    if not name:
        raise UserProblem("portal.hook_name")
    return name


def _events(events: Sequence[str]) -> list[str]:
    if not events or set(events) - set(EVENTS):
        raise UserProblem("portal.hook_events", f"Known are: {', '.join(EVENTS)}.")
    return [event for event in EVENTS if event in events]


def _note(scope: Scope, action: str, ref: str, detail: dict[str, Any] | None = None) -> None:
    AuditEvent.objects.create_for(scope, user_id=scope.user_id, action=action, object_ref=ref, detail=detail or {})
