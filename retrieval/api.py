"""Search for programs: the passages nearest to a question, with every stage's ranks and scores."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any

from django.conf import settings
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from documents.embedding.client import Embedder, EmbedderUnavailable
from documents.embedding.guarded import embedder_of_questions
from documents.embedding.vector import Vector
from documents.text.language import detect
from portal.api import ProgramView
from portal.events import Log
from portal.limits import admit_question
from portal.pages import chosen_ids
from retrieval.ranking.evidence import Passage, SearchResult, StageTrace
from retrieval.search import Query, search
from retrieval.serializers import SearchAnswerSerializer, SearchQuerySerializer

log = Log("retrieval.api")
CANDIDATES_SHOWN = 50


class Search(ProgramView):
    serializer_class = SearchAnswerSerializer
    repeats_safely = True
    key_scopes = {"POST": "read"}

    @extend_schema(
        operation_id="search", summary="The nearest passages", request=SearchQuerySerializer,
        responses={200: SearchAnswerSerializer},
    )  # fmt: skip
    def post(self, request: Request) -> Response:
        sent = SearchQuerySerializer(data=request.data)
        sent.is_valid(raise_exception=True)
        asked = sent.validated_data
        admit_question(self.scope)
        refs = asked.get("collections")
        chosen = None if refs is None else chosen_ids(self.scope, refs)
        vector, note = question_vector(asked["question"])
        query = Query(
            asked["question"],
            vector=vector,
            k=asked["k"],
            collection_ids=chosen,
            language=detect(asked["question"]),
            note=note,
        )
        return Response(shown(search(self.scope, query)))


def question_vector(text: str) -> tuple[Vector | None, str]:
    """The question's vector, which lives for this request; or None and the code that says so."""
    try:
        return embedder().embed([text], priority="question")[0], ""
    except EmbedderUnavailable as trouble:
        log.warning("search.embedder_down", code=trouble.code)
        return None, "retrieval.embedder_down"


@functools.cache
def embedder() -> Embedder:
    return embedder_of_questions(settings.EMBEDDER_URL, settings.EMBEDDER_KEY, settings.EMBEDDER_MODEL)


def shown(result: SearchResult) -> dict[str, Any]:
    return {
        "passages": [_passage(passage) for passage in result.passages],
        "stages": _stages(result.stages),
        "searched_chunks": result.searched_chunks,
    }


def _passage(passage: Passage) -> dict[str, Any]:
    return {
        "rank": passage.rank,
        "chunk": passage.chunk_id,
        "document": passage.document_ref,
        "title": passage.title,
        "source_url": passage.source_url,
        "heading_path": list(passage.heading_path),
        "page": passage.page,
        "text": passage.text,
        "prefix": passage.prefix,
        "kind": passage.kind,
        "language": passage.language,
        "start": passage.start,
        "end": passage.end,
        "scores": {
            "fused": passage.fused,
            "similarity": passage.similarity,
            "similarity_rank": passage.dense_rank,
            "bm25": passage.bm25,
            "bm25_rank": passage.lexical_rank,
            "matched_terms": passage.matched_terms,
            "identifier_hits": passage.identifier_hits,
        },
    }


def _stages(stages: Sequence[StageTrace]) -> list[dict[str, Any]]:
    return [
        {
            "name": stage.name,
            "ms": round(stage.ms, 2),
            "note": stage.note,
            "candidates": [
                {"chunk": item.chunk_id, "rank": item.rank, "score": item.score}
                for item in stage.candidates[:CANDIDATES_SHOWN]
            ],
        }
        for stage in stages
    ]
