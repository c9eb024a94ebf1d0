"""Search for programs: the passages nearest to a question, with every stage's ranks and scores."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from documents.tags import cleaned
from portal.api import ProgramView
from portal.problems import UserProblem, words_for
from portal.scope import Scope
from retrieval.asked import Answered, Asked, fault, run
from retrieval.embedding import question_embedder
from retrieval.facets import facets_of
from retrieval.ranking.evidence import Passage, SearchResult, StageTrace
from retrieval.serializers import SearchAnswerSerializer, SearchQuerySerializer

CANDIDATES_SHOWN = 50
embedder = question_embedder


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
        asked = asked_of(sent.validated_data)
        if code := fault(asked.text):
            raise UserProblem(code)
        answered = run(self.scope, asked)
        facets = _facets(self.scope, answered) if sent.validated_data["facets"] else None
        return Response({**shown(answered.result), "mode": answered.mode, "notes": _notes(answered), "facets": facets})


def asked_of(sent: Mapping[str, Any]) -> Asked:
    refs = sent.get("collections")
    return Asked(
        sent["question"],
        k=sent["k"],
        collections=None if refs is None else tuple(refs),
        documents=tuple(sent.get("documents", ())),
        kinds=tuple(sent.get("kinds", ())),
        languages=tuple(sent.get("languages", ())),
        tags=tuple(map(cleaned, sent.get("tags", ()))),
        since=sent.get("since"),
        until=sent.get("until"),
        as_of=sent.get("as_of"),
        mode=sent.get("mode"),
        ranker=sent.get("ranker"),
        rerank=sent["rerank"],
        per_document=sent.get("per_document"),
    )


def _facets(scope: Scope, answered: Answered) -> dict[str, list[dict[str, Any]]]:
    found = facets_of(scope, answered.result.found)
    return {name: [asdict(facet) for facet in facets] for name, facets in found.items()}


def _notes(answered: Answered) -> list[dict[str, str]]:
    return [{"code": code, "title": words_for(code).title, "advice": words_for(code).advice} for code in answered.notes]


def shown(result: SearchResult) -> dict[str, Any]:
    """A result as programs get it, without what only this view knows of it."""
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
            "reranked": passage.reranked,
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
