"""Texts to vectors for programs, through the same client that questions use."""

from __future__ import annotations

import base64
import struct
from collections.abc import Sequence
from typing import Any, Final

from answers.router.route import tokens_of
from answers.typed.catalogue import embedding_model_of
from answers.typed.refusals import BadParameter
from documents.embedding.client import EmbedderUnavailable
from portal.events import Log
from portal.limits import admit_question
from portal.problems import SystemProblem
from portal.scope import Scope
from retrieval.embedding import question_embedder

log = Log("answers.typed")
MOST_TEXTS: Final = 128
MOST_CHARACTERS: Final = 32_000


def texts_of(given: Any) -> list[str]:
    """Raises BadParameter for tokens, for nothing, and for more than one request should hold."""
    texts = [given] if isinstance(given, str) else list(given)
    if not texts:
        raise BadParameter("input", "There is no text to embed.")
    if len(texts) > MOST_TEXTS:
        raise BadParameter("input", f"At most {MOST_TEXTS} texts in one request.")
    for place, text in enumerate(texts):
        if not isinstance(text, str):
            raise BadParameter("input", "Send texts, not tokens (LangChain: check_embedding_ctx_length=False).")
        if not text or len(text) > MOST_CHARACTERS:
            raise BadParameter(f"input.{place}", f"A text has 1 to {MOST_CHARACTERS:,} characters.")
    return texts


def embed(scope: Scope, request: Any) -> dict[str, Any]:
    """EmbeddingList's data. Counts as one question. Raises SystemProblem answers.embedder_down."""
    texts = texts_of(request.input)
    model = embedding_model_of(request.model)
    admit_question(scope)
    embedder = question_embedder().named(model)
    try:
        vectors = embedder.embed(texts, priority="question" if len(texts) == 1 else "bulk")
    except EmbedderUnavailable as trouble:
        log.warning("typed.embedder_down", code=trouble.code, texts=len(texts))
        raise SystemProblem("answers.embedder_down") from trouble
    plain = [[float(value) for value in vector] for vector in vectors]
    if request.dimensions not in (None, len(plain[0])):
        raise BadParameter("dimensions", f"This model gives {len(plain[0])}; they cannot be cut.")
    is_packed = request.encoding_format == "base64"
    data = [{"index": n, "embedding": packed(vector) if is_packed else vector} for n, vector in enumerate(plain)]
    tokens = sum(tokens_of(text) for text in texts)
    return {"data": data, "model": model, "usage": {"prompt_tokens": tokens, "total_tokens": tokens}}


def packed(vector: Sequence[float]) -> str:
    """Little-endian float32 in base64, as OpenAI's clients ask for by default."""
    return base64.b64encode(struct.pack(f"<{len(vector)}f", *vector)).decode()
