"""Messages on their way: signed, in order per document, tried again, given up, sent again; never lost, never of what is hidden."""

from __future__ import annotations

import json
import time
from datetime import timedelta
from typing import Any

import pytest
from django.db.models import F
from django.utils import timezone

from documents import lifecycle
from documents.models import Document
from portal.hooks import sending, store, worker
from portal.models import AuditEvent, Delivery, Membership, Webhook
from portal.problems import UserProblem
from portal.scope import principal
from tests.conftest import Cast
from tests.hooks.making import (
    OWNER,
    Receiver,
    add_document,
    at_once,
    become,
    hurry,
    is_genuine,
    log,
    make_hook,
    shared_documents,
)
from tests.outgoing.server import reply, serving


def deliver(receiver: Any, *, rounds: int = 1, **more: Any) -> int:
    with serving(receiver) as server:
        return sum(worker.work_through(outside=server.outside(), delay=at_once, **more) for _ in range(rounds))


def test_a_message_is_signed_and_says_ids_names_and_states(cast: Cast) -> None:
    hook = make_hook(cast.scope(cast.ada))
    (document,) = shared_documents(cast, 1)
    become(document, "ready")
    receiver = Receiver(store.secret(hook))

    calls = deliver(receiver)

    ((message, said),) = receiver.got
    row = log(hook)[0]
    assert (calls, receiver.forged, message) == (1, 0, f"msg_{row.ref}")
    assert said == {
        "type": "document.ready",
        "timestamp": row.created_at.isoformat(),
        "data": {
            "workspace": {"ref": cast.north.ref, "name": "North"},
            "document": {
                "ref": document.ref,
                "name": "0.md",
                "collection": {"ref": cast.shared(cast.north).ref, "name": cast.shared(cast.north).name},
                "state": "ready",
                "version": None,
                "problem": None,
            },
        },
    }
    assert "secret sentence" not in json.dumps(said)
    assert (row.state, row.status, row.attempt, row.problem) == ("taken", 204, 1, "")
    assert Webhook.objects.using(OWNER).get().taken_at is not None


def test_a_signature_does_not_fit_another_secret_body_time_or_id(cast: Cast) -> None:
    hook = make_hook(cast.scope(cast.ada))
    seen: list[tuple[dict[str, str], bytes]] = []

    def keep(path: str, headers: dict[str, str], body: bytes) -> bytes:
        seen.append((headers, body))
        return reply(204)

    store.ping(cast.scope(cast.ada), hook)
    deliver(keep)
    (headers, body), secret = seen[0], store.secret(hook)

    assert is_genuine(secret, headers, body)
    assert abs(int(headers["webhook-timestamp"]) - time.time()) < 60
    assert not is_genuine(store.secret(make_hook(cast.scope(cast.ada))), headers, body)
    assert not is_genuine(secret, headers, body + b" ")
    assert not is_genuine(secret, {**headers, "webhook-timestamp": "1"}, body)
    assert not is_genuine(secret, {**headers, "webhook-id": "msg_other"}, body)


def test_a_receiver_that_fails_twice_gets_each_event_once_more_and_in_order_per_document(cast: Cast) -> None:
    hook = make_hook(cast.scope(cast.ada))
    documents = shared_documents(cast, 5)
    for state in ("ready", "attention", "ready"):
        for document in documents:
            become(document, state)
    receiver = Receiver(store.secret(hook), lambda message, before: 503 if before < 2 else 204)

    calls = deliver(receiver)

    for document in documents:
        heard = [event for event, ref in receiver.heard() if ref == document.ref]
        assert heard == ["document.ready", "document.needs_attention", "document.ready"]
    assert (calls, receiver.forged, set(receiver.tries.values())) == (45, 0, {3})
    assert [(row.state, row.attempt) for row in log(hook)] == [("taken", 3)] * 15


def test_a_message_that_fails_holds_back_its_own_document_alone(cast: Cast) -> None:
    hook = make_hook(cast.scope(cast.ada))
    stuck, free = shared_documents(cast, 2)
    for state in ("ready", "attention"):
        for document in (stuck, free):
            become(document, state)
    bad = f"msg_{log(hook)[0].ref}"
    receiver = Receiver(store.secret(hook), lambda message, before: 500 if message == bad else 204)
    with serving(receiver) as server:
        worker.work_through(outside=server.outside())

    assert receiver.heard() == [("document.ready", free.ref), ("document.needs_attention", free.ref)]
    assert [(row.state, row.attempt) for row in log(hook) if row.subject_ref == stuck.ref] == [
        ("pending", 1),
        ("pending", 0),
    ]

    receiver.answers = lambda message, before: 204
    hurry()
    deliver(receiver)

    assert receiver.heard()[2:] == [("document.ready", stuck.ref), ("document.needs_attention", stuck.ref)]


