"""The embedding models of this installation. One is live; `manage.py bootstrap` makes sure of it."""

from __future__ import annotations

from django.conf import settings

from documents.embedders import address_of
from documents.embedding.client import EmbedderUnavailable, embedder_from
from documents.models import EmbeddingModel

KNOWN: dict[str, tuple[int, list[str]]] = {
    "all-MiniLM-L6-v2": (384, ["en"]),
    "multilingual-e5-small": (384, []),
    "text-embedding-3-small": (1536, []),
}
"""Dimensions and declared languages; no languages means many."""


def ensure_live() -> EmbeddingModel:
    """The live row; settings.EMBEDDER_MODEL becomes it where there is none yet. Runs as the owner role.

    Never takes another's place: documents/model_switch.py does, once the new one is filled.
    """
    rows = EmbeddingModel.objects.using("owner")
    live: EmbeddingModel | None = rows.filter(state=EmbeddingModel.State.LIVE).first()
    if live is not None and live.name == settings.EMBEDDER_MODEL and not live.dims:
        live.dims = known(live.name)[0]
        live.save(using="owner", update_fields=["dims"])
    if live is not None:
        return live
    dims, languages = known(settings.EMBEDDER_MODEL)
    made, _ = rows.update_or_create(
        name=settings.EMBEDDER_MODEL,
        defaults={"dims": dims, "languages": languages, "state": EmbeddingModel.State.LIVE},
    )
    return made


def known(name: str) -> tuple[int, list[str]]:
    """Dimensions and languages of a model; 0 dimensions when its embedder does not answer: then the first vectors tell."""
    return KNOWN.get(name) or (_ask_dims(name), [])


def _ask_dims(name: str) -> int:
    address = address_of(name)
    if address is None or not address.url:
        return 0
    embedder = embedder_from(address.url, address.key, address.model)
    try:
        return embedder.dims
    except EmbedderUnavailable:
        return 0
    finally:
        embedder.close()
