"""What programs do with a whole document: switch it off and on, move, purge, and read the receipt of a deletion."""

from __future__ import annotations

from typing import Any

from django.http import Http404
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from documents import lifecycle
from documents.models import Document
from documents.receipt import left_in_storage, receipt_of
from documents.rows import find, find_writable, purgeable
from documents.serializers import DocumentStateSerializer
from portal.api import ProgramView
from portal.models import Collection
from portal.scope import principal


class MoveSerializer(serializers.Serializer[Any]):
    collection = serializers.CharField(max_length=24, help_text="The ref of a collection that this key may add to.")


class ReceiptSerializer(serializers.Serializer[Any]):
    """What a search still found of a deleted document: `retrievable` of `passages`, looked for in three ways."""

    document = serializers.CharField()
    at = serializers.DateTimeField()
    by = serializers.CharField(allow_blank=True, help_text="Who deleted it.")
    passages = serializers.IntegerField()
    retrievable = serializers.IntegerField()
    by_id = serializers.IntegerField()
    sentences = serializers.IntegerField()
    by_sentence = serializers.IntegerField()
    vectors = serializers.IntegerField()
    by_neighbours = serializers.IntegerField()
    left_in_storage = serializers.IntegerField(help_text="Passages that the worker has not removed yet.")


class PurgedSerializer(serializers.Serializer[Any]):
    """How much of what other parts held of the document was blanked, for everyone who asked."""

    citations = serializers.IntegerField()
    answers = serializers.IntegerField()
    traces = serializers.IntegerField()


class DocumentVerb(ProgramView):
    """A verb on a document that the key may change; answers with the document as it is then."""

    serializer_class = DocumentStateSerializer
    key_scopes = {"POST": "ingest"}
    repeats_safely = True

    def shown(self, ref: str) -> Response:
        return Response(DocumentStateSerializer(find(self.scope, ref), context={"scope": self.scope}).data)


class DisableDocument(DocumentVerb):
    @extend_schema(
        operation_id="documents_disable",
        summary="Keep it, and answer no question from it",
        request=None,
        responses=DocumentStateSerializer,
    )
    def post(self, request: Request, ref: str) -> Response:
        with principal(self.scope):
            lifecycle.disable(self.scope, find_writable(self.scope, ref))
            return self.shown(ref)


class EnableDocument(DocumentVerb):
    @extend_schema(
        operation_id="documents_enable",
        summary="Answer questions from it again",
        request=None,
        responses=DocumentStateSerializer,
    )
    def post(self, request: Request, ref: str) -> Response:
        with principal(self.scope):
            lifecycle.enable(self.scope, find_writable(self.scope, ref))
            return self.shown(ref)


class MoveDocument(DocumentVerb):
    @extend_schema(
        operation_id="documents_move",
        summary="Move it to another collection; who sees it changes at once",
        request=MoveSerializer,
        responses=DocumentStateSerializer,
    )
    def post(self, request: Request, ref: str) -> Response:
        sent = MoveSerializer(data=request.data)
        sent.is_valid(raise_exception=True)
        with principal(self.scope):
            document = find_writable(self.scope, ref)
            target = Collection.objects.visible_to(self.scope).filter(ref=sent.validated_data["collection"]).first()
            if target is None:
                raise Http404
            lifecycle.move(self.scope, document, target)
            return self.shown(ref)


class DocumentReceipt(ProgramView):
    serializer_class = ReceiptSerializer
    key_scopes = {"GET": "ingest"}

    @extend_schema(
        operation_id="documents_receipt", summary="The receipt of a deletion, for who deleted and for owners"
    )
    def get(self, request: Request, ref: str) -> Response:
        with principal(self.scope):
            gone = Document.objects.visible_to(self.scope).filter(ref=ref, deleted_at__isnull=False).first()
            held = receipt_of(self.scope, ref) if gone else None
            if gone is None or held is None:
                raise Http404
            counts = {name: getattr(held, name) for name in held.__dataclass_fields__}
            left = left_in_storage(self.scope, gone)
        return Response(ReceiptSerializer({"document": ref, "left_in_storage": left, **counts}).data)


class PurgeDocument(ProgramView):
    serializer_class = PurgedSerializer
    key_scopes = {"POST": "admin"}

    @extend_schema(
        operation_id="documents_purge",
        summary="Delete it, its name and what answers held of it, for good",
        request=None,
        responses=PurgedSerializer,
    )
    def post(self, request: Request, ref: str) -> Response:
        with principal(self.scope):
            return Response(lifecycle.purge(self.scope, purgeable(self.scope, ref)))

    def kept_of(self, response: Response) -> dict[str, Any]:
        return dict(response.data)