def test_a_worker_that_dies_between_sending_and_keeping_sends_the_same_id_again(cast: Cast) -> None:
    hook = make_hook(cast.scope(cast.ada))
    (document,) = shared_documents(cast, 1)
    become(document, "ready")
    receiver = Receiver(store.secret(hook))
    with serving(receiver) as server:
        letter = sending.next_letter()
        assert letter is not None
        sending.send(letter, outside=server.outside())
        # kill -9 here: nothing is kept, and while the lease holds nobody else takes it
        assert sending.next_letter() is None
        Delivery.objects.using(OWNER).update(lease_until=timezone.now() - timedelta(seconds=1))
        worker.work_through(outside=server.outside())

    assert [message for message, _ in receiver.got] == [f"msg_{log(hook)[0].ref}"] * 2
    assert (log(hook)[0].state, log(hook)[0].attempt) == ("taken", 2)


def test_a_worker_that_comes_back_late_does_not_undo_what_another_kept(cast: Cast) -> None:
    hook = make_hook(cast.scope(cast.ada))
    become(shared_documents(cast, 1)[0], "ready")
    late = sending.next_letter()
    assert late is not None
    Delivery.objects.using(OWNER).update(lease_until=timezone.now() - timedelta(seconds=1))
    deliver(Receiver(store.secret(hook)))
    sending.settle(late, sending.Outcome(500, "portal.hook_refused", 1))

    assert (log(hook)[0].state, log(hook)[0].status) == ("taken", 204)


def test_the_next_try_waits_longer_each_time_with_jitter_and_as_long_as_the_receiver_asks(cast: Cast) -> None:
    for tries, base in ((1, 5), (2, 30), (5, 1800), (9, 21600), (40, 21600)):
        waits = {sending.jittered(tries) for _ in range(50)}
        assert len(waits) > 1
        assert all(0.8 * base <= wait <= 1.2 * base for wait in waits)
    hook = make_hook(cast.scope(cast.ada))
    become(shared_documents(cast, 1)[0], "ready")
    deliver(lambda *_: reply(429, b"", "Retry-After: 900"))

    wait = log(hook)[0].next_try_at - timezone.now()
    assert timedelta(seconds=880) < wait <= timedelta(seconds=900)


def test_a_message_is_given_up_after_three_days_and_the_webhook_is_switched_off_with_words(cast: Cast) -> None:
    hook = make_hook(cast.scope(cast.ada))
    first, second = shared_documents(cast, 2)
    become(first, "ready")
    become(second, "ready")
    rows = Delivery.objects.using(OWNER)
    assert all(abs(row.give_up_at - row.created_at - timedelta(days=3)) < timedelta(seconds=1) for row in rows.all())
    rows.filter(subject_ref=first.ref).update(give_up_at=timezone.now())
    with serving(lambda *_: reply(500)) as server:
        worker.work_through(outside=server.outside())

    hook.refresh_from_db(using=OWNER)
    assert (hook.off_why, hook.off_at is not None) == ("portal.hook_failing", True)
    assert {(row.state, row.problem) for row in log(hook)} == {
        ("failed", "portal.hook_refused"),
        ("failed", "portal.hook_off"),
    }
    assert AuditEvent.objects.using(OWNER).get(action="webhook.off").detail == {"why": "portal.hook_failing"}


def test_a_message_that_is_given_up_does_not_end_a_webhook_that_takes_others(cast: Cast) -> None:
    hook = make_hook(cast.scope(cast.ada))
    Webhook.objects.using(OWNER).update(taken_at=timezone.now())
    become(shared_documents(cast, 1)[0], "ready")
    Delivery.objects.using(OWNER).update(give_up_at=timezone.now())
    deliver(lambda *_: reply(500))

    hook.refresh_from_db(using=OWNER)
    assert (log(hook)[0].state, hook.off_at) == ("failed", None)


def test_a_test_message_is_tried_once_ends_nothing_and_holds_nothing_back(cast: Cast) -> None:
    hook = make_hook(cast.scope(cast.ada))
    store.ping(cast.scope(cast.ada), hook)
    store.ping(cast.scope(cast.ada), hook)
    held = [sending.next_letter() for _ in range(2)]
    Delivery.objects.using(OWNER).update(lease_until=None)
    deliver(lambda *_: reply(500))

    hook.refresh_from_db(using=OWNER)
    assert all(held)
    assert [(row.state, row.status) for row in log(hook)] == [("failed", 500)] * 2
    assert hook.off_at is None


def test_a_receiver_that_is_gone_for_good_ends_it_at_once(cast: Cast) -> None:
    hook = make_hook(cast.scope(cast.ada))
    Webhook.objects.using(OWNER).update(taken_at=timezone.now())
    store.ping(cast.scope(cast.ada), hook)
    deliver(lambda *_: reply(410))

    hook.refresh_from_db(using=OWNER)
    assert (hook.off_why, log(hook)[0].status) == ("portal.hook_gone", 410)


@pytest.mark.parametrize(
    ("url", "problem"),
    [
        ("http://127.0.0.1/", "portal.url_private"),
        ("http://169.254.169.254/latest/", "portal.url_private"),
        ("http://hooks.example.org:22/", "portal.url_port"),
    ],
)
def test_an_address_that_leads_inside_is_never_called(cast: Cast, url: str, problem: str) -> None:
    hook = make_hook(cast.scope(cast.ada))
    Webhook.objects.using(OWNER).update(url=url)
    store.ping(cast.scope(cast.ada), hook)
    receiver = Receiver(store.secret(hook))
    deliver(receiver, rounds=0)
    with serving(receiver) as server:
        worker.work_through(outside=server.outside())

    assert (receiver.got, log(hook)[0].problem, log(hook)[0].status) == ([], problem, None)


