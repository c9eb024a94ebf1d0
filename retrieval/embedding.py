"""The question's vector, from the one process-wide client; it lives for its request."""

from __future__ import annotations

import functools

from django.conf import settings

from documents.embedding.client import Embedder, EmbedderUnavailable
from documents.embedding.guarded import embedder_of_questions
from documents.embedding.vector import Vector
from portal.events import Log

log = Log("retrieval.embedding")


def question_vector(text: str) -> tuple[Vector | None, str]:
    """The vector; or None and the code of the words that say why there is none."""
    try:
        return question_embedder().embed([text], priority="question")[0], ""
    except EmbedderUnavailable as trouble:
        log.warning("search.embedder_down", code=trouble.code)
        return None, "retrieval.embedder_down"


@functools.cache
def question_embedder() -> Embedder:
    return embedder_of_questions(settings.EMBEDDER_URL, settings.EMBEDDER_KEY, settings.EMBEDDER_MODEL)
