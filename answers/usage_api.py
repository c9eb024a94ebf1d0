"""How much is there and how much was asked, in what the key sees."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from django.db.models import Count, Q, Sum
from django.db.models.functions import TruncDate
from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from answers.models import Answer, Question
from answers.serializers import UsageQuerySerializer, UsageSerializer
from documents.models import Document, Version
from portal.api import ProgramView
from portal.models import Workspace
from portal.scope import Scope, principal


class Usage(ProgramView):
    serializer_class = UsageSerializer
    key_scopes = {"GET": "admin"}
    is_one = True

    @extend_schema(
        operation_id="usage", summary="Documents, passages, bytes and questions", parameters=[UsageQuerySerializer]
    )
    def get(self, request: Request) -> Response:
        asked = UsageQuerySerializer(data=request.query_params)
        asked.is_valid(raise_exception=True)
        with principal(self.scope):
            return Response(UsageSerializer(_usage(self.scope, asked.validated_data["days"])).data)


def _usage(scope: Scope, days: int) -> dict[str, Any]:
    since = timezone.now() - timedelta(days=days)
    held = Document.objects.visible_to(scope).filter(deleted_at__isnull=True)
    kept = Version.objects.visible_to(scope).filter(document__deleted_at__isnull=True)
    answers = Answer.objects.visible_to(scope).filter(created_at__gte=since)
    by_day = (
        answers.annotate(date=TruncDate("created_at"))
        .values("date")
        .annotate(
            questions=Count("question_id", distinct=True),
            answered=Count("id", filter=Q(outcome=Answer.Outcome.ANSWERED)),
            declined=Count("id", filter=Q(outcome=Answer.Outcome.DECLINED)),
        )
        .order_by("-date")
    )
    return {
        "workspace_name": Workspace.objects.visible_to(scope).get().name,
        **held.aggregate(documents=Count("id"), passages=Sum("chunk_count", default=0)),
        **kept.aggregate(stored_bytes=Sum("size_bytes", default=0)),
        "questions": Question.objects.visible_to(scope).filter(asked_at__gte=since).count(),
        "by_day": list(by_day),
    }
