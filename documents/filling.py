"""What has its vectors made next: the live model's first, then those of the models that are filled beside it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from documents import indexing
from documents.embedders import Embedders
from documents.embedding.client import Embedder
from documents.models import Document, EmbeddingModel

PAGE = 256
"""Chunks that one look finds: a look goes through all of a document's."""


@dataclass(slots=True)
class Page:
    """What the last look found and nobody has handed out yet. While the job is ours its document's text stays what it is, so a
    look is good until it is used up or the models change.
    """

    models: tuple[tuple[int, str], ...] = ()
    held: dict[int, list[indexing.Unembedded]] = field(default_factory=dict)

    def of(self, models: Sequence[EmbeddingModel]) -> Page:
        """This page, emptied when these are other models than it was filled for."""
        now = tuple((model.pk, model.state) for model in models)
        if now != self.models:
            self.models, self.held = now, {}
        return self


@dataclass(frozen=True, slots=True)
class Next:
    """A batch of one document under one model. `is_beside` says that questions do not use this model now."""

    model: EmbeddingModel
    embedder: Embedder
    batch: list[indexing.Unembedded]
    is_beside: bool


def why_none(models: Sequence[EmbeddingModel], embedders: Embedders) -> str:
    """Is "none" when no model is set up, "other" when the environment names no embedder of the first, else empty."""
    if not models:
        return "none"
    return "" if embedders.of(models[0].name) else "other"


def next_batch(
    document: Document,
    models: Sequence[EmbeddingModel],
    embedders: Embedders,
    refused: Mapping[int, set[int]],
    page: Page,
    *,
    limit: int,
) -> Next | None:
    """At most `limit` chunks without a vector, none that `refused` (chunk ids by model id) holds; None when none is left.

    A model beside the live one that the environment no longer names is left as it is.
    """
    for place, model in enumerate(models):
        embedder = embedders.of(model.name)
        if embedder is None:
            continue
        held = page.of(models).held
        if not held.get(model.pk):
            without = refused.get(model.pk, set())
            held[model.pk] = indexing.unembedded(document, limit=PAGE, model_id=model.pk, without=without)
        if batch := held[model.pk][:limit]:
            held[model.pk] = held[model.pk][limit:]
            return Next(model, embedder, batch, is_beside=place > 0)
    return None
