"""One message on its way: claimed, read in its maker's scope, called, and what became of it kept (docs/events.md)."""

from __future__ import annotations

import json
import random
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, cast

from django.conf import settings
from django.db import connections
from django.utils import timezone
from django.utils.module_loading import import_string

from portal.access import scope_of
from portal.addresses import Unreached
from portal.events import Log
from portal.hooks import store
from portal.hooks.signing import headers_of
from portal.models import Delivery, Webhook, Workspace
from portal.outgoing import OUTSIDE, Asked, Limits, Outside, call
from portal.scope import Scope, principal

log = Log("portal.hooks")
LEASE_S = 60
LIMITS = Limits(most_bytes=0, total_s=15.0, connect_s=5.0, redirects=0)
DELAYS_S = (5, 30, 120, 600, 1800, 3600, 7200, 14400, 21600)
"""After the first, second, … failure; the last one again and again until the message is given up."""
LONGEST_WISH_S = 21600
GONE = 410

Delay = Callable[[int], float]
"""From the number of tries to seconds until the next."""
Describe = Callable[[Scope, str], Mapping[str, Any]]
"""From a ref to what is told of it, names included; empty when it is out of the scope's sight."""


@dataclass(frozen=True, slots=True)
class Letter:
    """One claimed message, ready to be called out: what the sending thread needs, without the database."""

    delivery_id: int
    attempt: int
    scope: Scope
    hook: Webhook
    event: str
    url: str
    headers: Mapping[str, str]
    body: bytes
    give_up_at: datetime


@dataclass(frozen=True, slots=True)
class Outcome:
    """`status` None: no answer came, and `problem` says why. `wish_s` is the receiver's Retry-After."""

    status: int | None
    problem: str
    took_ms: int
    wish_s: int = 0

    @property
    def is_taken(self) -> bool:
        return self.status is not None and 200 <= self.status < 300


def jittered(tries: int) -> float:
    """Seconds until the next try, a fifth more or less, so that what failed together does not come back together."""
    return DELAYS_S[min(tries, len(DELAYS_S)) - 1] * random.uniform(0.8, 1.2)  # noqa: S311 (no secret)


def next_letter() -> Letter | None:
    """Claim the next message that is due; None when nothing is."""
    while True:
        with connections["ingest"].cursor() as cursor:
            cursor.execute(
                "SELECT delivery_id, delivery_attempt, workspace_id, user_id FROM footnote.claim_delivery(%s)",
                [LEASE_S],
            )
            row = cursor.fetchone()
        if row is None or row[0] is None:
            return None
        delivery_id, attempt, workspace_id, user_id = row
        scope = scope_of(user_id, workspace_id)
        # A maker who left between claim and here: the next claim settles it.
        if scope is not None and (letter := _written(scope, delivery_id, attempt)):
            return letter


def _written(scope: Scope, delivery_id: int, attempt: int) -> Letter | None:
    with principal(scope):
        row: Delivery | None = Delivery.objects.visible_to(scope).filter(pk=delivery_id).select_related("hook").first()
        if row is None:
            return None
        body = json.dumps(_said(scope, row), ensure_ascii=False, separators=(",", ":")).encode()
    now, hook = timezone.now(), row.hook
    nonces = [bytes(hook.nonce)]
    if hook.old_nonce is not None and hook.old_until is not None and hook.old_until > now:
        nonces.append(bytes(hook.old_nonce))
    signed = headers_of(f"msg_{row.ref}", now, body, ref=hook.ref, nonces=nonces)
    headers = {"Content-Type": "application/json", **signed}
    return Letter(row.pk, attempt, scope, hook, row.event, hook.url, headers, body, row.give_up_at)


def _said(scope: Scope, row: Delivery) -> dict[str, Any]:
    """What a receiver reads: ids, names and states, as of the event; names as of now."""
    kind = row.event.partition(".")[0]
    workspace = Workspace.objects.visible_to(scope).get()
    data: dict[str, Any] = {"workspace": {"ref": workspace.ref, "name": workspace.name}}
    if kind in settings.HOOK_SUBJECTS:
        describe = cast("Describe", import_string(settings.HOOK_SUBJECTS[kind]))
        data[kind] = {"ref": row.subject_ref, **describe(scope, row.subject_ref), **row.told}
    return {"type": row.event, "timestamp": row.created_at.isoformat(), "data": data}


def send(letter: Letter, *, outside: Outside = OUTSIDE) -> Outcome:
    """Call the receiver; touches no database. Its answer's body is not read."""
    started = time.monotonic()
    try:
        reply = call(letter.url, Asked("POST", letter.headers, letter.body), limits=LIMITS, outside=outside)
    except Unreached as trouble:
        return Outcome(None, trouble.code, _ms(started))
    wish = reply.headers.get("retry-after", "")
    wish_s = int(wish) if wish.isascii() and wish.isdigit() and len(wish) < 7 else 0
    took = 200 <= reply.status < 300
    return Outcome(reply.status, "" if took else "portal.hook_refused", _ms(started), wish_s)


def settle(letter: Letter, outcome: Outcome, *, delay: Delay = jittered) -> None:
    """Keep what became of it, unless another worker claimed it meanwhile. A message that nobody took for GIVE_UP is given up, and
    its webhook is switched off when it took nothing else in that time.
    """
    now = timezone.now()
    is_lost = not outcome.is_taken and (outcome.status == GONE or now >= letter.give_up_at)
    values: dict[str, Any] = {"status": outcome.status, "problem": outcome.problem, "took_ms": outcome.took_ms}
    values["lease_until"] = None
    if outcome.is_taken or is_lost:
        values |= {"state": Delivery.State.TAKEN if outcome.is_taken else Delivery.State.FAILED, "settled_at": now}
    else:
        wait_s = max(delay(letter.attempt), min(outcome.wish_s, LONGEST_WISH_S))
        values["next_try_at"] = min(now + timedelta(seconds=wait_s), letter.give_up_at)
    with principal(letter.scope):
        rows = Delivery.objects.visible_to(letter.scope).filter(
            pk=letter.delivery_id, attempt=letter.attempt, state=Delivery.State.PENDING
        )
        is_ours = bool(rows.update(**values))
        if is_ours and outcome.is_taken:
            Webhook.objects.visible_to(letter.scope).filter(pk=letter.hook.pk).update(taken_at=now)
    log.info("hook.sent", hook=letter.hook.ref, status=outcome.status, ms=outcome.took_ms, attempt=letter.attempt)
    if is_ours and is_lost:
        _consider(letter, outcome, now)


def _consider(letter: Letter, outcome: Outcome, now: datetime) -> None:
    with principal(letter.scope):
        hook = store.find_hook(letter.scope, letter.hook.ref)
    is_test = letter.event == store.PING
    took_nothing = not is_test and (hook.taken_at is None or hook.taken_at < now - store.GIVE_UP)
    if outcome.status == GONE or took_nothing:
        why = "portal.hook_gone" if outcome.status == GONE else "portal.hook_failing"
        store.switch_off(letter.scope, hook, why=why)
        log.warning("hook.off", hook=hook.ref, why=why)


def _ms(started: float) -> int:
    return round((time.monotonic() - started) * 1000)
