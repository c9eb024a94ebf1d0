"""Webhooks by API: made with a secret said once, changed, tested, their log read, sent again; by owners alone; all audited."""

from __future__ import annotations

import re
import time
from pathlib import Path
from typing import Any

import pytest
from django.db import connections
from django.test.utils import CaptureQueriesContext

from portal.env import ROOT
from portal.hooks import store, worker
from portal.models import AuditEvent, Delivery, Webhook
from portal.problems import UserProblem
from portal.scope import principal
from tests.conftest import Cast
from tests.hooks.making import OWNER, Caller, Receiver, at_once, become, caller, log, make_hook, shared_documents
from tests.outgoing.server import reply, serving

NUMBERED = "https://93.184.215.14/footnote"
EVENTS = ["document.ready", "document.deleted"]


@pytest.fixture
def admin(cast: Cast) -> Caller:
    return caller(cast, cast.ada)


def made(admin: Caller, **more: Any) -> dict[str, Any]:
    response = admin.post("/webhooks/", {"name": "Build", "url": NUMBERED, "events": EVENTS, **more})
    assert response.status_code == 201, response.content
    return dict(response.json())


def test_a_webhook_is_made_and_its_secret_said_once(admin: Caller, cast: Cast) -> None:
    answer = made(admin)

    shown = admin.get(f"/webhooks/{answer['ref']}/").json()
    secret = answer.pop("secret")
    assert re.fullmatch(r"whsec_[A-Za-z0-9+/]{43}=", secret)
    assert shown == answer
    assert (shown["events"], shown["is_on"], shown["off"], shown["made_by"]) == (
        sorted(EVENTS, reverse=True),
        True,
        None,
        "ada@example.org",
    )
    assert [row["ref"] for row in admin.get("/webhooks/").json()["results"]] == [answer["ref"]]
    with connections[OWNER].cursor() as cursor:
        cursor.execute("SELECT to_jsonb(h)::text FROM portal_webhook h")
        assert secret.removeprefix("whsec_") not in cursor.fetchone()[0]


def test_making_it_twice_under_one_idempotency_key_makes_one_and_says_the_same(admin: Caller) -> None:
    body = {"name": "Build", "url": NUMBERED, "events": EVENTS}
    first, second = (admin.post("/webhooks/", body, headers={"Idempotency-Key": "one"}) for _ in range(2))

    assert (second.status_code, second.json()) == (201, first.json())
    assert second.headers["Idempotency-Replayed"] == "true"
    assert Webhook.objects.using(OWNER).count() == 1


@pytest.mark.parametrize(
    ("url", "code"),
    [
        ("https://127.0.0.1/", "portal.url_private"),
        ("https://169.254.169.254/", "portal.url_private"),
        ("https://2130706433/", "portal.url_malformed"),
        ("https://[::1]/", "portal.url_private"),
        ("http://93.184.215.14/", "portal.url_plain"),
        ("https://93.184.215.14:22/", "portal.url_port"),
        ("https://a:b@93.184.215.14/", "portal.url_credentials"),
        ("https://localhost/", "portal.url_private"),
        ("ftp://93.184.215.14/", "portal.url_malformed"),
    ],
)
def test_an_address_that_may_not_be_called_is_refused_when_it_is_named(admin: Caller, url: str, code: str) -> None:
    hook = made(admin)
    new = admin.post("/webhooks/", {"name": "x", "url": url, "events": EVENTS})
    changed = admin.patch(f"/webhooks/{hook['ref']}/", {"url": url})

    assert [(one.status_code, one.json()["code"]) for one in (new, changed)] == [(422, code)] * 2
    assert Webhook.objects.using(OWNER).get().url == NUMBERED


def test_an_operators_own_host_may_be_called_without_encryption(admin: Caller, settings: Any) -> None:
    settings.OUTGOING_HOSTS = ("127.0.0.1:9009",)

    assert made(admin, url="http://127.0.0.1:9009/hook")["url"] == "http://127.0.0.1:9009/hook"


@pytest.mark.parametrize("events", [[], ["document.read"], ["ping"]])
def test_unknown_events_are_refused(admin: Caller, events: list[str]) -> None:
    assert admin.post("/webhooks/", {"name": "x", "url": NUMBERED, "events": events}).status_code == 400


