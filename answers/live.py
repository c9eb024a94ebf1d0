"""Answers on their way: written by a thread, followed by any number of streams, replayed by any process.

A question begins as a LiveAnswer row under the ref that its answer will have. Its runner, one thread of the process that took
the question, walks `ask()`, saves what is written at least every SAVE_S, and replaces the row by the kept answer in one
transaction. It gives up when it is told to stop, when the page said that it closes and nobody came back, or when nobody has
followed for UNWATCHED_S. No database connection is held between two saves.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, cast

from django.conf import settings as django_settings
from django.db import connections
from django.utils import timezone

from answers import ask as walk
from answers import conversation, history
from answers.model_writer import writer_for
from answers.models import Answer, LiveAnswer
from answers.rules import guard, question
from answers.writers import Piece, Void, Writer, Written
from portal.events import Log
from portal.limits import admit_freely
from portal.problems import SystemProblem, UserProblem
from portal.scope import Scope, principal
from retrieval.ranking.evidence import Passage

log = Log("answers.live")
SAVE_S: Final = 0.4
LEFT_S: Final = 1.2
"""A page that said it closes may be one that reloads: it has this long to come back."""

UNWATCHED_S: Final = 10.0
LOST_S: Final = 30.0
"""A runner that has said nothing for so long is gone with its process."""

MOST: Final = 256
Wake = Callable[[], None]


@dataclass(slots=True)
class Live:
    """One running answer, as the streams of this process see it. `version` grows with every change."""

    scope: Scope
    ref: str
    stage: str = ""
    count: int = 0
    text: str = ""
    version: int = 0
    is_over: bool = False
    problem: str = ""
    document_ids: tuple[int, ...] = ()
    is_stopping: bool = False
    left_at: float | None = None
    watched_at: float = field(default_factory=time.monotonic)
    saved_at: float = 0.0
    watchers: set[Wake] = field(default_factory=set)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def change(self, **values: Any) -> None:
        with self.lock:
            for name, value in values.items():
                setattr(self, name, value)
            self.version += 1
            waiting = tuple(self.watchers)
        for wake in waiting:
            wake()

    def watch(self, wake: Wake) -> None:
        with self.lock:
            self.watchers.add(wake)
            self.left_at = None

    def unwatch(self, wake: Wake) -> None:
        with self.lock:
            self.watchers.discard(wake)
            self.watched_at = time.monotonic()

    def is_given_up(self) -> bool:
        """Whether there is nobody to write for any more."""
        now = time.monotonic()
        if self.watchers:
            self.watched_at = now
        is_left = self.left_at is not None and now - self.left_at > LEFT_S
        return self.is_stopping or is_left or now - self.watched_at > UNWATCHED_S


_running: dict[str, Live] = {}


def begin(
    scope: Scope,
    text: str,
    *,
    collection_ids: tuple[int, ...] | None,
    talk: conversation.Conversation = conversation.ALONE,
    previous: str = "",
) -> Live:
    """Take the question and start to answer it. Raises UserProblem for a text that is none, or when too much is going on.

    The caller has counted the question (portal.limits). `previous` is the ref that `talk` was found by: whoever asks again
    after a failure asks in the same conversation.
    """
    asked = conversation.read(text, talk)
    if isinstance(asked, question.Invalid):
        raise UserProblem(asked.code)
    if len(_running) >= MOST:
        raise UserProblem("answers.too_busy")
    with principal(scope):
        row = LiveAnswer.objects.create_for(
            scope,
            text=question.tidy(text),
            previous=previous,
            as_written=talk.as_written,
            collection_ids=list(collection_ids or scope.collection_ids),
            is_chosen=collection_ids is not None,
            state=LiveAnswer.State.RUNNING,
        )
    live = Live(scope, row.ref)
    _running[row.ref] = live
    threading.Thread(target=_run, args=(live, text, collection_ids, talk), name="answer", daemon=True).start()
    return live


def running(scope: Scope, ref: str) -> Live | None:
    """The answer that this process is writing, if it is this person's, through the same key or none."""
    live = _running.get(ref)
    is_own = live is not None and (live.scope.workspace_id, live.scope.user_id, live.scope.api_key_id) == (
        scope.workspace_id,
        scope.user_id,
        scope.api_key_id,
    )
    return live if is_own else None


def row_of(scope: Scope, ref: str) -> LiveAnswer | None:
    """Needs an open principal."""
    row: LiveAnswer | None = LiveAnswer.objects.visible_to(scope).filter(ref=ref).first()
    return row


def is_lost(row: LiveAnswer) -> bool:
    """Its process is gone: what was saved is all there will be."""
    return (timezone.now() - row.saved_at).total_seconds() > LOST_S


def stop(scope: Scope, ref: str, *, is_leaving: bool = False) -> bool:
    """Ask for an end: at once, or when a closing page does not come back. False when there is nothing to stop."""
    live = running(scope, ref)
    if live is not None:
        if is_leaving:
            live.left_at = time.monotonic()
        else:
            live.is_stopping = True
    with principal(scope):
        rows = LiveAnswer.objects.visible_to(scope).filter(ref=ref)
        changed = rows.update(leaving_at=timezone.now()) if is_leaving else rows.update(is_stopping=True)
    return bool(changed)


def leave(scope: Scope, ref: str) -> None:
    """Its only reader is gone and cannot come back: the answer ends within LEFT_S. Waits for nothing."""
    live = running(scope, ref)
    if live is not None:
        live.left_at = time.monotonic()


