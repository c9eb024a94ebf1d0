"""Questions for programs: asked, answered with citations, read again, deleted. The history is the key owner's own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, cast

from django.conf import settings
from django.db.models import Prefetch
from django.http import Http404
from django.urls import reverse
from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from answers import ask as walk
from answers import conversation
from answers.ask import AskSettings
from answers.history import clear
from answers.model_writer import writer_for
from answers.models import Answer, Citation, Question
from answers.programs import show_question
from answers.rules import guard
from answers.serializers import NewQuestionSerializer, PastQuestionSerializer, QuestionSerializer
from answers.standing import FOR_STANDING, standings
from portal.api import ProgramView
from portal.idempotency import Kept
from portal.listing import Newest
from portal.pages import chosen_ids
from portal.problems import UserProblem
from portal.scope import Scope, principal


class Questions(ProgramView):
    serializer_class = PastQuestionSerializer
    pagination_class = Newest
    key_scopes = {"GET": "ask", "POST": "ask", "DELETE": "ask"}
    orders = {"newest": ("-id",), "oldest": ("id",)}

    @extend_schema(operation_id="questions_list", summary="What was asked, newest first")
    def get(self, request: Request) -> Response:
        with principal(self.scope):
            citations = Prefetch("citations", Citation.objects.visible_to(self.scope).only(*FOR_STANDING))
            answers = Prefetch(
                "answers", Answer.objects.visible_to(self.scope).prefetch_related(citations).order_by("-id")
            )
            page = self.paginate_queryset(Question.objects.visible_to(self.scope).prefetch_related(answers)) or []
            context = {"stale": _stale(self.scope, page)}
            return self.get_paginated_response(PastQuestionSerializer(page, many=True, context=context).data)

    @extend_schema(
        operation_id="questions_create",
        summary="Ask; the answer comes with its citations",
        request=NewQuestionSerializer,
        responses={201: QuestionSerializer},
    )
    def post(self, request: Request) -> Response:
        sent = NewQuestionSerializer(data=request.data)
        sent.is_valid(raise_exception=True)
        return self._asked(answer_to(self.scope, sent.validated_data))

    @extend_schema(
        operation_id="questions_clear",
        summary="Delete all questions of the key's owner, with their answers, and those being answered",
        request=None,
        responses={204: None},
    )
    def delete(self, request: Request) -> Response:
        clear(self.scope)
        return Response(status=204)

    def _asked(self, ref: str) -> Response:
        with principal(self.scope):
            answer = find_answer(self.scope, ref)
            body = show_question(self.scope, answer.question, answer)
        return Response(body, status=201, headers={"Location": reverse("api_question", args=[body["ref"]])})

    def kept_of(self, response: Response) -> dict[str, Any]:
        return {"answer": response.data["answer"]["ref"]}

    def again(self, kept: Kept) -> Response:
        return self._asked(kept.body["answer"])


def find_answer(scope: Scope, ref: str) -> Answer:
    """One of the own answers, with its question. Raises Http404. Needs an open principal."""
    found: Answer | None = Answer.objects.visible_to(scope).select_related("question").filter(ref=ref).first()
    if found is None:
        raise Http404
    return found


def _stale(scope: Scope, questions: Sequence[Question]) -> dict[int, bool]:
    """By question id, whether a source of its newest answer is no longer what it was."""
    newest = [answer for question in questions for answer in list(question.answers.all())[:1]]
    found = standings(scope, newest, [citation for answer in newest for citation in answer.citations.all()])
    return {answer.question_id: found[answer.pk].is_stale for answer in newest}


def answer_to(scope: Scope, sent: Mapping[str, Any]) -> str:
    """The ref of the answer.

    Raises UserProblem for what is no question, for collections of which none is visible, or a question before that is none of
    the key owner's.
    """
    refs = sent.get("collections")
    chosen = None if refs is None else chosen_ids(scope, refs)
    if refs is not None and not chosen:
        raise UserProblem("answers.no_collection")
    previous = sent.get("previous")
    talk = (
        conversation.after(scope, previous, as_written=sent.get("as_written", False))
        if previous
        else conversation.ALONE
    )
    if talk is None:
        raise UserProblem("answers.no_previous")
    options = AskSettings(collection_ids=chosen, guard_mode=cast("guard.Mode", settings.GUARD_MODE))
    writer = writer_for(scope)
    for event in walk.ask(scope, sent["question"], settings=options, now=timezone.now(), writer=writer, talk=talk):
        if isinstance(event, walk.Refused):
            raise UserProblem(event.code)
        if isinstance(event, walk.Meta):
            return event.answer_ref
    raise RuntimeError("ask() ended without its last event")


class OneQuestion(ProgramView):
    serializer_class = QuestionSerializer
    is_one = True
    key_scopes = {"GET": "ask", "DELETE": "ask"}

    @extend_schema(operation_id="questions_retrieve", summary="One question with its answer")
    def get(self, request: Request, ref: str) -> Response:
        with principal(self.scope):
            question = self._find(ref)
            answer = Answer.objects.visible_to(self.scope).filter(question=question).order_by("-id").first()
            if answer is None:
                raise Http404
            body: dict[str, Any] = show_question(self.scope, question, answer)
        return Response(body)

    @extend_schema(operation_id="questions_delete", summary="Delete a question with its answer and quotes")
    def delete(self, request: Request, ref: str) -> Response:
        with principal(self.scope):
            self._find(ref).delete()
        return Response(status=204)

    def _find(self, ref: str) -> Question:
        question: Question | None = Question.objects.visible_to(self.scope).filter(ref=ref).first()
        if question is None:
            raise Http404
        return question
