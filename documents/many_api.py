"""Many at once: files in one request, one action on many documents. Every item succeeds or fails by itself."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, cast

from django.http import Http404, QueryDict
from drf_spectacular.utils import extend_schema
from rest_framework.exceptions import ValidationError
from rest_framework.parsers import MultiPartParser
from rest_framework.request import Request
from rest_framework.response import Response

from documents import lifecycle
from documents.api import writable_collection
from documents.batch import accept_all
from documents.models import Document
from documents.rows import find_writable
from documents.serializers import BulkSerializer, ManyFilesSerializer, ManyResultsSerializer
from documents.upload import Accepted, LeftOut, Rejected, Result
from portal.api import ProgramView
from portal.problems import UserProblem, words_for
from portal.scope import Scope, principal


def item(name: str, status: int, *, code: str = "", document: str | None = None, version: int | None = None) -> Any:
    title = words_for(code).title if code else ""
    return {"item": name, "status": status, "code": code, "title": title, "document": document, "version": version}


class _Many(ProgramView):
    serializer_class = ManyResultsSerializer
    key_scopes = {"POST": "ingest"}

    def kept_of(self, response: Response) -> dict[str, Any]:
        """Without the names that were sent: a repeat says which by their place."""
        return {"results": [{**row, "item": str(place)} for place, row in enumerate(response.data["results"])]}


class DocumentsBatch(_Many):
    parser_classes = (MultiPartParser,)

    @extend_schema(
        operation_id="documents_batch",
        summary="Upload many files, with a result for each",
        request={"multipart/form-data": ManyFilesSerializer},
        responses={202: ManyResultsSerializer},
    )
    def post(self, request: Request) -> Response:
        form = cast("QueryDict", request.data)
        files, paths = request.FILES.getlist("file"), form.getlist("path")
        sent = ManyFilesSerializer(data={"file": files, "path": paths, **_named(form)})
        sent.is_valid(raise_exception=True)
        if paths and len(paths) != len(files):
            raise ValidationError({"path": ["As many as files, or none."]})
        collection = writable_collection(self.scope, sent.validated_data.get("collection", ""))
        outcomes = accept_all(self.scope, collection.pk, files=files, paths=paths)
        return Response({"results": [_result(outcome) for outcome in outcomes]}, status=202)


def _named(data: Mapping[str, Any]) -> dict[str, str]:
    return {"collection": str(data["collection"])} if "collection" in data else {}


def _result(outcome: Result) -> dict[str, Any]:
    if isinstance(outcome, LeftOut):
        return dict(item(f"{outcome.name} ({outcome.count})", 200))
    if isinstance(outcome, Rejected):
        return dict(item(outcome.name, words_for(outcome.code).status, code=outcome.code))
    if isinstance(outcome, Accepted):
        return dict(item(outcome.name, 202, document=outcome.document_ref, version=outcome.number))
    return dict(item(outcome.name, 200, document=outcome.document_ref))


def _retry(scope: Scope, document: Document) -> int:
    if document.state not in (Document.State.QUEUED, Document.State.READING):
        lifecycle.read_again(scope, document)
    return 202


def _delete(scope: Scope, document: Document) -> int:
    lifecycle.delete(scope, document)
    return 204


def _disable(scope: Scope, document: Document) -> int:
    lifecycle.disable(scope, document)
    return 200


def _enable(scope: Scope, document: Document) -> int:
    lifecycle.enable(scope, document)
    return 200


ACTIONS: Mapping[str, Callable[[Scope, Document], int]] = {
    "retry": _retry,
    "delete": _delete,
    "disable": _disable,
    "enable": _enable,
}


class DocumentsBulk(_Many):
    @extend_schema(
        operation_id="documents_bulk",
        summary="One action on many documents, with a result for each",
        request=BulkSerializer,
        responses={200: ManyResultsSerializer},
    )
    def post(self, request: Request) -> Response:
        sent = BulkSerializer(data=request.data)
        sent.is_valid(raise_exception=True)
        act = ACTIONS[sent.validated_data["action"]]
        refs = dict.fromkeys(sent.validated_data["documents"])
        return Response({"results": [self._one(act, ref) for ref in refs]})

    def _one(self, act: Callable[[Scope, Document], int], ref: str) -> dict[str, Any]:
        try:
            with principal(self.scope):
                return dict(item(ref, act(self.scope, find_writable(self.scope, ref)), document=ref))
        except Http404:
            return dict(item(ref, 404, code="portal.not_found"))
        except UserProblem as problem:
            return dict(item(ref, words_for(problem.code).status, code=problem.code))
