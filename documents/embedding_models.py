"""The embedding models of this installation. One is live; `manage.py bootstrap` makes sure of it."""

from __future__ import annotations

from django.conf import settings

from documents.embedding.client import EmbedderUnavailable, embedder_from
from documents.models import EmbeddingModel

KNOWN: dict[str, tuple[int, list[str]]] = {
    "all-MiniLM-L6-v2": (384, ["en"]),
    "multilingual-e5-small": (384, []),
    "text-embedding-3-small": (1536, []),
}
"""Dimensions and declared languages; no languages means many."""


def ensure_live() -> EmbeddingModel:
    """The row of settings.EMBEDDER_MODEL, live. Runs as the owner role."""
    dims, languages = KNOWN.get(settings.EMBEDDER_MODEL) or (_ask_dims(), [])
    rows = EmbeddingModel.objects.using("owner")
    rows.filter(state=EmbeddingModel.State.LIVE).exclude(name=settings.EMBEDDER_MODEL).update(
        state=EmbeddingModel.State.RETIRED
    )
    model, _ = rows.update_or_create(
        name=settings.EMBEDDER_MODEL,
        defaults={"dims": dims, "languages": languages, "state": EmbeddingModel.State.LIVE},
    )
    return model


def _ask_dims() -> int:
    """What the embedder says of a model that is not KNOWN; 0 when it does not answer: then the first vectors tell."""
    if not settings.EMBEDDER_URL:
        return 0
    embedder = embedder_from(settings.EMBEDDER_URL, settings.EMBEDDER_KEY, settings.EMBEDDER_MODEL)
    try:
        return embedder.dims
    except EmbedderUnavailable:
        return 0
    finally:
        embedder.close()
