"""Called through bench.inside beside services: another embedding model is filled, switched to and back under a query loop.

Chunks and their vectors under the live model are written in bulk; those of the other model are made by the worker's own walk,
from an embedder that gives vectors of another size without a model, so that the time is ours.
"""

from __future__ import annotations

import hashlib
import io
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from django.conf import settings
from django.core.management import call_command
from django.db import connections

from bench.inside_neighbours import SEED, K, Seat, filled, fresh_workspace, normed, topical
from bench.registry import say
from documents import embedding_models, ingest, model_switch
from documents.embedders import Embedders, live_name
from documents.embedding.transport import Priority
from documents.embedding.vector import Vector
from documents.models import EmbeddingModel
from documents.worker import work_through
from retrieval.query import Query
from retrieval.search import search

DIMS = {"made-up": 384, "made-up-wide": 512}
NEW = "made-up-wide"
DOCUMENTS = 40
SWITCHES = 3


class MadeUp:
    """Gives every text a unit vector of its own, of the model's size."""

    def __init__(self, url: str, key: str, model: str) -> None:
        self.model, self.dims = model, DIMS[model]

    def embed(self, texts: Sequence[str], *, priority: Priority) -> list[Vector]:
        return [self._vector(text) for text in texts]

    def _vector(self, text: str) -> Vector:
        random = np.random.default_rng(int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big"))
        return [float(value) for value in normed(random.normal(size=(1, self.dims)))[0]]

    def close(self) -> None:
        """Nothing is open."""


@dataclass(slots=True)
class Loop:
    """Questions one after the other until told to stop. `bad` are those that raised or found fewer than K."""

    seat: Seat
    embedders: Embedders
    asked: int = 0
    bad: int = 0
    models: set[str] = field(default_factory=set)
    stop: threading.Event = field(default_factory=threading.Event)

    def run(self) -> None:
        while not self.stop.is_set():
            self.asked += 1
            try:
                embedder = self.embedders.now()
                vector = embedder.embed([f"question {self.asked}"], priority="question")[0]
                found = search(self.seat.scope, Query("zyzzyva", vector, embedder.model, k=K))
                self.models.add(embedder.model)
                self.bad += len(found.passages) < K
            except Exception as error:  # noqa: BLE001 (a failed question is the figure)
                say(f"# a question failed: {type(error).__name__}")
                self.bad += 1
        connections.close_all()


def measure(chunks: int) -> dict[str, float]:
    """Questions asked and lost meanwhile, vectors missing after the fill, seconds of the fill and of the longest switch."""
    call_command("bootstrap", verbosity=0, stdout=io.StringIO())
    settings.EMBEDDER_MODEL, settings.EMBEDDER_NEXT_MODEL = "made-up", NEW
    EmbeddingModel.objects.using("owner").update(state=EmbeddingModel.State.RETIRED)
    embedding_models.KNOWN.update({name: (dims, []) for name, dims in DIMS.items()})
    embedding_models.ensure_live()
    workspace = fresh_workspace("bench switch")
    stored = topical(np.random.default_rng(SEED), chunks)
    seats = [filled(workspace, f"part {n}", part) for n, part in enumerate(np.array_split(stored, DOCUMENTS))]
    embedders = Embedders(MadeUp)
    setattr(ingest, "local_embedder", lambda: embedders)  # noqa: B010 (the walk's own, for this process)
    loop = Loop(seats[0], embedders)
    asking = threading.Thread(target=loop.run)
    asking.start()
    try:
        return _under(loop)
    finally:
        loop.stop.set()
        asking.join()


def _under(loop: Loop) -> dict[str, float]:
    started = time.perf_counter()
    model_switch.start(NEW)
    work_through(turn_s=600)
    fill_s = time.perf_counter() - started
    missing = next(row.missing for row in model_switch.progress() if row.name == NEW)
    say(f"# filled in {fill_s:.0f} s, {missing} missing; {loop.asked} questions so far")
    longest = 0.0
    for _ in range(SWITCHES):
        for to in (NEW, ""):
            started = time.perf_counter()
            _ = model_switch.switch(to) if to else model_switch.rollback()
            longest = max(longest, time.perf_counter() - started)
            time.sleep(0.5)
    is_back = float(live_name() == "made-up")
    say(
        f"# {loop.asked} questions, {loop.bad} failed or short, longest switch {longest:.2f} s, models {sorted(loop.models)}"
    )
    return {
        "asked": loop.asked, "bad": loop.bad, "missing": missing, "back": is_back, "fill_s": fill_s, "switch_s": longest,
    }  # fmt: skip
