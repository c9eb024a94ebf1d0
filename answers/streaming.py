"""An answer as a stream of events: `stage`, `token`, `void`, and exactly one `meta`, last.

Every stream follows the answer by its ref: while it is written in this process by being woken, in another one by looking at
what is saved, afterwards from what is kept. A token's id says how much text it completes, so a reconnect goes on from there,
whichever process it reaches, and never asks a model again.
"""

from __future__ import annotations

import asyncio
import json
import zlib
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final, TypeVar

from asgiref.sync import sync_to_async
from django.core.handlers.asgi import ASGIRequest
from django.http import Http404, HttpRequest, StreamingHttpResponse

from answers import live
from answers.live import Live
from answers.models import Answer, LiveAnswer, Trace
from answers.programs import show_question
from portal.events import Log
from portal.problems import problem_document
from portal.scope import Scope, principal

log = Log("answers.streaming")
T = TypeVar("T")
HEARTBEAT_S: Final = 10.0
LOOK_S: Final = 0.3
"""How often a stream looks at what another process saved."""

TOUCH_S: Final = 3.0
COALESCE_S: Final = 0.03
"""Tokens that come within this time travel together."""

HEADERS: Final[Mapping[str, str]] = {
    "Cache-Control": "no-store, no-transform",
    "X-Accel-Buffering": "no",
    "Content-Encoding": "identity",
}


@dataclass(frozen=True, slots=True)
class Told:
    """One event. `data` is JSON; `id` only of tokens."""

    name: str
    data: Mapping[str, Any]
    id: str = ""

    def encode(self) -> bytes:
        head = f"id: {self.id}\n" if self.id else ""
        return (
            f"{head}event: {self.name}\ndata: {json.dumps(self.data, ensure_ascii=False, default=_plain)}\n\n".encode()
        )


def _plain(value: object) -> str:
    """Times as RFC 3339 writes them."""
    return value.isoformat() if isinstance(value, datetime) else str(value)


@dataclass(slots=True)
class Place:
    """How far a reader is: so many characters, with this checksum."""

    length: int = 0
    checksum: int = 0
    stage: str = ""

    @classmethod
    def read(cls, last_event_id: str) -> Place:
        """From the id of the last event that arrived; the beginning when it is none of ours."""
        length, _, checksum = last_event_id.partition("-")
        if not (length.isdigit() and len(length) < 8 and checksum.isalnum() and len(checksum) <= 8):
            return cls()
        try:
            return cls(int(length), int(checksum, 16))
        except ValueError:
            return cls()

    def tell(self, text: str) -> Iterator[Told]:
        """What is new in the text; a Void first when it does not begin with what was told before."""
        if self.length > len(text) or zlib.crc32(text[: self.length].encode()) != (self.checksum if self.length else 0):
            self.length = self.checksum = 0
            yield Told("void", {})
        if len(text) > self.length:
            piece = text[self.length :]
            self.checksum = zlib.crc32(piece.encode(), self.checksum if self.length else 0)
            self.length = len(text)
            yield Told("token", {"text": piece}, f"{self.length}-{self.checksum:x}")

    def tell_stage(self, name: str, count: int = 0) -> Iterator[Told]:
        if name and name != self.stage:
            self.stage = name
            yield Told("stage", {"name": name, "count": count})


async def in_thread(work: Callable[..., T], *args: Any) -> T:
    """Run in a thread of the pool that holds no database connection afterwards: streams outlast transactions."""

    def released() -> T:
        try:
            return work(*args)
        finally:
            live.release_connections()

    return await sync_to_async(released, thread_sensitive=False)()


async def follow(scope: Scope, ref: str, place: Place) -> AsyncGenerator[Told | None, None]:
    """The rest of the answer from `place`; None where nothing happened for HEARTBEAT_S. Ends with the meta event."""
    running = live.running(scope, ref)
    source = _woken(running, place) if running is not None else _looking(scope, ref, place)
    async for told in source:
        yield told
    meta, text = await in_thread(_meta, scope, ref)
    if text is not None:
        for told in place.tell(text):
            yield told
    yield Told("meta", meta)


async def _woken(running: Live, place: Place) -> AsyncIterator[Told | None]:
    loop, changed = asyncio.get_running_loop(), asyncio.Event()

    def wake() -> None:
        loop.call_soon_threadsafe(changed.set)

    running.watch(wake)
    try:
        while True:
            changed.clear()
            is_over = running.is_over
            for told in place.tell_stage(running.stage, running.count):
                yield told
            for told in place.tell(running.text):
                yield told
            if is_over:
                return
            try:
                async with asyncio.timeout(HEARTBEAT_S):
                    await changed.wait()
            except TimeoutError:
                yield None
            else:
                await asyncio.sleep(COALESCE_S)
    finally:
        running.unwatch(wake)


