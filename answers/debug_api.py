"""The debugger for programs: why a passage is not in an answer, and what the same question gives today."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any, cast

from django.conf import settings
from django.http import Http404
from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from answers import missing, replay
from answers.api import find_answer
from answers.ask import AskSettings
from answers.models import Answer
from answers.rules import guard
from portal.api import ProgramView
from portal.scope import Scope, principal


class MarkSerializer(serializers.Serializer[Any]):
    """What should have been there: a passage by its id, or words, in a named document or anywhere."""

    words = serializers.CharField(required=False, allow_blank=True, max_length=missing.MAX_WORDS)
    document = serializers.CharField(
        required=False, allow_blank=True, max_length=500, help_text="A ref, a name or a title."
    )
    chunk = serializers.IntegerField(required=False, min_value=1, max_value=2**63 - 1)

    def validate(self, sent: dict[str, Any]) -> dict[str, Any]:
        if not any(sent.get(name) for name in ("words", "document", "chunk")):
            raise serializers.ValidationError("Name a chunk, a document or words.")
        return sent


class VerdictSerializer(serializers.Serializer[Any]):
    """The stage that lost one passage: `code` is "" for one that the answer uses."""

    code = serializers.CharField(allow_blank=True)
    says = serializers.CharField()
    advice = serializers.CharField()
    title = serializers.CharField(allow_blank=True)
    where = serializers.CharField(allow_blank=True)
    url = serializers.CharField(allow_blank=True)
    places = serializers.ListField(child=serializers.CharField(), help_text="Where each list of the search had it.")


class WhyNotSerializer(serializers.Serializer[Any]):
    answer = serializers.CharField(help_text="The answer's ref.")
    verdicts = VerdictSerializer(many=True)


class WhyNot(ProgramView):
    serializer_class = WhyNotSerializer
    key_scopes = {"POST": "ask"}
    repeats_safely = True

    @extend_schema(
        operation_id="answers_why_not",
        summary="At which stage the answer lost a passage",
        request=MarkSerializer,
        responses={200: WhyNotSerializer},
    )
    def post(self, request: Request, ref: str) -> Response:
        sent = MarkSerializer(data=request.data)
        sent.is_valid(raise_exception=True)
        given = sent.validated_data
        answer = _find(self.scope, ref)
        mark = missing.Mark(given.get("words", ""), given.get("document", ""), given.get("chunk"))
        verdicts = [asdict(one) for one in missing.look(self.scope, answer, mark)]
        return Response(WhyNotSerializer({"answer": answer.ref, "verdicts": verdicts}).data)


class SideSerializer(serializers.Serializer[Any]):
    verdict = serializers.CharField(allow_blank=True)
    text = serializers.CharField(allow_blank=True)
    reason = serializers.CharField(allow_blank=True)
    passages = serializers.ListField(child=serializers.CharField())


class ReplaySerializer(serializers.Serializer[Any]):
    """`changes` says what differs, and is empty when nothing does. Nothing of it is kept."""

    answer = serializers.CharField(help_text="The answer's ref.")
    question = serializers.CharField()
    then = SideSerializer()
    now = SideSerializer()
    changes = serializers.ListField(child=serializers.CharField())


class Replay(ProgramView):
    serializer_class = ReplaySerializer
    key_scopes = {"POST": "ask"}
    repeats_safely = True

    @extend_schema(
        operation_id="answers_replay",
        summary="The same question today, beside what was answered then; counts as a question",
        request=None,
        responses={200: ReplaySerializer},
    )
    def post(self, request: Request, ref: str) -> Response:
        answer = _find(self.scope, ref)
        if answer.outcome not in (Answer.Outcome.ANSWERED, Answer.Outcome.DECLINED):
            raise Http404
        seen = set(self.scope.collection_ids) & set(answer.question.collection_ids)
        options = AskSettings(collection_ids=tuple(sorted(seen)), guard_mode=cast("guard.Mode", settings.GUARD_MODE))
        again = replay.replay(self.scope, answer, options, now=timezone.now())
        body = {
            "answer": answer.ref,
            "question": answer.question.text,
            "then": _side(again.then),
            "now": _side(again.now),
            "changes": list(again.changes),
        }
        return Response(ReplaySerializer(body).data)


def _side(side: replay.Side) -> dict[str, Any]:
    lines = [line.title for line in side.lines]
    return {"verdict": side.verdict, "text": side.text, "reason": side.reason, "passages": lines}


def _find(scope: Scope, ref: str) -> Answer:
    with principal(scope):
        return find_answer(scope, ref)
