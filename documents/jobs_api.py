"""Jobs for programs: what a 202 started, how far it is, and the way to stop it."""

from __future__ import annotations

from django.db.models import QuerySet
from django.http import Http404
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from documents import lifecycle
from documents.models import IngestJob
from documents.rows import find_writable
from documents.serializers import JobOfDocumentSerializer, JobsQuerySerializer
from portal.api import Listing, ProgramView
from portal.scope import Scope, principal


def jobs_of(scope: Scope) -> QuerySet[IngestJob]:
    """Of documents that are there; what removes a deleted one is nobody's to look at."""
    rows: QuerySet[IngestJob] = (
        IngestJob.objects.visible_to(scope).filter(document__deleted_at__isnull=True).select_related("document")
    )
    return rows


def find_job(scope: Scope, ref: str) -> IngestJob:
    found = jobs_of(scope).filter(ref=ref).first()
    if found is None:
        raise Http404
    return found


class Jobs(Listing):
    serializer_class = JobOfDocumentSerializer
    key_scopes = {"GET": "read"}
    orders = {"newest": ("-id",), "oldest": ("id",)}

    @extend_schema(
        operation_id="jobs_list", summary="Work on documents, newest first", parameters=[JobsQuerySerializer]
    )
    def get(self, request: Request) -> Response:
        asked = JobsQuerySerializer(data=request.query_params)
        asked.is_valid(raise_exception=True)
        names = {"state": "state", "kind": "kind", "document": "document__ref"}
        with principal(self.scope):
            rows = jobs_of(self.scope).filter(**{names[name]: value for name, value in asked.validated_data.items()})
            return self.answer(rows, JobOfDocumentSerializer)


class OneJob(ProgramView):
    serializer_class = JobOfDocumentSerializer
    key_scopes = {"GET": "read"}
    is_one = True

    @extend_schema(
        operation_id="jobs_retrieve", summary="One job: poll it until its state is done, failed or cancelled"
    )
    def get(self, request: Request, ref: str) -> Response:
        with principal(self.scope):
            return Response(JobOfDocumentSerializer(find_job(self.scope, ref)).data)


class CancelJob(ProgramView):
    repeats_safely = True
    serializer_class = JobOfDocumentSerializer
    key_scopes = {"POST": "ingest"}

    @extend_schema(
        operation_id="jobs_cancel",
        summary="Stop the work on its document; one that is over stays as it is",
        request=None,
        responses={200: JobOfDocumentSerializer},
    )
    def post(self, request: Request, ref: str) -> Response:
        with principal(self.scope):
            job = find_job(self.scope, ref)
            document = find_writable(self.scope, job.document.ref)
            if job.state in lifecycle.WAITING_OR_RUNNING:
                lifecycle.cancel(self.scope, document)
            return Response(JobOfDocumentSerializer(find_job(self.scope, job.ref)).data)
