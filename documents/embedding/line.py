"""Who is embedded next: questions before bulk, one text at a time, so that a question waits for one text at most."""

from __future__ import annotations

import logging
import threading
from collections import deque
from collections.abc import Callable, Sequence
from typing import Literal

from documents.embedding.model import Embedding

Priority = Literal["question", "bulk"]
State = Literal["waiting", "done", "failed", "cancelled"]

log = logging.getLogger("footnote.embedder")


class LineFull(Exception):
    """More bulk texts wait than the process may hold; ask again in a moment."""


class Batch:
    """The texts of one request and what was made of them. `finished` is set once, whatever the end was."""

    def __init__(self, texts: Sequence[str], *, are_questions: bool = False) -> None:
        self.texts = texts
        self.are_questions = are_questions
        self.embeddings: list[Embedding] = []
        self.state: State = "waiting"
        self.finished = threading.Event()

    @property
    def left(self) -> int:
        return len(self.texts) - len(self.embeddings)

    def end(self, state: State) -> None:
        if self.state == "waiting":
            self.state = state
            self.finished.set()


class Line:
    """Two queues and one thread. Batches of one priority take turns text by text: none waits for a long one.

    `embed` is told whether the text is a question.
    """

    def __init__(self, embed: Callable[[str, bool], Embedding], *, max_waiting: int) -> None:
        self._embed = embed
        self._max_waiting = max_waiting
        self._changed = threading.Condition()
        self._queues: dict[Priority, deque[Batch]] = {"question": deque(), "bulk": deque()}
        self._closed = False
        self._thread = threading.Thread(target=self._run, name="embedding", daemon=True)

    def open(self) -> None:
        self._thread.start()

    def join(self, texts: Sequence[str], priority: Priority, *, are_questions: bool = False) -> Batch:
        """Queue the texts. Raises LineFull when more than `max_waiting` would wait at this priority."""
        batch = Batch(texts, are_questions=are_questions)
        with self._changed:
            queue = self._queues[priority]
            if self._closed or (queue and sum(other.left for other in queue) + batch.left > self._max_waiting):
                raise LineFull
            queue.append(batch)
            self._changed.notify()
        return batch

    def leave(self, batch: Batch) -> None:
        """Give the batch up; the text being embedded is finished, the others are not begun."""
        with self._changed:
            batch.end("cancelled")

    def close(self) -> None:
        """Cancel what waits and stop the thread after the text it is at."""
        with self._changed:
            self._closed = True
            for queue in self._queues.values():
                for batch in queue:
                    batch.end("cancelled")
                queue.clear()
            self._changed.notify()
        self._thread.join(timeout=2)

    def _run(self) -> None:
        while (turn := self._next()) is not None:
            priority, batch = turn
            try:
                embedding = self._embed(batch.texts[len(batch.embeddings)], batch.are_questions)
            except Exception as error:  # noqa: BLE001 a text must never end the thread
                # the type alone: the message could quote the text
                log.error("embedder.text_failed error=%s", type(error).__name__)
                batch.end("failed")
                continue
            self._take(priority, batch, embedding)

    def _next(self) -> tuple[Priority, Batch] | None:
        with self._changed:
            while not self._closed:
                for priority, queue in self._queues.items():
                    while queue:
                        batch = queue.popleft()
                        if batch.state == "waiting":
                            return priority, batch
                self._changed.wait()
        return None

    def _take(self, priority: Priority, batch: Batch, embedding: Embedding) -> None:
        with self._changed:
            batch.embeddings.append(embedding)
            if not batch.left:
                batch.end("done")
            elif self._closed:
                batch.end("cancelled")
            else:
                self._queues[priority].append(batch)
