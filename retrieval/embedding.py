"""The question's vector, from the one process-wide client; it lives for its request."""

from __future__ import annotations

import functools

from documents.embedders import Embedders
from documents.embedding.client import EmbedderUnavailable
from documents.embedding.guarded import embedder_of_questions
from documents.embedding.vector import Vector
from portal.events import Log

log = Log("retrieval.embedding")


def question_vector(text: str) -> tuple[Vector | None, str, str]:
    """The vector, "" and the model that made it; or None, the code of the words that say why there is none, and the model."""
    embedder = question_embedder().now()
    try:
        return embedder.embed([text], priority="question")[0], "", embedder.model
    except EmbedderUnavailable as trouble:
        log.warning("search.embedder_down", code=trouble.code)
        return None, "retrieval.embedder_down", embedder.model


@functools.cache
def question_embedder() -> Embedders:
    """Of every model that the environment names, the live one's at each question. One per process."""
    return Embedders(embedder_of_questions)
