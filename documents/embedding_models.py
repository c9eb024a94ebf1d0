"""The embedding models of this installation. One is live; `manage.py bootstrap` makes sure of it."""

from __future__ import annotations

from django.conf import settings

from documents.models import EmbeddingModel

KNOWN: dict[str, tuple[int, list[str]]] = {
    "all-MiniLM-L6-v2": (384, ["en"]),
    "multilingual-e5-small": (384, []),
    "text-embedding-3-small": (1536, []),
}
"""Dimensions and declared languages; no languages means many."""


def ensure_live() -> EmbeddingModel:
    """The row of settings.EMBEDDER_MODEL, live. Runs as the owner role."""
    dims, languages = KNOWN.get(settings.EMBEDDER_MODEL, (0, []))
    rows = EmbeddingModel.objects.using("owner")
    rows.filter(state=EmbeddingModel.State.LIVE).exclude(name=settings.EMBEDDER_MODEL).update(
        state=EmbeddingModel.State.RETIRED
    )
    model, _ = rows.update_or_create(
        name=settings.EMBEDDER_MODEL,
        defaults={"dims": dims, "languages": languages, "state": EmbeddingModel.State.LIVE},
    )
    return model
