"""What a citation points at, for programs: one passage by its id, the text that its offsets count in, the file as it came."""

from __future__ import annotations

from typing import Any

from django.http import Http404
from django.http.response import HttpResponseBase
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from documents.api import VERSION
from documents.download import original
from documents.linked import links_of_version
from documents.models import Chunk, Version
from documents.reading import Opened, opened
from documents.rows import find
from documents.serializers import ChunkSerializer
from portal.api import AnyForm, ProgramView
from portal.scope import Scope, principal


class OneChunkSerializer(ChunkSerializer):
    """A passage, and where it stands."""

    document = serializers.CharField(source="document.ref", help_text="The document's ref.")
    version = serializers.IntegerField(source="version.number", help_text="The version that it was cut from.")
    is_live = serializers.SerializerMethodField(help_text="False when a newer version has replaced that one.")

    def get_is_live(self, chunk: Any) -> bool:
        return bool(chunk.document.live_version_id == chunk.version_id)


class VersionTextSerializer(serializers.Serializer[Any]):
    """`text[start:end]`, with a passage's or a citation's offsets, is what it quotes."""

    document = serializers.CharField(help_text="The document's ref.")
    version = serializers.IntegerField(help_text="The number of the version.")
    language = serializers.CharField(allow_blank=True)
    text = serializers.CharField(allow_blank=True)


class OneChunk(ProgramView):
    serializer_class = OneChunkSerializer
    key_scopes = {"GET": "read"}
    is_one = True

    @extend_schema(operation_id="chunks_retrieve", summary="One passage by its id, as citations and searches name it")
    def get(self, request: Request, id: int) -> Response:
        with principal(self.scope):
            chunk = _chunk(self.scope, id)
            context = {
                "source_url": chunk.document.source_url,
                "links": links_of_version(self.scope, chunk.version),
            }
            return Response(OneChunkSerializer(chunk, context=context).data)


def _chunk(scope: Scope, id: int) -> Chunk:
    """Raises Http404. Needs an open principal."""
    rows = Chunk.objects.visible_to(scope).filter(document__deleted_at__isnull=True)
    rows = rows.select_related("document", "version").defer("fingerprint", "version__text", "version__boxes")
    found: Chunk | None = rows.filter(pk=id).first()
    if found is None:
        raise Http404
    return found


class DocumentText(ProgramView):
    serializer_class = VersionTextSerializer
    key_scopes = {"GET": "read"}
    is_one = True

    @extend_schema(
        operation_id="documents_text", summary="The text that was read, whole, of one version", parameters=[VERSION]
    )
    def get(self, request: Request, ref: str) -> Response:
        with principal(self.scope):
            seen = _opened(self.scope, ref, request)
            text = Version.objects.visible_to(self.scope).values_list("text", flat=True).get(pk=seen.version.pk)
        body = {"document": ref, "version": seen.version.number, "language": seen.version.language, "text": text}
        return Response(VersionTextSerializer(body).data)


class DocumentOriginal(ProgramView):
    key_scopes = {"GET": "read"}
    content_negotiation_class = AnyForm

    @extend_schema(
        operation_id="documents_original",
        summary="The file as it came, of one version",
        parameters=[VERSION],
        responses={(200, "application/octet-stream"): OpenApiTypes.BINARY},
    )
    def get(self, request: Request, ref: str) -> HttpResponseBase:
        with principal(self.scope):
            seen = _opened(self.scope, ref, request)
            blob = seen.version.blob
        return original(seen.document, seen.version, blob)


def _opened(scope: Scope, ref: str, request: Request) -> Opened:
    """Raises Http404. Needs an open principal."""
    seen = opened(scope, find(scope, ref), request.query_params.get("version", ""))
    if seen is None:
        raise Http404
    return seen
