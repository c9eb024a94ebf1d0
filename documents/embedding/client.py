"""Texts to vectors, whoever computes them: batches, patience, and what was done when it ends early."""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol
from urllib.parse import urlsplit

from documents.embedding.transport import HttpTransport, Priority, Reason, Transport, TransportFault
from documents.embedding.vector import Vector
from portal.problems import SystemProblem

DOWN = "documents.embedder_down"
REFUSED = "documents.embedder_refused"


class EmbedderUnavailable(SystemProblem):
    """No more vectors now. `done` are those of the first len(done) texts: keep them, they are paid for.

    `may_pass` is False where trying again cannot help (a wrong key, an unknown model, a text that it will not take: code
    documents.embedder_refused);
    otherwise the code is documents.embedder_down and `reason` tells more. `retry_after_s` is what the provider asked
    for, when that was longer than a caller should be kept waiting.
    """

    def __init__(self, fault: TransportFault, done: list[Vector]) -> None:
        super().__init__(DOWN if fault.may_pass else REFUSED, fault.detail)
        self.reason: Reason = fault.reason
        self.done = done
        self.may_pass = fault.may_pass
        self.retry_after_s = fault.retry_after_s


class Embedder(Protocol):
    @property
    def model(self) -> str: ...

    @property
    def dims(self) -> int: ...

    def embed(self, texts: Sequence[str], *, priority: Priority) -> list[Vector]:
        """One vector per text, in order; [] for none. Raises EmbedderUnavailable with what was done."""
        ...


@dataclass(frozen=True, slots=True)
class Patience:
    """How long one batch may take. Waits double from `first_wait_s` to `max_wait_s`, spread by half either way.

    After `longest_s` no attempt begins; 0.0 means two whole reading times.
    """

    attempts: int
    read_s: float
    first_wait_s: float = 0.25
    max_wait_s: float = 20.0
    longest_s: float = 0.0

    def wait_s(self, attempt: int, asked_s: float | None, chance: float) -> float | None:
        """Seconds before attempt + 1, `chance` in [0, 1); None when the provider asks for longer than `max_wait_s`."""
        if asked_s is not None:
            return asked_s if asked_s <= self.max_wait_s else None
        return min(self.first_wait_s * 2.0 ** (attempt - 1), self.max_wait_s) * (0.5 + chance)


# A person waits for a question: what fails at once is tried once more, what hangs is not, then words alone search. 2.5 s is
# a hundred times what the local model takes on an idle machine, and three times a distant provider's bad day. Bulk work can
# sit out a restart.
PATIENCE: dict[Priority, Patience] = {
    "question": Patience(attempts=2, read_s=2.5, max_wait_s=0.5, longest_s=2.0),
    "questions": Patience(attempts=4, read_s=30.0),
    "bulk": Patience(attempts=4, read_s=30.0),
}


@dataclass(frozen=True, slots=True)
class BatchSize:
    """Limits of one request. Tokens are estimated from above as a third of the UTF-8 bytes, in any script."""

    max_texts: int
    max_tokens: int

    def split(self, texts: Sequence[str]) -> Iterator[Sequence[str]]:
        """Consecutive batches within both limits; a text that is too long alone goes alone."""
        start, tokens = 0, 0
        for position, text in enumerate(texts):
            size = len(text.encode("utf-8", "replace")) // 3 + 1
            if position > start and (position - start >= self.max_texts or tokens + size > self.max_tokens):
                yield texts[start:position]
                start, tokens = position, 0
            tokens += size
        if start < len(texts):
            yield texts[start:]


# The local process embeds text by text: a short batch costs nothing and keeps every wait short. A provider's round trip
# pays for long ones (OpenAI: at most 2,048 texts and 300,000 tokens in a request).
NEAR = BatchSize(max_texts=16, max_tokens=16_000)
FAR = BatchSize(max_texts=256, max_tokens=100_000)


class RetryingEmbedder:
    """The one Embedder of the product. Thread-safe; one per process and provider keeps the connections."""

    def __init__(
        self,
        transport: Transport,
        *,
        model: str,
        size: BatchSize,
        dims: int = 0,
        patience: dict[Priority, Patience] = PATIENCE,
        chance: Callable[[], float] = random.random,
    ) -> None:
        self._transport = transport
        self._model = model
        self._size = size
        self._patience = patience
        self._chance = chance
        self._dims = dims
        self._asking_dims = threading.Lock()

    @property
    def model(self) -> str:
        return self._model

    @property
    def dims(self) -> int:
        """Values in a vector. Unless known, asks the provider once; raises EmbedderUnavailable like `embed`."""
        with self._asking_dims:
            if not self._dims:
                self._dims = len(self.embed(["dimensions"], priority="question")[0])
            return self._dims

    def embed(self, texts: Sequence[str], *, priority: Priority) -> list[Vector]:
        done: list[Vector] = []
        for batch in self._size.split(texts):
            try:
                vectors = self._send(batch, priority)
            except TransportFault as fault:
                raise EmbedderUnavailable(fault, done) from fault
            done.extend(vectors)
        return done

    def close(self) -> None:
        """Close the idle connections; the embedder can be used again afterwards."""
        self._transport.close()

    def _send(self, batch: Sequence[str], priority: Priority) -> list[Vector]:
        patience = self._patience[priority]
        started = time.monotonic()
        attempt = 1
        while True:
            try:
                return self._transport.send(batch, priority, read_s=patience.read_s)
            except TransportFault as fault:
                wait_s = patience.wait_s(attempt, fault.retry_after_s, self._chance())
                # One that hung for so long would do so again, and others wait.
                is_over = time.monotonic() - started >= (patience.longest_s or 2 * patience.read_s)
                if not fault.may_pass or attempt >= patience.attempts or wait_s is None or is_over:
                    raise
            time.sleep(wait_s)
            attempt += 1


def embedder_from(base_url: str, key: str, model: str, *, dims: int = 0) -> RetryingEmbedder:
    """An embedder for any OpenAI-compatible endpoint; a URL without a path means /v1. `dims` 0 means ask when needed.

    http means the local process or a neighbour and needs no SDK; https goes through the `openai` SDK.
    """
    parts = urlsplit(base_url)
    root = base_url.rstrip("/") + ("" if parts.path.strip("/") else "/v1")
    if parts.scheme == "http":
        return RetryingEmbedder(HttpTransport(root, key, model), model=model, size=NEAR, dims=dims)
    from documents.embedding.provider import ProviderTransport  # 17 MB, see docs/adr/0004-embedding-process.md

    return RetryingEmbedder(ProviderTransport(root, key, model), model=model, size=FAR, dims=dims)
