"""The portal with a fault to order: where STATE_DIR/crash-at says so, a stage of ask() ends in an error that quotes the question.

`<stage>` raises an exception whose message, cause and locals hold the text; `sql:<stage>` lets PostgreSQL refuse a statement
that has it as its parameter; `dead:<stage>` aborts the process.
"""

from __future__ import annotations

import os
from typing import Any

from django.conf import settings
from django.db import connections

from portal.asgi import application as portal

import answers.ask as walk  # isort: skip  (after Django is set up)
from portal.scope import principal  # isort: skip

begin = walk._Clock.next


def next_or_crash(self: Any, name: Any, at: Any) -> Any:
    ordered = settings.STATE_DIR / "crash-at"
    kind, _, stage = (ordered.read_text() if ordered.exists() else "").rpartition(":")
    if stage == name:
        end(kind, at.scope, at.asked.text)
    return begin(self, name, at)


def end(kind: str, scope: Any, question: str) -> None:
    told = {"question": question, "words": question.split()}
    if kind == "dead":
        os.abort()
    if kind == "sql":
        with principal(scope, using="serve"), connections["serve"].cursor() as cursor:
            cursor.execute("SELECT (%s::text)::integer", [question])
    try:
        raise KeyError(told["question"])  # noqa: TRY301
    except KeyError as inner:
        raise ValueError(f"cannot go on with {question!r}") from inner


walk._Clock.next = next_or_crash  # type: ignore[method-assign,assignment]


async def application(scope: dict[str, Any], receive: Any, send: Any) -> None:
    await portal(scope, receive, send)
