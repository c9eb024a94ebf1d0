"""Feedback for programs: given on the own answers, looked at and settled by editors."""

from __future__ import annotations

from typing import Any

from django.http import Http404
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from evaluation import feedback
from evaluation.api import BY_AGE, find_set
from evaluation.models import Feedback
from evaluation.serializers import (
    FeedbackQuerySerializer,
    FeedbackSerializer,
    NewFeedbackSerializer,
    SettleSerializer,
)
from portal.api import Listing, ProgramView
from portal.idempotency import Kept
from portal.scope import Scope, principal


def find_feedback(scope: Scope, ref: str) -> Feedback:
    """Raises Http404. Needs an open principal."""
    found: Feedback | None = Feedback.objects.visible_to(scope).filter(ref=ref).first()
    if found is None:
        raise Http404
    return found


class _Given(ProgramView):
    """Answers with one feedback, on a repeat too."""

    serializer_class = FeedbackSerializer

    def shown(self, ref: str, status: int) -> Response:
        with principal(self.scope):
            return Response(FeedbackSerializer(find_feedback(self.scope, ref)).data, status=status)

    def kept_of(self, response: Response) -> dict[str, Any]:
        return {"ref": response.data["ref"]}

    def again(self, kept: Kept) -> Response:
        return self.shown(kept.body["ref"], kept.status)


class AnswerFeedback(_Given):
    key_scopes = {"POST": "ask"}

    @extend_schema(
        operation_id="answers_feedback",
        summary="Say what you think of an answer, in place of what you said before; editors may then read the question",
        request=NewFeedbackSerializer,
        responses={201: FeedbackSerializer},
    )
    def post(self, request: Request, ref: str) -> Response:
        with principal(self.scope):
            answer = feedback.own_answer(self.scope, ref)
        if answer is None:
            raise Http404
        sent = NewFeedbackSerializer(data=request.data)
        sent.is_valid(raise_exception=True)
        return self.shown(feedback.give(self.scope, answer, feedback.Said(**sent.validated_data)).ref, 201)


class Feedbacks(Listing):
    serializer_class = FeedbackSerializer
    key_scopes = {"GET": "read"}
    orders = BY_AGE

    @extend_schema(
        operation_id="feedback_list",
        summary="What members said: an editor's key sees everybody's, a reader's the own",
        parameters=[FeedbackQuerySerializer],
    )
    def get(self, request: Request) -> Response:
        asked = FeedbackQuerySerializer(data=request.query_params)
        asked.is_valid(raise_exception=True)
        with principal(self.scope):
            rows = Feedback.objects.visible_to(self.scope).filter(**asked.validated_data)
            return self.answer(rows, FeedbackSerializer)


class OneFeedback(_Given):
    key_scopes = {"GET": "read", "POST": "admin"}
    is_one = True

    @extend_schema(operation_id="feedback_retrieve", summary="One feedback")
    def get(self, request: Request, ref: str) -> Response:
        return self.shown(ref, 200)

    @extend_schema(
        operation_id="feedback_settle",
        summary="Make a draft question of it, or put it aside; editors do",
        request=SettleSerializer,
    )
    def post(self, request: Request, ref: str) -> Response:
        with principal(self.scope):
            found = find_feedback(self.scope, ref)
        sent = SettleSerializer(data=request.data)
        sent.is_valid(raise_exception=True)
        if sent.validated_data["do"] == "dismiss":
            feedback.dismiss(self.scope, found)
        else:
            feedback.take(self.scope, found, self._into(sent.validated_data.get("golden_set", "")))
        return self.shown(ref, 200)

    def _into(self, ref: str) -> Any:
        with principal(self.scope):
            return find_set(self.scope, ref) if ref else None
