"""Rerankers: FlashRank from a local directory, or an HTTP service that speaks `/rerank` as Jina and Cohere do. Off by default."""

from __future__ import annotations

import functools
import http.client
import importlib
import json
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from django.conf import settings

from documents.breaker import Breaker
from retrieval.ranking.rerank import Reranker, RerankerUnavailable

TIMEOUT_S = 5.0
MAX_RESPONSE_BYTES = 4 * 1024 * 1024
LONGEST_TOKENS = 512


class HttpReranker:
    """POST {model, query, documents, top_n} → {results: [{index, relevance_score}]}. One attempt; a pause after a failure."""

    def __init__(self, url: str, *, key: str = "", model: str = "", breaker: Breaker | None = None) -> None:
        self._url, self._key, self._model = urlsplit(url), key, model
        self._breaker = breaker or Breaker()
        self.name = model or "rerank"

    def scores(self, question: str, passages: Sequence[str]) -> list[float]:
        if self._breaker.wait_s() > 0:
            raise RerankerUnavailable
        document = {"model": self._model, "query": question, "documents": list(passages), "top_n": len(passages)}
        try:
            found = _scores_in(self._post(json.dumps(document).encode()), len(passages))
        except (OSError, http.client.HTTPException, ValueError, KeyError, TypeError) as trouble:
            self._breaker.failed()
            raise RerankerUnavailable from trouble
        self._breaker.succeeded()
        return found

    def _post(self, body: bytes) -> bytes:
        kind = http.client.HTTPSConnection if self._url.scheme == "https" else http.client.HTTPConnection
        connection = kind(self._url.hostname or "127.0.0.1", self._url.port, timeout=TIMEOUT_S)
        headers = {"Content-Type": "application/json", "Accept": "application/json"}
        if self._key:
            headers["Authorization"] = f"Bearer {self._key}"
        try:
            connection.request("POST", self._url.path or "/rerank", body, headers)
            reply = connection.getresponse()
            if reply.status != http.client.OK:
                raise ValueError(f"status {reply.status}")
            return reply.read(MAX_RESPONSE_BYTES)
        finally:
            connection.close()


def _scores_in(body: bytes, count: int) -> list[float]:
    """The scores by place. Raises ValueError, KeyError or TypeError unless there is one for every passage."""
    scores: dict[int, float] = {}
    for item in json.loads(body)["results"]:
        scores[int(item["index"])] = float(item["relevance_score"])
    if sorted(scores) != list(range(count)):
        raise ValueError("not one score a passage")
    return [scores[place] for place in range(count)]


class FlashRanker:
    """A cross-encoder that FlashRank runs in this process. Nothing is ever downloaded here: the directory must be there."""

    def __init__(self, folder: Path, model: str) -> None:
        self._folder, self._model = folder, model
        self._ranker: Any = None
        self._lock = threading.Lock()
        self.name = model

    def scores(self, question: str, passages: Sequence[str]) -> list[float]:
        try:
            with self._lock:
                ranker, request = self._loaded()
                rows = ranker.rerank(request(question, [{"id": at, "text": text} for at, text in enumerate(passages)]))
        except RerankerUnavailable:
            raise
        except Exception as trouble:  # an optional vendor: whatever it raises, the fused order stands
            raise RerankerUnavailable from trouble
        by_place = {int(row["id"]): float(row["score"]) for row in rows}
        return [by_place[place] for place in range(len(passages))]

    def _loaded(self) -> tuple[Any, Any]:
        """The ranker, loaded by the first question, and its request class."""
        if not (self._folder / self._model).is_dir():
            raise RerankerUnavailable("retrieval.reranker_missing")
        try:
            vendor = importlib.import_module("flashrank")
        except ImportError as trouble:
            raise RerankerUnavailable("retrieval.reranker_missing") from trouble
        if self._ranker is None:
            self._ranker = vendor.Ranker(self._model, str(self._folder), LONGEST_TOKENS, "WARNING")
        return self._ranker, vendor.RerankRequest


@functools.cache
def configured() -> Reranker | None:
    """The one of the settings; None when reranking is off."""
    if settings.RERANKER == "http":
        return HttpReranker(settings.RERANKER_URL, key=settings.RERANKER_KEY, model=settings.RERANKER_MODEL)
    if settings.RERANKER == "flashrank":
        return FlashRanker(Path(settings.RERANKER_DIR), settings.RERANKER_MODEL)
    return None