def test_a_webhook_is_changed_switched_off_and_on(admin: Caller) -> None:
    ref = made(admin)["ref"]
    path = f"/webhooks/{ref}/"
    changed = admin.patch(path, {"name": "Chat", "events": ["run.finished"]}).json()
    off = admin.patch(path, {"is_on": False}).json()
    on = admin.patch(path, {"is_on": True}).json()

    assert (changed["name"], changed["events"]) == ("Chat", ["run.finished"])
    assert (off["is_on"], off["off"]["code"], on["is_on"], on["off"]) == (False, "portal.hook_stopped", True, None)


def test_a_change_names_the_state_that_it_was_decided_on(admin: Caller) -> None:
    path = f"/webhooks/{made(admin)['ref']}/"
    tag = admin.get(path).headers["ETag"]

    assert admin.patch(path, {"name": "Chat"}, headers={"If-Match": tag}).status_code == 200
    assert admin.patch(path, {"name": "Mail"}, headers={"If-Match": tag}).status_code == 412
    assert admin.delete(path, headers={"If-Match": tag}).status_code == 412


def test_a_test_message_is_sent_and_what_became_of_it_is_read_at_its_location(admin: Caller, cast: Cast) -> None:
    hook = make_hook(cast.scope(cast.ada))
    sent = admin.post(f"/webhooks/{hook.ref}/ping/")
    receiver = Receiver(store.secret(hook))
    with serving(receiver) as server:
        worker.work_through(outside=server.outside())

    at = sent.headers["Location"].removeprefix("/api/v1")
    row = admin.get(at).json()
    assert (sent.status_code, sent.json()["state"]) == (202, "pending")
    assert (row["state"], row["status"], row["attempts"], row["event"], row["id"]) == (
        "taken",
        204,
        1,
        "ping",
        receiver.got[0][0],
    )


def test_the_log_says_what_was_sent_and_why_it_failed_and_it_is_sent_again(admin: Caller, cast: Cast) -> None:
    hook = make_hook(cast.scope(cast.ada))
    one, two = shared_documents(cast, 2)
    become(one, "ready")
    become(two, "attention", problem="documents.broken")
    path = f"/webhooks/{hook.ref}/deliveries/"
    with serving(lambda *_: reply(500)) as server:
        worker.work_through(outside=server.outside())
    waiting = admin.get(path, {"subject": one.ref}).json()["results"][0]
    Delivery.objects.using(OWNER).update(state="failed")
    failed = admin.get(path, {"state": "failed", "order": "oldest"}).json()["results"]
    again = admin.post(f"{path}{failed[0]['ref']}/replay/")
    every = admin.post(f"/webhooks/{hook.ref}/replay/")
    receiver = Receiver(store.secret(hook))
    with serving(receiver) as server:
        worker.work_through(outside=server.outside(), delay=at_once)

    assert (waiting["status"], waiting["problem"]["code"], waiting["state"]) == (500, "portal.hook_refused", "pending")
    assert waiting["next_try_at"] is not None
    assert [row["event"] for row in failed] == ["document.ready", "document.needs_attention"]
    assert [(one.status_code, one.json()["messages"]) for one in (again, every)] == [(202, 1), (202, 1)]
    assert sorted(message for message, _ in receiver.got) == sorted(row["id"] for row in failed)
    assert "0.md" not in str(admin.get(path).json())


def test_editors_readers_and_narrow_keys_reach_no_webhook(cast: Cast) -> None:
    hook = make_hook(cast.scope(cast.ada))
    narrow = caller(cast, cast.ada, collections=[cast.shared(cast.north).pk])
    refused = [(caller(cast, person), "portal.owner_only") for person in (cast.ben, cast.dot)]
    for asking, code in (*refused, (narrow, "portal.hook_narrow")):
        for response in (
            asking.get("/webhooks/"),
            asking.get(f"/webhooks/{hook.ref}/"),
            asking.post("/webhooks/", {"name": "x", "url": NUMBERED, "events": EVENTS}),
            asking.post(f"/webhooks/{hook.ref}/ping/"),
            asking.delete(f"/webhooks/{hook.ref}/"),
        ):
            assert (response.status_code, response.json()["code"]) == (403, code)
    for scope in (cast.scope(cast.ben), cast.scope(cast.cy)):
        with principal(scope):
            assert not Webhook.objects.visible_to(scope).exists()


