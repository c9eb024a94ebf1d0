"""The embedder of questions: one that failed is left alone for a while, so that the next question does not wait for it too."""

from __future__ import annotations

from collections.abc import Sequence

from documents.breaker import Breaker
from documents.embedding.client import EmbedderUnavailable, RetryingEmbedder, embedder_from
from documents.embedding.transport import Priority, TransportFault
from documents.embedding.vector import Vector

FIRST_PAUSE_S = 5.0
LONGEST_PAUSE_S = 30.0


class GuardedEmbedder:
    """Asks the other while the breaker is closed; after a failure raises EmbedderUnavailable at once until its pause is over.

    Then one question asks for all: a hung provider costs one reading time per pause, not one per question.
    """

    def __init__(self, inner: RetryingEmbedder, breaker: Breaker | None = None) -> None:
        self._inner = inner
        self._breaker = breaker or Breaker(first_pause_s=FIRST_PAUSE_S, longest_pause_s=LONGEST_PAUSE_S)

    @property
    def model(self) -> str:
        return self._inner.model

    @property
    def dims(self) -> int:
        return self._inner.dims

    def embed(self, texts: Sequence[str], *, priority: Priority) -> list[Vector]:
        if self._breaker.wait_s():
            raise EmbedderUnavailable(TransportFault("unreachable", "left alone after a failure", may_pass=True), [])
        try:
            vectors = self._inner.embed(texts, priority=priority)
        except EmbedderUnavailable as trouble:
            if trouble.may_pass:
                self._breaker.failed()
            raise
        self._breaker.succeeded()
        return vectors

    def close(self) -> None:
        self._inner.close()


def embedder_of_questions(base_url: str, key: str, model: str) -> GuardedEmbedder:
    """As `embedder_from`, guarded. One per process, so that all its questions share what is known of the provider."""
    return GuardedEmbedder(embedder_from(base_url, key, model))