def test_a_redirect_is_not_followed(cast: Cast) -> None:
    hook = make_hook(cast.scope(cast.ada))
    store.ping(cast.scope(cast.ada), hook)
    asked: list[str] = []

    def answer(path: str, *_: Any) -> bytes:
        asked.append(path)
        return reply(302, b"", "Location: http://hooks.example.org/elsewhere")

    with serving(answer) as server:
        worker.work_through(outside=server.outside())

    assert (asked, log(hook)[0].status, log(hook)[0].state) == (["/footnote"], 302, "failed")


def test_what_is_given_up_can_be_sent_again_under_the_same_id(cast: Cast) -> None:
    scope = cast.scope(cast.ada)
    hook = make_hook(scope)
    become(shared_documents(cast, 1)[0], "ready")
    Delivery.objects.using(OWNER).update(state="failed", settled_at=timezone.now(), problem="portal.hook_refused")
    ref = log(hook)[0].ref
    receiver = Receiver(store.secret(hook))

    assert store.send_again(scope, hook, since=timezone.now()) == 0
    assert store.send_again(scope, hook) == 1
    deliver(receiver)
    assert store.send_again(scope, hook, ref=ref) == 1
    deliver(receiver)

    assert [message for message, _ in receiver.got] == [f"msg_{ref}"] * 2
    with pytest.raises(UserProblem):
        store.send_again(scope, hook, ref="0" * 18)


def test_names_are_those_of_now_and_a_purged_one_has_none(cast: Cast) -> None:
    scope = cast.scope(cast.ada)
    hook = make_hook(scope)
    (document,) = shared_documents(cast, 1)
    become(document, "ready")
    with principal(scope):
        lifecycle.purge(scope, document)
    receiver = Receiver(store.secret(hook))
    deliver(receiver)

    assert [(event, said["data"]["document"]["name"]) for event, said in ((s["type"], s) for _, s in receiver.got)] == [
        ("document.ready", lifecycle.PURGED),
        ("document.deleted", lifecycle.PURGED),
    ]
    kept = json.dumps(list(Delivery.objects.using(OWNER).values("event", "subject_ref", "told", "problem")))
    assert "0.md" not in kept


def test_what_left_the_makers_sight_before_it_was_sent_is_not_sent(cast: Cast) -> None:
    hook = make_hook(cast.scope(cast.ada))
    document = shared_documents(cast, 1)[0]
    own = add_document(cast.scope(cast.ada), cast.private(cast.ada).pk, "own.md")
    become(document, "ready")
    become(own, "ready")
    Membership.objects.using(OWNER).filter(workspace=cast.north, user=cast.ada).update(role="editor")
    receiver = Receiver(store.secret(hook))
    deliver(receiver)

    assert (receiver.got, {(row.state, row.problem) for row in log(hook)}) == ([], {("failed", "portal.hook_unheard")})


def test_a_replaced_secret_signs_beside_the_new_one_for_a_day(cast: Cast) -> None:
    scope = cast.scope(cast.ada)
    hook = make_hook(scope)
    old = store.secret(hook)
    new = store.secret(store.replace_secret(scope, hook))
    store.ping(scope, hook)
    both = Receiver(old)
    deliver(both)
    Webhook.objects.using(OWNER).update(old_until=F("old_until") - timedelta(days=1))
    store.ping(scope, hook)
    after_old, after_new = Receiver(old), Receiver(new)
    deliver(lambda *asked: after_old(*asked) and after_new(*asked))

    assert old != new
    assert (both.forged, after_old.forged, after_new.forged) == (0, 1, 0)


def test_a_slow_receiver_leaves_room_for_others(cast: Cast) -> None:
    slow, quick = make_hook(cast.scope(cast.ada)), make_hook(cast.scope(cast.cy))
    for _ in range(6):
        store.ping(cast.scope(cast.ada), slow)
    Delivery.objects.using(OWNER).update(subject_ref=F("ref"))
    store.ping(cast.scope(cast.cy), quick)
    claimed = [letter for _ in range(4) if (letter := sending.next_letter())]

    assert [letter.hook.pk for letter in claimed] == [slow.pk, slow.pk, quick.pk]


def test_settled_messages_are_kept_a_month(cast: Cast) -> None:
    scope = cast.scope(cast.ada)
    hook = make_hook(scope)
    for _ in range(3):
        store.ping(scope, hook)
    old, young, waiting = log(hook)
    rows = Delivery.objects.using(OWNER)
    rows.filter(pk=old.pk).update(state="taken", settled_at=timezone.now() - timedelta(days=31))
    rows.filter(pk=young.pk).update(state="taken", settled_at=timezone.now() - timedelta(days=29))

    assert worker.sweep() == 1
    assert [row.pk for row in log(hook)] == [young.pk, waiting.pk]
    assert Document.objects.using(OWNER).count() == 0
