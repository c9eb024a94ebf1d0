"""Taking out one old version of a document, by a program, and the receipt of it."""

from __future__ import annotations

from typing import Any

from django.http import Http404
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from documents.lifecycle_api import PurgedSerializer, ReceiptSerializer
from documents.old_version import purge_version
from documents.receipt import receipt_of
from documents.rows import find, find_writable
from documents.version_views import version_of
from portal.api import ProgramView
from portal.scope import principal


class VersionPurgedSerializer(PurgedSerializer):
    """How much of a version was removed, and of what answers held of it blanked, for everyone who asked."""

    passages = serializers.IntegerField()


class PurgeVersion(ProgramView):
    serializer_class = VersionPurgedSerializer
    key_scopes = {"POST": "admin"}

    @extend_schema(
        operation_id="versions_purge",
        summary="Take out one version that answers no more, and what answers held of it, for good",
        request=None,
        responses=VersionPurgedSerializer,
    )
    def post(self, request: Request, ref: str, version_ref: str) -> Response:
        with principal(self.scope):
            document = find_writable(self.scope, ref)
            return Response(purge_version(self.scope, document, version_of(self.scope, document, version_ref)))

    def kept_of(self, response: Response) -> dict[str, Any]:
        return dict(response.data)


class VersionReceipt(ProgramView):
    serializer_class = ReceiptSerializer
    key_scopes = {"GET": "ingest"}

    @extend_schema(
        operation_id="versions_receipt", summary="The receipt of a purged version, for who purged it and for owners"
    )
    def get(self, request: Request, ref: str, version_ref: str) -> Response:
        with principal(self.scope):
            document = find(self.scope, ref)
            version = version_of(self.scope, document, version_ref)
            held = receipt_of(self.scope, version.ref) if version.purged_at else None
            if held is None:
                raise Http404
            counts = {name: getattr(held, name) for name in held.__dataclass_fields__}
        return Response(ReceiptSerializer({"document": ref, "left_in_storage": 0, **counts}).data)
