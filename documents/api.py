"""Collections and documents for programs. The same use cases as the pages, under a key's scope."""

from __future__ import annotations

from typing import Any, BinaryIO, cast

from django.core.files.uploadedfile import UploadedFile
from django.http import Http404
from django.urls import reverse
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.exceptions import ValidationError
from rest_framework.parsers import JSONParser, MultiPartParser
from rest_framework.request import Request
from rest_framework.response import Response

from documents import lifecycle
from documents.describe import describe
from documents.linked import links_of_version
from documents.models import Chunk, Document, Version
from documents.rows import find, find_writable, listed_in_pages
from documents.serializers import (
    ChangedDocumentSerializer,
    ChunkSerializer,
    DocumentSerializer,
    DocumentsQuerySerializer,
    DocumentStateSerializer,
    NewDocumentSerializer,
    NewWebDocumentSerializer,
    TakenSerializer,
    VersionSerializer,
    WebImportSerializer,
)
from documents.tags import cleaned
from documents.upload import Accepted, Duplicate, Rejected, accept, problem_of
from documents.web.line import ask_for, find_import
from portal.api import Listing, ProgramView
from portal.idempotency import Kept
from portal.listing import Newest
from portal.models import Collection
from portal.problems import UserProblem
from portal.scope import Scope, principal


class InOrder(Newest):
    """Chunks in reading order."""

    ordering = "ordinal"


FILTERS = {
    "collection": "collection__ref",
    "state": "state",
    "kind": "kind",
    "name": "name",
    "created_since": "created_at__gte",
    "updated_since": "updated_at__gte",
}


class Documents(Listing):
    serializer_class = DocumentSerializer
    parser_classes = (MultiPartParser, JSONParser)
    key_scopes = {"GET": "read", "POST": "ingest"}
    orders = {
        "newest": ("-id",),
        "oldest": ("id",),
        "name": ("name", "id"),
        "-name": ("-name", "-id"),
        "updated": ("updated_at", "id"),
        "-updated": ("-updated_at", "-id"),
    }

    @extend_schema(
        operation_id="documents_list", summary="Documents, newest first", parameters=[DocumentsQuerySerializer]
    )
    def get(self, request: Request) -> Response:
        asked = DocumentsQuerySerializer(data=request.query_params)
        asked.is_valid(raise_exception=True)
        wanted = {FILTERS[name]: value for name, value in asked.validated_data.items() if name != "tag"}
        if tag := cleaned(asked.validated_data.get("tag", "")):
            wanted["tags__contains"] = [tag]
        with principal(self.scope):
            return self.answer(listed_in_pages(self.scope).filter(**wanted), DocumentSerializer)

    @extend_schema(
        operation_id="documents_create",
        summary="Upload a file, or have one fetched: 202 when it was taken or asked for, 200 when it is here already",
        request={"multipart/form-data": NewDocumentSerializer, "application/json": NewWebDocumentSerializer},
        responses={202: TakenSerializer, 200: TakenSerializer},
    )
    def post(self, request: Request) -> Response:
        sent = NewDocumentSerializer(data=request.data)
        sent.is_valid(raise_exception=True)
        given = sent.validated_data
        if ("file" in given) == ("url" in given):
            raise ValidationError({"file": ["Send a file or the url of one, one of the two."]})
        collection = writable_collection(self.scope, given.get("collection", ""))
        if "url" in given:
            return self.fetching(ask_for(self.scope, collection, given["url"], name=given.get("path", "")).ref)
        return self.taken(_accept(self.scope, collection, given))

    def fetching(self, ref: str) -> Response:
        with principal(self.scope):
            shown = WebImportSerializer(find_import(self.scope, ref)).data
        at = {"Location": reverse("api_import", args=[ref])}
        body = {"outcome": "fetching", "version": None, "document": None, "import": shown}
        return Response(body, status=202, headers=at)

    def taken(self, outcome: Accepted | Duplicate) -> Response:
        with principal(self.scope):
            document = find(self.scope, outcome.document_ref)
            body = TakenSerializer.of(outcome, document, {"scope": self.scope})
        is_new = body["outcome"] == "accepted"
        at = {"Location": reverse("api_document", args=[outcome.document_ref])}
        return Response(body, status=202 if is_new else 200, headers=at)

    def kept_of(self, response: Response) -> dict[str, Any]:
        if fetched := response.data["import"]:
            return {"import": fetched["ref"]}
        return {"document": response.data["document"]["ref"], "version": response.data["version"]}

    def again(self, kept: Kept) -> Response:
        if "import" in kept.body:
            return self.fetching(kept.body["import"])
        ref, number = kept.body["document"], kept.body["version"]
        return self.taken(Duplicate(ref, "") if number is None else Accepted(ref, "", number))


def writable_collection(scope: Scope, ref: str) -> Collection:
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


def _accept(scope: Scope, collection: Collection, given: dict[str, Any]) -> Accepted | Duplicate:
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
        raise UserProblem(outcome.code, outcome.detail, retry_after_s=outcome.retry_after_s)
    return outcome


class OneDocument(ProgramView):
    serializer_class = DocumentStateSerializer
    key_scopes = {"GET": "read", "PATCH": "ingest", "DELETE": "ingest"}
    is_one = True

    @extend_schema(operation_id="documents_retrieve", summary="One document, with the newest work on it")
    def get(self, request: Request, ref: str) -> Response:
        with principal(self.scope):
            return Response(self._shown(ref))

    @extend_schema(
        operation_id="documents_update",
        summary="Give a document another name, source address or other tags",
        request=ChangedDocumentSerializer,
    )
    def patch(self, request: Request, ref: str) -> Response:
        sent = ChangedDocumentSerializer(data=request.data)
        sent.is_valid(raise_exception=True)
        with principal(self.scope):
            describe(self.scope, self._changing(ref), **sent.validated_data)
            return Response(self._shown(ref))

    @extend_schema(operation_id="documents_delete", summary="Delete a document; from now on nothing of it is found")
    def delete(self, request: Request, ref: str) -> Response:
        with principal(self.scope):
            lifecycle.delete(self.scope, self._changing(ref))
        return Response(status=204)

    def _shown(self, ref: str) -> dict[str, Any]:
        return dict(DocumentStateSerializer(find(self.scope, ref), context={"scope": self.scope}).data)

    def _changing(self, ref: str) -> Document:
        """The document, locked, in the state that If-Match names."""
        document = find_writable(self.scope, ref)
        lifecycle.lock(self.scope, document)
        self.expect(self._shown(ref))
        return document


class RetryDocument(ProgramView):
    repeats_safely = True
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
            if wanted := request.query_params.get("version", "").replace("\x00", "?"):
                version = Version.objects.visible_to(self.scope).filter(document=document, ref=wanted).first()
                if version is None:
                    raise Http404
            rows = chunks.filter(version=version) if version else chunks.none()
            links = links_of_version(self.scope, version) if version else ()
            return self.answer(rows, ChunkSerializer, source_url=document.source_url, links=links)
