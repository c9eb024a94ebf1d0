"""Collections and documents for programs. The same use cases as the pages, under a key's scope."""

from __future__ import annotations

from typing import Any, BinaryIO, cast

from django.core.files.uploadedfile import UploadedFile
from django.db.models import QuerySet
from django.http import Http404
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.parsers import MultiPartParser
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.serializers import Serializer

from documents import lifecycle
from documents.models import Chunk, Document, Version
from documents.rows import find, find_writable, listed
from documents.serializers import (
    ChunkSerializer,
    CollectionSerializer,
    DocumentSerializer,
    DocumentsQuerySerializer,
    DocumentStateSerializer,
    NewDocumentSerializer,
    TakenSerializer,
    VersionSerializer,
)
from documents.upload import Rejected, accept, problem_of
from portal.api import Newest, ProgramView
from portal.models import Collection
from portal.problems import UserProblem
from portal.scope import Scope, principal


class InOrder(Newest):
    """Chunks in reading order."""

    ordering = "ordinal"


class Listing(ProgramView):
    """A list in pages. Rows are read and shown inside one short principal."""

    pagination_class = Newest

    def answer(self, rows: QuerySet[Any], serializer: type[Serializer[Any]], **context: Any) -> Response:
        page = self.paginate_queryset(rows)
        shown = serializer(page, many=True, context={"scope": self.scope, **context})
        return self.get_paginated_response(shown.data)


class Collections(Listing):
    serializer_class = CollectionSerializer
    key_scopes = {"GET": "read"}

    @extend_schema(operation_id="collections_list", summary="The collections that this key sees")
    def get(self, request: Request) -> Response:
        with principal(self.scope):
            return self.answer(Collection.objects.visible_to(self.scope), CollectionSerializer)


class Documents(Listing):
    serializer_class = DocumentSerializer
    parser_classes = (MultiPartParser,)
    key_scopes = {"GET": "read", "POST": "ingest"}

    @extend_schema(
        operation_id="documents_list", summary="Documents, newest first", parameters=[DocumentsQuerySerializer]
    )
    def get(self, request: Request) -> Response:
        asked = DocumentsQuerySerializer(data=request.query_params)
        asked.is_valid(raise_exception=True)
        with principal(self.scope):
            rows = listed(self.scope)
            if state := asked.validated_data.get("state"):
                rows = rows.filter(state=state)
            if ref := asked.validated_data.get("collection"):
                rows = rows.filter(collection__ref=ref)
            return self.answer(rows, DocumentSerializer)

    @extend_schema(
        operation_id="documents_create",
        summary="Upload a file: 202 when it was taken, 200 when it is here already",
        request={"multipart/form-data": NewDocumentSerializer},
        responses={202: TakenSerializer, 200: TakenSerializer},
    )
    def post(self, request: Request) -> Response:
        sent = NewDocumentSerializer(data=request.data)
        sent.is_valid(raise_exception=True)
        given = sent.validated_data
        collection = _collection(self.scope, given.get("collection", ""))
        outcome = _accept(self.scope, collection, given)
        with principal(self.scope):
            document = find(self.scope, outcome.document_ref)
            body = TakenSerializer.of(outcome, document, {"scope": self.scope})
        return Response(body, status=202 if body["outcome"] == "accepted" else 200)


def _collection(scope: Scope, ref: str) -> Collection:
    """The named collection, else the own one. Raises Http404, or UserProblem portal.read_only."""
    with principal(scope):
        seen = Collection.objects.visible_to(scope)
        named = seen.filter(ref=ref) if ref else seen.filter(kind=Collection.Kind.PRIVATE, owner_id=scope.user_id)
        found: Collection | None = named.first()
    if found is None:
        raise Http404
    if found.pk not in scope.writable_ids:
        raise UserProblem("portal.read_only")
    return found


def _accept(scope: Scope, collection: Collection, given: dict[str, Any]) -> Any:
    """Accepted or Duplicate; a refusal is raised as the UserProblem of its code."""
    file: UploadedFile[Any] = given["file"]
    if problem := problem_of(file):
        raise UserProblem(problem)
    outcome = accept(
        scope,
        collection.pk,
        name=given.get("path") or file.name or "",
        file=cast("BinaryIO", file),
        size_bytes=file.size or 0,
        source_url=given.get("source_url", ""),
    )
    if isinstance(outcome, Rejected):
        raise UserProblem(outcome.code, outcome.detail)
    return outcome


class OneDocument(ProgramView):
    serializer_class = DocumentStateSerializer
    key_scopes = {"GET": "read", "DELETE": "ingest"}

    @extend_schema(operation_id="documents_retrieve", summary="One document, with the newest work on it")
    def get(self, request: Request, ref: str) -> Response:
        with principal(self.scope):
            return Response(DocumentStateSerializer(find(self.scope, ref), context={"scope": self.scope}).data)

    @extend_schema(operation_id="documents_delete", summary="Delete a document; from now on nothing of it is found")
    def delete(self, request: Request, ref: str) -> Response:
        with principal(self.scope):
            lifecycle.delete(self.scope, find_writable(self.scope, ref))
        return Response(status=204)


class RetryDocument(ProgramView):
    serializer_class = DocumentStateSerializer
    key_scopes = {"POST": "ingest"}

    @extend_schema(
        operation_id="documents_retry",
        summary="Read the newest version again",
        request=None,
        responses={202: DocumentStateSerializer},
    )
    def post(self, request: Request, ref: str) -> Response:
        with principal(self.scope):
            document = find_writable(self.scope, ref)
            if document.state not in (Document.State.QUEUED, Document.State.READING):
                lifecycle.read_again(self.scope, document)
            body = DocumentStateSerializer(find(self.scope, ref), context={"scope": self.scope}).data
        return Response(body, status=202)


class Versions(Listing):
    serializer_class = VersionSerializer
    key_scopes = {"GET": "read"}

    @extend_schema(operation_id="documents_versions", summary="A document's versions, newest first")
    def get(self, request: Request, ref: str) -> Response:
        with principal(self.scope):
            document = find(self.scope, ref)
            rows = Version.objects.visible_to(self.scope).filter(document=document).defer("text", "boxes")
            return self.answer(rows, VersionSerializer, live_id=document.live_version_id)


VERSION = OpenApiParameter("version", str, description="A version's ref; without it the live version.")


class Chunks(Listing):
    serializer_class = ChunkSerializer
    pagination_class = InOrder
    key_scopes = {"GET": "read"}

    @extend_schema(
        operation_id="documents_chunks", summary="The passages of a version, in reading order", parameters=[VERSION]
    )
    def get(self, request: Request, ref: str) -> Response:
        with principal(self.scope):
            document = find(self.scope, ref)
            chunks = Chunk.objects.visible_to(self.scope).defer("fingerprint")
            version = document.live_version
            if wanted := request.query_params.get("version"):
                version = Version.objects.visible_to(self.scope).filter(document=document, ref=wanted).first()
                if version is None:
                    raise Http404
            rows = chunks.filter(version=version) if version else chunks.none()
            return self.answer(rows, ChunkSerializer, source_url=document.source_url)