async def _looking(scope: Scope, ref: str, place: Place) -> AsyncIterator[Told | None]:
    """Written by another process, or not any more."""
    quiet_s = touched_s = 0.0
    while True:
        row = await in_thread(_saved, scope, ref, touched_s == 0.0)
        if row is None:
            return
        news = [*place.tell_stage(row.stage), *(place.tell(row.partial) if row.partial or place.length else ())]
        for told in news:
            yield told
        quiet_s = 0.0 if news else quiet_s + LOOK_S
        if quiet_s >= HEARTBEAT_S:
            quiet_s = 0.0
            yield None
        await asyncio.sleep(LOOK_S)
        touched_s = 0.0 if touched_s + LOOK_S >= TOUCH_S else touched_s + LOOK_S


def _saved(scope: Scope, ref: str, is_to_touch: bool) -> LiveAnswer | None:
    """The live row while somebody writes it."""
    with principal(scope):
        row = live.row_of(scope, ref)
    if row is None or row.state == row.State.FAILED or live.is_lost(row):
        return None
    if is_to_touch:
        live.watched(scope, ref)
    return row


def _meta(scope: Scope, ref: str) -> tuple[dict[str, Any], str | None]:
    """The last event's data, and the text that stands before it: None where nothing replaces what was streamed."""
    with principal(scope):
        answer = Answer.objects.visible_to(scope).select_related("question").filter(ref=ref).first()
        if answer is None:
            row = live.row_of(scope, ref)
            if row is None:
                return {"ref": ref, "outcome": "gone", "problem": problem_document("portal.not_found")}, None
            code = row.problem or "answers.interrupted"
            return {"ref": ref, "outcome": "failed", "problem": problem_document(code)}, row.partial or None
        shown = show_question(scope, answer.question, answer)
        stages = Trace.objects.visible_to(scope).filter(answer=answer).values_list("stages", flat=True).first() or []
    timings = {stage["name"]: stage["ms"] for stage in stages if "ms" in stage and "." not in str(stage.get("name"))}
    asked = {name: shown[name] for name in ("question", "typed", "completed_by", "conversation")}
    meta = {**shown["answer"], "question_ref": shown["ref"], **asked, "timings_ms": timings}
    return meta, str(meta["text"]) if answer.outcome == Answer.Outcome.ANSWERED else None


def exists(scope: Scope, ref: str) -> bool:
    """Whether a ref is one of the person's answers, kept or on its way.

    On its way is asked first: an answer takes that row's place, so whoever finds neither in this order finds nothing.
    """
    with principal(scope):
        if live.row_of(scope, ref) is not None:
            return True
        return bool(Answer.objects.visible_to(scope).filter(ref=ref).exists())


def event_stream(
    request: HttpRequest, told: AsyncIterator[bytes], headers: Mapping[str, str] | None = None
) -> StreamingHttpResponse:
    """The response of a stream, under ASGI; a WSGI server gets the same bytes, one thread to a stream."""
    content: Any = told if isinstance(request, ASGIRequest) else _blocking(told)
    response = StreamingHttpResponse(content, content_type="text/event-stream")
    for name, value in {**HEADERS, **(headers or {})}.items():
        response.headers[name] = value
    return response


async def encoded(told: AsyncIterator[Told | None]) -> AsyncIterator[bytes]:
    """Bytes for a browser: how soon to come back, the events, a comment where there is none for long."""
    yield b"retry: 1500\n\n"
    async for event in told:
        yield b": still writing\n\n" if event is None else event.encode()


def _blocking(told: AsyncIterator[bytes]) -> Iterator[bytes]:
    loop = asyncio.new_event_loop()
    try:
        while True:
            try:
                yield loop.run_until_complete(anext(told))
            except StopAsyncIteration:
                return
    finally:
        loop.close()


async def stream_of(request: HttpRequest, scope: Scope, ref: str) -> StreamingHttpResponse:
    """The stream of one of the person's answers, from the Last-Event-ID on. Raises Http404 for any other ref."""
    if not await in_thread(exists, scope, ref):
        raise Http404
    place = Place.read(request.headers.get("Last-Event-ID", ""))
    return event_stream(request, encoded(follow(scope, ref, place)))
