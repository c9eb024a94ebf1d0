"""A program's question: begun once for each Idempotency-Key, counted, and followed to its end."""

from __future__ import annotations

import contextlib
import json
from collections.abc import AsyncGenerator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from django.http import Http404, HttpRequest
from django.urls import reverse

from answers import conversation, live
from answers.conversation import Conversation
from answers.rules import question
from answers.streaming import Place, Told, exists, follow, in_thread
from portal import idempotency
from portal.idempotency import Claim, Kept, Replay
from portal.limits import admit_question
from portal.pages import chosen_ids
from portal.problems import UserProblem
from portal.scope import Scope


@dataclass(frozen=True, slots=True)
class Asked:
    """`collections` None searches all that the key sees.

    The conversation is the key owner's own up to `previous`, or what the program brings as `earlier` questions.
    """

    text: str
    collections: Sequence[str] | None = None
    earlier: Sequence[str] = ()
    previous: str = ""
    as_written: bool = False


@dataclass(frozen=True, slots=True)
class Begun:
    """An answer on its way, or one that an equal request began before."""

    ref: str
    claim: Claim | None = None
    is_replay: bool = False
    is_repeatable: bool = False
    """The request carried a key of repeats: whoever lost the connection may send it again and goes on."""


@dataclass(frozen=True, slots=True)
class Sent:
    """What tells two requests apart (portal/idempotency.py)."""

    method: str
    path: str
    headers: Mapping[str, str]
    data: Any = field(repr=False)

    def get_full_path(self) -> str:
        return self.path


def location_of(ref: str) -> str:
    return reverse("typed_kept", args=[ref])


def begin(request: HttpRequest, scope: Scope, asked: Asked) -> Begun:
    """Raises UserProblem for what is no question, for no visible collection, too often, or a key of repeats in use."""
    body = json.loads(request.body)
    sent = Sent(str(request.method), request.get_full_path(), request.headers, body)
    try:
        claim = idempotency.begin(scope, sent)
    except Replay as before:
        return Begun(str(before.kept.body["answer"]), is_replay=True, is_repeatable=True)
    try:
        ref = _begin(scope, asked)
    except BaseException:
        if claim is not None:
            idempotency.settle(scope, claim, Kept(500, ""))
        raise
    if claim is not None:
        idempotency.settle(scope, claim, Kept(200, location_of(ref), {"answer": ref}))
    return Begun(ref, claim, is_repeatable=claim is not None)


def _begin(scope: Scope, asked: Asked) -> str:
    chosen = None if asked.collections is None else chosen_ids(scope, asked.collections)
    if asked.collections is not None and not chosen:
        raise UserProblem("answers.no_collection")
    talk = _talk(scope, asked)
    understood = conversation.read(asked.text, talk)
    if isinstance(understood, question.Invalid):  # before it is counted
        raise UserProblem(understood.code)
    admit_question(scope)
    return live.begin(scope, asked.text, collection_ids=chosen, talk=talk, previous=asked.previous).ref


def _talk(scope: Scope, asked: Asked) -> Conversation:
    """Raises UserProblem answers.no_previous."""
    if not asked.previous:
        return conversation.of_texts(asked.earlier)
    found = conversation.after(scope, asked.previous, as_written=asked.as_written)
    if found is None:
        raise UserProblem("answers.no_previous")
    return found


def kept(scope: Scope, ref: str) -> Begun:
    """An answer that was begun before, on its way or done. Raises Http404."""
    if not exists(scope, ref):
        raise Http404
    return Begun(ref, is_repeatable=True)


def stopped(scope: Scope, ref: str) -> None:
    """Told to end; one that has ended stays as it is. Raises Http404."""
    if not live.stop(scope, ref) and not exists(scope, ref):
        raise Http404


async def followed(scope: Scope, begun: Begun, place: Place | None = None) -> AsyncGenerator[Told | None, None]:
    """The events from `place` on, the meta event last. Nobody waits for an answer whose reader is gone and cannot return."""
    is_over = False
    try:
        async with contextlib.aclosing(follow(scope, begun.ref, place or Place())) as events:
            async for told in events:
                if told is not None and told.name == "meta":
                    is_over = True
                    if begun.claim is not None and "problem" in told.data:
                        await in_thread(idempotency.settle, scope, begun.claim, Kept(500, ""))
                yield told
    finally:
        if not is_over and not begun.is_repeatable:
            live.leave(scope, begun.ref)


async def finished(scope: Scope, begun: Begun) -> Mapping[str, Any]:
    """The meta event's data. Raises UserProblem where nothing was answered."""
    meta: Mapping[str, Any] = {}
    async with contextlib.aclosing(followed(scope, begun)) as events:
        async for told in events:
            if told is not None and told.name == "meta":
                meta = told.data
    if failure := meta.get("problem"):
        raise UserProblem(str(failure["code"]))
    return meta