def test_another_owner_sees_and_ends_it_and_reads_no_log(cast: Cast) -> None:
    hook = make_hook(cast.scope(cast.ada))
    become(shared_documents(cast, 1)[0], "ready")
    root = caller(cast, cast.root)
    scope = cast.scope(cast.root)

    assert root.get(f"/webhooks/{hook.ref}/").json()["is_mine"] is False
    for response in (
        root.patch(f"/webhooks/{hook.ref}/", {"url": NUMBERED}),
        root.get(f"/webhooks/{hook.ref}/deliveries/"),
        root.post(f"/webhooks/{hook.ref}/secret/"),
    ):
        assert response.json()["code"] == "portal.hook_of_another"
    with principal(scope):
        assert not Delivery.objects.filter(hook=hook).exists()
        assert not Webhook.objects.visible_to(scope).filter(pk=hook.pk).update(url=NUMBERED)
    assert root.delete(f"/webhooks/{hook.ref}/").status_code == 204
    assert not Delivery.objects.using(OWNER).exists()


def test_a_workspace_has_so_many_and_no_more(cast: Cast) -> None:
    scope = cast.scope(cast.ada)
    for _ in range(store.MOST):
        make_hook(scope)
    with pytest.raises(UserProblem) as refused:
        make_hook(scope)

    assert refused.value.code == "portal.hook_many"


def test_every_change_stands_in_the_audit_without_the_secret_or_the_address(admin: Caller, cast: Cast) -> None:
    answer = made(admin)
    path = f"/webhooks/{answer['ref']}/"
    admin.patch(path, {"name": "Chat"})
    secret = admin.post(f"{path}secret/").json()["secret"]
    admin.patch(path, {"is_on": False})
    admin.patch(path, {"is_on": True})
    admin.delete(path)

    rows = AuditEvent.objects.using(OWNER).filter(object_ref=answer["ref"]).order_by("id")
    assert [row.action for row in rows] == [
        "webhook.made",
        "webhook.changed",
        "webhook.secret_replaced",
        "webhook.off",
        "webhook.on",
        "webhook.removed",
    ]
    kept = str([row.detail for row in rows])
    assert secret != answer["secret"]
    assert not any(word in kept for word in (secret, answer["secret"], NUMBERED))


def test_the_documented_way_to_verify_a_message_verifies_ours_and_no_other(cast: Cast) -> None:
    page = (Path(ROOT) / "docs/events.md").read_text(encoding="utf-8")
    (snippet,) = re.findall(r"```python\n(.*?)```", page, flags=re.DOTALL)
    names: dict[str, Any] = {}
    exec(snippet, names)
    verified = names["verified"]
    hook = make_hook(cast.scope(cast.ada))
    seen: list[tuple[dict[str, str], bytes]] = []

    def keep(path: str, headers: dict[str, str], body: bytes) -> bytes:
        seen.append((headers, body))
        return reply(204)

    store.ping(cast.scope(cast.ada), hook)
    with serving(keep) as server:
        worker.work_through(outside=server.outside())
    (headers, body), secret = seen[0], store.secret(hook)

    assert verified(secret, headers, body)
    assert not verified(secret, headers, body.replace(b"ping", b"pong"))
    assert not verified(secret, headers, body, now=time.time() + 301)
    assert not verified("whsec_" + "A" * 43 + "=", headers, body)


def test_lists_cost_the_same_however_many_there_are(admin: Caller, cast: Cast) -> None:
    scope = cast.scope(cast.ada)
    hook = make_hook(scope)

    def cost() -> int:
        with CaptureQueriesContext(connections["default"]) as seen:
            admin.get("/webhooks/")
            admin.get(f"/webhooks/{hook.ref}/deliveries/")
        return len(seen)

    store.ping(scope, hook)
    before = cost()
    for _ in range(3):
        make_hook(scope)
        store.ping(scope, hook)

    assert cost() == before
    assert len(log(hook)) == 4
