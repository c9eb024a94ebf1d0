"""What has its vectors made next: the live model's first, then those of the models that are filled beside it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from documents import indexing
from documents.embedders import Embedders
from documents.embedding.client import Embedder
from documents.models import Document, EmbeddingModel
from documents.queue import ALIAS


@dataclass(frozen=True, slots=True)
class Next:
    """A batch of one document under one model. `is_beside` says that questions do not use this model now."""

    model: EmbeddingModel
    embedder: Embedder
    batch: list[indexing.Unembedded]
    is_beside: bool


def models_to_fill() -> list[EmbeddingModel]:
    """The live one first."""
    rows = EmbeddingModel.objects.using(ALIAS).exclude(state=EmbeddingModel.State.RETIRED).order_by("id")
    return sorted(rows, key=lambda row: row.state != EmbeddingModel.State.LIVE)


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
        without = refused.get(model.pk, set())
        if batch := indexing.unembedded(document, limit=limit, model_id=model.pk, without=without):
            return Next(model, embedder, batch, is_beside=place > 0)
    return None
