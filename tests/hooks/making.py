"""Webhooks of ada's, documents to tell of, and a receiver that checks what it gets as the documentation says."""

from __future__ import annotations

import base64
import hmac
import io
import json
import threading
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlencode

from django.test import Client
from django.utils import timezone

from documents.models import Document
from documents.upload import Accepted, accept
from portal.hooks import store
from portal.keys import make_key
from portal.models import Delivery, User, Webhook
from portal.scope import Scope
from tests.conftest import Cast
from tests.outgoing.server import PUBLIC, reply

OWNER = "owner"
URL = "http://hooks.example.org/footnote"
EVERY = tuple(store.EVENTS)


@dataclass(frozen=True, slots=True)
class Caller:
    """A program with a key, that may send headers and a query."""

    key: str

    def send(self, method: str, path: str, body: Any = None, *, headers: dict[str, str] | None = None) -> Any:
        return Client().generic(
            method,
            f"/api/v1{path}",
            json.dumps(body) if body is not None else "",
            content_type="application/json",
            headers={"Authorization": f"Bearer {self.key}", **(headers or {})},
        )

    def get(self, path: str, query: dict[str, str] | None = None) -> Any:
        return self.send("GET", f"{path}?{urlencode(query)}" if query else path)

    def post(self, path: str, body: Any = None, **more: Any) -> Any:
        return self.send("POST", path, body, **more)

    def patch(self, path: str, body: Any, **more: Any) -> Any:
        return self.send("PATCH", path, body, **more)

    def delete(self, path: str, **more: Any) -> Any:
        return self.send("DELETE", path, **more)


def caller(cast: Cast, user: User, *scopes: str, collections: Sequence[int] | None = None) -> Caller:
    _, key = make_key(cast.scope(user), "test", scopes=scopes or ("admin",), collection_ids=collections)
    return Caller(key)


def public(host: str, port: int) -> Sequence[str]:
    return (PUBLIC,)


def make_hook(
    scope: Scope, *, events: Sequence[str] = EVERY, url: str = "https://hooks.example.org/footnote"
) -> Webhook:
    hook = store.make(scope, name="Build", url=url, events=events, look_up=public)
    # The receivers of these tests speak plain HTTP; what a certificate must be is held by tests/outgoing.
    Webhook.objects.using(OWNER).filter(pk=hook.pk).update(url=url.replace("https://", "http://"))
    return hook


def add_document(scope: Scope, collection_id: int, name: str) -> Document:
    data = f"# {name}\nA secret sentence of {name}.".encode()
    made = accept(scope, collection_id, name=name, file=io.BytesIO(data), size_bytes=len(data))
    assert isinstance(made, Accepted)
    return Document.objects.using(OWNER).get(ref=made.document_ref)


def become(document: Document, state: str, **values: Any) -> None:
    Document.objects.using(OWNER).filter(pk=document.pk).update(state=state, **values)


def shared_documents(cast: Cast, count: int) -> list[Document]:
    scope = cast.scope(cast.ada)
    return [add_document(scope, cast.shared(cast.north).pk, f"{number}.md") for number in range(count)]


def log(hook: Webhook) -> list[Delivery]:
    return list(Delivery.objects.using(OWNER).filter(hook=hook).order_by("id"))


def hurry() -> None:
    """What waits for its next try is due."""
    Delivery.objects.using(OWNER).filter(state="pending").update(next_try_at=timezone.now(), lease_until=None)


def at_once(tries: int) -> float:
    return 0.0


@dataclass(slots=True)
class Receiver:
    """Takes a message, or refuses as `answers` says of (message id, how many times it came before)."""

    secret: str
    answers: Callable[[str, int], int] = lambda message, before: 204
    got: list[tuple[str, dict[str, Any]]] = field(default_factory=list)
    tries: Counter[str] = field(default_factory=Counter)
    forged: int = 0
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def __call__(self, path: str, headers: dict[str, str], body: bytes) -> bytes:
        message = headers["webhook-id"]
        with self._lock:
            self.forged += not is_genuine(self.secret, headers, body)
            status = self.answers(message, self.tries[message])
            self.tries[message] += 1
            if 200 <= status < 300:
                self.got.append((message, json.loads(body)))
        return reply(status)

    def heard(self, kind: str = "document") -> list[tuple[str, str]]:
        """(event, ref) in the order in which they were taken."""
        return [(said["type"], said["data"].get(kind, {}).get("ref", "")) for _, said in self.got]


def is_genuine(secret: str, headers: dict[str, str], body: bytes) -> bool:
    """Written out as a receiver would, and not with ours."""
    key = base64.b64decode(secret.removeprefix("whsec_"))
    signed = f"{headers['webhook-id']}.{headers['webhook-timestamp']}.".encode() + body
    expected = "v1," + base64.b64encode(hmac.digest(key, signed, "sha256")).decode()
    return any(hmac.compare_digest(expected, one) for one in headers["webhook-signature"].split())
