"""P1's machinery: sends one request as everybody who may not, compares with an id that never was, then as who may."""

from __future__ import annotations

import functools
import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from io import BytesIO
from typing import Any
from urllib.parse import urlencode

from django.conf import settings
from django.test import Client
from django.test.client import BOUNDARY, encode_multipart

from tests.isolation.targets import Target, never

NOISE = (
    (re.compile(r'"ms":[0-9.]+|\b(?:[0-9]+|under 1) ms\b'), "time"),
    (re.compile(r'name="csrfmiddlewaretoken" value="[^"]*"'), "TOKEN"),
    (re.compile(r"[0-9a-f]{18}"), "REF"),
    (re.compile(r"/\d+/"), "/ID/"),
    (re.compile(r"\b9000\d{6}\b"), "ID"),
    (re.compile(r'datetime="[^"]*"|\b\d+(\.\d+)? ms\b'), "TIME"),
)


@dataclass(frozen=True, slots=True)
class Sent:
    """One request. `files` are name → (file name, bytes)."""

    method: str
    path: str
    query: Mapping[str, str] = field(default_factory=dict)
    form: Mapping[str, Any] | None = None
    body: Any = None
    files: Mapping[str, tuple[str, bytes]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Case:
    """A rightful request and how one sees that it was: by the canary in its answer, or by what it did.

    `send(mine, aimed)`: `mine` are the sender's own things, `aimed` those that the request reaches for; the rightful sender
    is both. `needs` is the key scope of an API route. `fresh` is the state of the document made for this case alone.
    `mixed` names an own thing and another's; `has_part` answers htmx with a part of the page; `by_role` lets every editor
    change what they see, not only where the collection is theirs to change. `any_scope`: every key may, whatever its scopes.
    """

    route: str
    name: str
    send: Callable[[Target, Target], Sent]
    aims: tuple[str, ...]
    shows: str = ""
    did: Callable[[Target], bool] | None = None
    needs: str = ""
    fresh: str = ""
    is_list: bool = False
    is_write: bool = False
    mixed: bool = False
    follows: bool = False
    has_part: bool = False
    by_role: bool = False
    any_scope: bool = False

    @property
    def names_aimed(self) -> bool:
        """Whether the request differs with whom it is aimed at."""
        one, other = never(), never()
        return self.send(one, one) != self.send(one, other)

    @property
    def is_api(self) -> bool:
        return bool(self.needs)

    @property
    def id(self) -> str:
        return f"{self.route} {self.name}"


@dataclass(frozen=True, slots=True)
class Answer:
    """A response made comparable; `raw` is everything a reader gets, headers and cookies too."""

    status: int
    location: str
    text: str
    raw: str


@dataclass(frozen=True, slots=True)
class Credential:
    """A cookie, a key, or neither; `who` decides which canaries are foreign."""

    name: str
    who: str
    cookie: str = ""
    key: str = ""
    headers: Mapping[str, str] = field(default_factory=dict)


@functools.cache
def browser() -> Client:
    return Client(raise_request_exception=False)


def ask_as(credential: Credential, sent: Sent, *, follows: bool = False, htmx: bool = False) -> Answer:
    """Through every middleware, with cookies of its own. One handler serves all: to load one costs more than a request."""
    client = browser()
    client.cookies.clear()
    if credential.cookie:
        client.cookies[settings.SESSION_COOKIE_NAME] = credential.cookie
    headers = dict(credential.headers)
    if credential.key:
        headers["Authorization"] = f"Bearer {credential.key}"
    if htmx:
        headers["HX-Request"] = "true"
    response = client.generic(sent.method, _path(sent), headers=headers, **_body(client, sent))
    first = response.status_code
    if (
        follows
        and credential.cookie
        and first in (302, 204)
        and (target := response.headers.get("Location") or response.headers.get("HX-Redirect"))
    ):
        response = client.get(target, headers=headers)
    return _comparable(response, first)


def _path(sent: Sent) -> str:
    return f"{sent.path}?{urlencode(sent.query)}" if sent.query else sent.path


def _body(client: Client, sent: Sent) -> dict[str, Any]:
    if sent.body is not None:
        return {"data": json.dumps(sent.body), "content_type": "application/json"}
    if sent.form is None and not sent.files:
        return {}
    data: dict[str, Any] = dict(sent.form or {})
    for name, (file_name, content) in sent.files.items():
        data[name] = BytesIO(content)
        data[name].name = file_name
    return {
        "data": encode_multipart(BOUNDARY, data),
        "content_type": f"multipart/form-data; boundary={BOUNDARY}",
    }


def _comparable(response: Any, status: int) -> Answer:
    body = b"".join(response.streaming_content) if response.streaming else response.content
    text = body.decode("utf-8", "replace")
    headers = " ".join(f"{name}: {value}" for name, value in response.headers.items())
    location = response.headers.get("Location", "") + response.headers.get("HX-Redirect", "")
    raw = f"{headers}\n{response.cookies.output()}\n{text}"
    return Answer(status, _quiet(location), _quiet(text), raw)


def _quiet(text: str) -> str:
    for pattern, word in NOISE:
        text = pattern.sub(word, text)
    return text
