"""Where each embedding model is served, by its name: EMBEDDER_* and EMBEDDER_NEXT_*, whichever of them is the live one."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from django.conf import settings

from documents.embedding.client import Embedder, EmbedderUnavailable
from documents.embedding.transport import Priority, TransportFault
from documents.embedding.vector import Vector
from documents.models import EmbeddingModel


class Owned(Embedder, Protocol):
    """An embedder with connections of its own."""

    def close(self) -> None: ...


Factory = Callable[[str, str, str], Owned]


@dataclass(frozen=True, slots=True)
class Address:
    """Who serves a model. The key goes to this URL alone."""

    url: str
    key: str
    model: str


def address_of(model: str) -> Address | None:
    """Where the model is served, None when the environment names it nowhere.

    EMBEDDER_NEXT_URL left empty means the same provider, which then gets the same key; another address never does.
    """
    if model == settings.EMBEDDER_MODEL:
        return Address(settings.EMBEDDER_URL, settings.EMBEDDER_KEY, model)
    if not model or model != settings.EMBEDDER_NEXT_MODEL:
        return None
    if settings.EMBEDDER_NEXT_URL:
        return Address(settings.EMBEDDER_NEXT_URL, settings.EMBEDDER_NEXT_KEY, model)
    return Address(settings.EMBEDDER_URL, settings.EMBEDDER_NEXT_KEY or settings.EMBEDDER_KEY, model)


def live_name(alias: str = "default") -> str:
    """The name of the live model; what EMBEDDER_MODEL says before there is one."""
    live = EmbeddingModel.objects.using(alias).filter(state=EmbeddingModel.State.LIVE)
    return live.values_list("name", flat=True).first() or str(settings.EMBEDDER_MODEL)


class _Nowhere:
    """The embedder of a model that the environment does not name."""

    dims = 0

    def __init__(self, model: str) -> None:
        self.model = model

    def embed(self, texts: Sequence[str], *, priority: Priority) -> list[Vector]:
        raise EmbedderUnavailable(TransportFault("refused", "no embedder is named for this model", may_pass=False), [])

    def close(self) -> None:
        """Nothing is open."""


class Embedders:
    """The embedders of this process, one for each address; as an Embedder itself it is the live model's at each call."""

    def __init__(self, make: Factory, alias: str = "default") -> None:
        self._make = make
        self._alias = alias
        self._made: dict[Address, Owned] = {}
        self._lock = threading.Lock()

    def of(self, model: str) -> Embedder | None:
        """The model's own embedder, None when the environment names none."""
        address = address_of(model)
        if address is None:
            return None
        with self._lock:
            if address not in self._made:
                self._made[address] = self._make(address.url, address.key, address.model)
            return self._made[address]

    def now(self) -> Embedder:
        """The embedder of the model that is live now. Whoever searches with its vector says its name (Query.model)."""
        return self.named(live_name(self._alias))

    def named(self, model: str) -> Embedder:
        """As of(); where the environment names none, one that refuses every text."""
        return self.of(model) or _Nowhere(model)

    @property
    def model(self) -> str:
        return self.now().model

    @property
    def dims(self) -> int:
        return self.now().dims

    def embed(self, texts: Sequence[str], *, priority: Priority) -> list[Vector]:
        return self.now().embed(texts, priority=priority)

    def close(self) -> None:
        """Close the idle connections of all."""
        with self._lock:
            for embedder in self._made.values():
                embedder.close()