def watched(scope: Scope, ref: str) -> None:
    """A stream of another process follows."""
    with principal(scope):
        LiveAnswer.objects.visible_to(scope).filter(ref=ref).update(watched_at=timezone.now(), leaving_at=None)


def release_connections() -> None:
    """A thread that waits for a model, or for nobody, holds no connection of the pool."""
    for connection in connections.all(initialized_only=True):
        if not connection.in_atomic_block:
            connection.close()


# ---- the runner


@dataclass(frozen=True, slots=True)
class Noting:
    """A writer whose answer on its way knows which documents it is written from."""

    writer: Writer
    live: Live

    def write(self, scope: Scope, asked: question.Question, passages: Sequence[Passage]) -> Iterator[Piece | Written]:
        self.live.document_ids = tuple(sorted({passage.document_id for passage in passages}))
        with principal(scope):
            LiveAnswer.objects.visible_to(scope).filter(ref=self.live.ref).update(
                document_ids=list(self.live.document_ids)
            )
        release_connections()
        yield from self.writer.write(scope, asked, passages)

    def complete(self, scope: Scope, text: str, earlier: Sequence[str]) -> str:
        return self.writer.complete(scope, text, earlier) if isinstance(self.writer, conversation.Completes) else ""


def _run(live: Live, text: str, collection_ids: tuple[int, ...] | None, talk: conversation.Conversation) -> None:
    try:
        _walk(live, text, collection_ids, talk)
        live.change(is_over=True)
    except Exception as error:  # noqa: BLE001 (the boundary of a thread: whoever follows must hear of its end)
        code = error.code if isinstance(error, UserProblem | SystemProblem) else "portal.unknown"
        log.failure("live.failed", answer=live.ref, code=code)
        _fail(live, code)
        live.change(is_over=True, problem=code)
    finally:
        _running.pop(live.ref, None)
        release_connections()


def _walk(live: Live, text: str, collection_ids: tuple[int, ...] | None, talk: conversation.Conversation) -> None:
    options = walk.AskSettings(collection_ids=collection_ids, guard_mode=cast("guard.Mode", django_settings.GUARD_MODE))
    writer = Noting(writer_for(live.scope, stop=lambda: _tick(live)), live)
    events = walk.ask(
        live.scope,
        text,
        settings=options,
        now=timezone.now(),
        keep=lambda done, total_ms: _keep(live, done, total_ms),
        writer=writer,
        admit=admit_freely,
        talk=talk,
    )
    for event in events:
        if isinstance(event, walk.Stage):
            live.change(stage=event.name, count=event.count)
            if event.name in ("rewrite", "write"):
                release_connections()
        elif isinstance(event, walk.Token):
            live.change(text=live.text + event.text)
        elif isinstance(event, Void):
            live.change(text="")


def _keep(live: Live, done: walk.Walk, total_ms: int) -> Answer:
    """The answer takes the place of the live row, under its ref. Raises UserProblem when the row is gone: it was cleared.

    The row goes last: whoever deletes a document locks it before the rows that were read from it, and so does this.
    """
    with principal(live.scope):
        answer = history.keep(done, total_ms, ref=live.ref)
        gone, _ = LiveAnswer.objects.visible_to(live.scope).filter(ref=live.ref).delete()
        if not gone:
            raise UserProblem("answers.cleared")
        return answer


def _tick(live: Live) -> bool:
    """Called all the while a model writes: save when it is time, hear what other processes say; True to give up."""
    now = time.monotonic()
    if now - live.saved_at >= SAVE_S:
        live.saved_at = now
        _save(live)
    return live.is_given_up()


def _save(live: Live) -> None:
    with principal(live.scope):
        rows = LiveAnswer.objects.visible_to(live.scope).filter(ref=live.ref)
        rows.update(partial=_partial(live), stage=live.stage, saved_at=timezone.now())
        told = rows.values_list("is_stopping", "leaving_at", "watched_at").first()
    release_connections()
    if told is None:  # the question was deleted meanwhile
        live.is_stopping = True
        return
    is_stopping, leaving_at, watched_at = told
    live.is_stopping = live.is_stopping or is_stopping
    age_s = (timezone.now() - watched_at).total_seconds()
    live.watched_at = max(live.watched_at, time.monotonic() - max(age_s, 0.0))
    if leaving_at and live.left_at is None and not live.watchers:
        live.left_at = time.monotonic() - (timezone.now() - leaving_at).total_seconds()


def _partial(live: Live) -> str:
    """What may be saved of the text: nothing once a document is gone that it is written from.

    Asked before the row is touched: a deletion locks documents first, then the rows that were read from them.
    """
    with connections["default"].cursor() as cursor:
        cursor.execute("SELECT footnote.are_standing(%s)", [list(live.document_ids)])
        return live.text if cursor.fetchone()[0] else ""


def _fail(live: Live, code: str) -> None:
    try:
        with principal(live.scope):
            LiveAnswer.objects.visible_to(live.scope).filter(ref=live.ref).update(
                state=LiveAnswer.State.FAILED, problem=code[:60], partial=_partial(live), saved_at=timezone.now()
            )
    except Exception:  # noqa: BLE001 (the database may be what failed; the streams of this process hear of it all the same)
        log.failure("live.unsaved", answer=live.ref)
