"""The Webhooks pages: for owners, without script, with words for what happened."""

from __future__ import annotations

import html
import re
from typing import Any

from django.test import Client
from django.utils import timezone

from portal.hooks import store, worker
from portal.models import Delivery, Webhook
from tests.conftest import Cast
from tests.documents.making import signed_in
from tests.hooks.making import OWNER, Receiver, become, log, make_hook, shared_documents
from tests.outgoing.server import reply, serving

NUMBERED = "https://93.184.215.14/footnote"
SECRET = re.compile(r"whsec_[A-Za-z0-9+/]{43}=")


def text(response: Any) -> str:
    return html.unescape(response.content.decode())


def make(client: Client, **form: Any) -> Any:
    return client.post("/webhooks/", {"name": "Build", "url": NUMBERED, "event": ["document.ready"], **form})


def test_a_webhook_is_made_on_the_page_and_its_secret_shown_once(cast: Cast) -> None:
    ada = signed_in(cast.ada)

    page = make(ada)
    hook = Webhook.objects.using(OWNER).get()

    assert SECRET.findall(text(page)) == [store.secret(hook)]
    assert SECRET.findall(text(ada.get(f"/webhooks/{hook.ref}/"))) == []
    assert "Build" in text(ada.get("/webhooks/"))
    assert (hook.url, hook.events) == (NUMBERED, ["document.ready"])


def test_what_cannot_be_saved_is_said_and_what_was_typed_stays(cast: Cast) -> None:
    ada = signed_in(cast.ada)
    for form, words in (
        ({"url": "https://10.0.0.7/inside"}, "private network"),
        ({"url": "http://93.184.215.14/"}, "not encrypted"),
        ({"event": []}, "at least one event"),
        ({"name": " "}, "no name"),
    ):
        page = make(ada, **form)
        assert page.status_code == 422
        assert words in text(page)
        assert str(form.get("url", NUMBERED)) in text(page)
    assert not Webhook.objects.using(OWNER).exists()


def test_the_log_says_what_became_of_each_message_and_sends_it_again(cast: Cast) -> None:
    ada = signed_in(cast.ada)
    hook = make_hook(cast.scope(cast.ada))
    ada.post(f"/webhooks/{hook.ref}/ping/")
    become(shared_documents(cast, 1)[0], "ready")
    with serving(lambda *_: reply(503)) as server:
        worker.work_through(outside=server.outside())
    waiting = text(ada.get(f"/webhooks/{hook.ref}/"))
    Delivery.objects.using(OWNER).update(state="failed", settled_at=timezone.now())
    page = ada.post(f"/webhooks/{hook.ref}/replay/", follow=True)
    receiver = Receiver(store.secret(hook))
    with serving(receiver) as server:
        worker.work_through(outside=server.outside())

    assert "The receiver did not take it." in waiting
    assert "On its way, 503" in waiting
    assert "Given up, 503" in waiting
    assert "2 messages are sent again." in text(page)
    assert len(receiver.got) == 2
    assert text(ada.get(f"/webhooks/{hook.ref}/")).count("Taken, 204") == 2
    assert "0.md" not in waiting


def test_one_that_was_switched_off_says_why_and_is_switched_on(cast: Cast) -> None:
    ada = signed_in(cast.ada)
    hook = make_hook(cast.scope(cast.ada))
    Webhook.objects.using(OWNER).update(off_at=timezone.now(), off_why="portal.hook_failing")

    off = [text(ada.get(path)) for path in ("/webhooks/", f"/webhooks/{hook.ref}/")]
    ada.post(f"/webhooks/{hook.ref}/switch/", {"to": "on"})

    assert all("took nothing for three days" in page for page in off)
    assert Webhook.objects.using(OWNER).get().off_at is None


def test_it_is_changed_resealed_and_deleted(cast: Cast) -> None:
    ada = signed_in(cast.ada)
    hook = make_hook(cast.scope(cast.ada))
    path = f"/webhooks/{hook.ref}/"
    ada.post(path, {"name": "Chat", "url": NUMBERED, "event": ["run.finished"]})
    resealed = ada.post(f"{path}secret/")
    hook.refresh_from_db(using=OWNER)

    assert (hook.name, hook.url, hook.events) == ("Chat", NUMBERED, ["run.finished"])
    assert SECRET.findall(text(resealed)) == [store.secret(hook)]
    assert "Delete the webhook Chat?" in text(ada.get(f"{path}delete/"))
    ada.post(f"{path}delete/")
    assert not Webhook.objects.using(OWNER).exists()


def test_another_owner_sees_it_without_its_log_and_members_see_nothing(cast: Cast) -> None:
    hook = make_hook(cast.scope(cast.ada))
    become(shared_documents(cast, 1)[0], "ready")
    seen = text(signed_in(cast.root).get(f"/webhooks/{hook.ref}/"))

    assert "only its maker changes it" in seen
    assert log(hook)[0].subject_ref not in seen
    assert signed_in(cast.ben).get("/webhooks/").status_code == 403
    assert signed_in(cast.cy).get(f"/webhooks/{hook.ref}/").status_code == 404
