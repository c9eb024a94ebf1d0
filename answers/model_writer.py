"""The model as a Writer: its sentences where one answers, else quotes and a note. It never raises for a model that fails."""

from __future__ import annotations

import time
from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import dataclass, replace

from answers import prompt
from answers.marker_stream import MarkerStream, is_not_found
from answers.router.route import NoModel, Reply, Router, has_model
from answers.router.route import Void as RouterVoid
from answers.router.said import Message
from answers.rules import model_text
from answers.rules.question import Question
from answers.writers import VOID, ExtractiveWriter, Piece, Writer, Written
from documents.text.sentences import sentences
from portal.model_env import ModelEndpoint
from portal.scope import Scope
from retrieval.ranking.evidence import Passage

CAPPED_NOTE = "answers.model_capped"
STOPPED_NOTE = "answers.stopped"
COMPLETE_S = 8.0
"""A follow-up that no model has completed by then is completed by rules."""

MAX_COMPLETED = 1_000


def writer_for(scope: Scope, *, stop: Callable[[], bool] = lambda: False) -> Writer:
    """The model where the workspace or the operator set one up, else quotes."""
    return ModelWriter(stop) if has_model(scope) else ExtractiveWriter()


@dataclass(frozen=True, slots=True)
class ModelWriter:
    """`stop` becomes true when nobody waits any more. `task` is what the model is told; evaluation runs try others."""

    stop: Callable[[], bool] = lambda: False
    router: Callable[[Scope, Callable[[], bool]], Router] = Router
    task: str = prompt.TASK

    def write(self, scope: Scope, asked: Question, passages: Sequence[Passage]) -> Iterator[Piece | Written]:
        task = _Task(asked, passages, self.task)
        try:
            reply = yield from task.follow(self.router(scope, self.stop).write(task.messages))
        except NoModel as trouble:
            yield from self._quotes(scope, asked, passages, note=trouble.note)
            return
        yield task.written(reply)

    def complete(self, scope: Scope, text: str, earlier: Sequence[str]) -> str:
        """What a model makes of a follow-up within COMPLETE_S, one line of it; "" where none does."""
        deadline = time.monotonic() + COMPLETE_S
        said = ""
        try:
            for item in self.router(scope, lambda: self.stop() or time.monotonic() > deadline).write(
                lambda _: prompt.complete(text, earlier)
            ):
                if isinstance(item, RouterVoid):
                    said = ""
                elif isinstance(item, Reply):
                    return "" if item.is_stopped else prompt.completed(said)
                else:
                    said += item
                if len(said) > MAX_COMPLETED:
                    return ""
        except NoModel:
            return ""
        return ""

    def _quotes(
        self, scope: Scope, asked: Question, passages: Sequence[Passage], *, note: str
    ) -> Iterator[Piece | Written]:
        for piece in ExtractiveWriter().write(scope, asked, passages):
            yield replace(piece, notes=(note,)) if isinstance(piece, Written) else piece


class _Task:
    """One question's text as it comes in, whichever endpoint writes it in the end."""

    def __init__(self, asked: Question, passages: Sequence[Passage], told: str) -> None:
        self._asked = asked
        self._told = told
        self._passages = passages
        self._began = time.perf_counter()
        self._first_ms: int | None = None
        self._begin(0)

    def _begin(self, sent: int) -> None:
        self._sent = sent
        self._stream = MarkerStream([passage.text for passage in self._passages[:sent]])

    def messages(self, endpoint: ModelEndpoint) -> Sequence[Message]:
        built = prompt.build(self._asked.text, self._passages, endpoint, task=self._told)
        self._begin(built.sent)
        return built.messages

    def follow(self, routed: Iterator[str | RouterVoid | Reply]) -> Generator[Piece, None, Reply]:
        """What may be shown, as it comes; returns the Reply."""
        for item in routed:
            if isinstance(item, Reply):
                if rest := self._stream.end():
                    yield rest
                return item
            if isinstance(item, RouterVoid):
                yield VOID
                continue
            if self._first_ms is None:
                self._first_ms = round((time.perf_counter() - self._began) * 1000)
            if shown := self._stream.feed(item):
                yield shown
        raise NoModel("answers.model_down")

    def written(self, reply: Reply) -> Written:
        text = model_text.plain(self._stream.raw)
        notes = []
        if reply.is_stopped:
            notes.append(STOPPED_NOTE)
        elif reply.is_capped:
            notes.append(CAPPED_NOTE)
            text = whole_sentences(text)
        return Written(
            text="" if is_not_found(text) else text,
            sent=self._sent,
            mode="model",
            model=reply.endpoint.model,
            provider=reply.endpoint.name,
            prompt_version=prompt.version_of(self._told),
            tokens_in=reply.tokens_in,
            tokens_out=reply.tokens_out,
            cost_usd=reply.cost_usd,
            first_token_ms=self._first_ms,
            notes=tuple(notes),
            found_nothing=is_not_found(text),
            stopped=reply.is_stopped,
        )


def whole_sentences(text: str) -> str:
    """Without the sentence that a cap cut in two, unless there is no other."""
    found = list(sentences(text))
    if len(found) < 2 or text.rstrip()[-1:] in ".!?。！？]":
        return text
    return text[: found[-2][1]].rstrip()
