"""An answer by its own ref, and the trace that says how the search placed each passage."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from django.http import Http404
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from answers.api import find_answer
from answers.models import Trace
from answers.programs import show_question
from answers.serializers import QuestionSerializer, TraceSerializer
from answers.trace import read
from portal.api import ProgramView
from portal.scope import principal


class OneAnswer(ProgramView):
    serializer_class = QuestionSerializer
    key_scopes = {"GET": "ask"}
    is_one = True

    @extend_schema(operation_id="answers_retrieve", summary="The question with this very answer of it")
    def get(self, request: Request, ref: str) -> Response:
        with principal(self.scope):
            answer = find_answer(self.scope, ref)
            return Response(show_question(self.scope, answer.question, answer))


class OneTrace(ProgramView):
    serializer_class = TraceSerializer
    key_scopes = {"GET": "ask"}
    is_one = True

    @extend_schema(operation_id="answers_trace", summary="How the answer came about, stage by stage")
    def get(self, request: Request, ref: str) -> Response:
        with principal(self.scope):
            answer = find_answer(self.scope, ref)
            trace: Trace | None = Trace.objects.visible_to(self.scope).filter(answer=answer).first()
        if trace is None:
            raise Http404
        traced = read(trace.stages)
        body = {
            "answer": answer.ref,
            "stages": [_stage(stage) for stage in trace.stages if "ms" in stage],
            "kept": [passage.chunk_id for passage in traced.kept],
            "given": [passage.chunk_id for passage in traced.given],
            "confidence": traced.gate.confidence,
            "created_at": trace.created_at,
        }
        return Response(body)


def _stage(stage: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "name": stage["name"],
        "ms": float(stage["ms"]),
        "note": stage.get("note", ""),
        "candidates": list(_candidates(stage)),
    }


def _candidates(stage: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """They are kept as [chunk, rank, score]."""
    for chunk, rank, *score in stage.get("candidates", ()):
        yield {"chunk": chunk, "rank": rank, "score": score[0] if score else None}
