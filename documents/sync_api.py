"""A collection kept in step with a folder elsewhere: compare a manifest, send what is wanted, then settle (docs/connectors.md)."""

from __future__ import annotations

import json
from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from documents.collections_api import find_collection
from documents.manifest import Manifest, manifest_of
from documents.sync import Plan, compare, settle
from documents.text.addresses import web_address
from portal.api import ProgramView
from portal.scope import principal

MOST_PATHS = 50_000
MOST_DELETED = 500
"""In one call, which is one transaction; `remaining` says how many are left for the next."""


class SyncSerializer(serializers.Serializer[Any]):
    """`manifest`: lines of sha256sum as one text, or `{"path": "sha256"}`, or a list of `{"path", "sha256"}`."""

    manifest = serializers.JSONField()
    prefix = serializers.CharField(
        required=False,
        allow_blank=True,
        max_length=200,
        help_text="A folder in the collection; nothing outside it is touched.",
    )
    base_url = serializers.CharField(required=False, allow_blank=True, max_length=1000)
    settle = serializers.BooleanField(
        default=False, help_text="Check that all is here, then delete what is not listed."
    )
    refused = serializers.ListField(
        child=serializers.CharField(max_length=2000), required=False, max_length=MOST_PATHS, help_text="Not waited for."
    )

    def validate_manifest(self, value: Any) -> Manifest:
        try:
            found = manifest_of(value if isinstance(value, str) else json.dumps(value))
        except ValueError as trouble:
            raise serializers.ValidationError(str(trouble)) from None
        if len(found) > MOST_PATHS:
            raise serializers.ValidationError(f"It lists more than {MOST_PATHS:,} files.")
        return found

    def validate_base_url(self, value: str) -> str:
        if value and not web_address(value):
            raise serializers.ValidationError("This is no web address that can be opened.")
        return value


class SyncedSerializer(serializers.Serializer[Any]):
    wanted = serializers.ListField(child=serializers.CharField(), help_text="Paths to send with documents/batch/.")
    unchanged = serializers.IntegerField()
    gone = serializers.ListField(
        child=serializers.CharField(), help_text="Names that are not listed: deleted by settling."
    )
    deleted = serializers.ListField(child=serializers.CharField())
    readdressed = serializers.IntegerField()
    remaining = serializers.IntegerField(help_text="Still to be deleted: settle once more.")


class CollectionSync(ProgramView):
    serializer_class = SyncedSerializer
    key_scopes = {"POST": "ingest"}
    repeats_safely = True

    @extend_schema(
        operation_id="collections_sync",
        summary="Compare a manifest with the collection; with `settle`, delete what is not in it once all of it is here",
        request=SyncSerializer,
        responses={200: SyncedSerializer},
    )
    def post(self, request: Request, ref: str) -> Response:
        with principal(self.scope):
            place = find_collection(self.scope, ref)
        sent = SyncSerializer(data=request.data)
        sent.is_valid(raise_exception=True)
        given = sent.validated_data
        plan = Plan(given.get("base_url", ""), given.get("prefix", ""), may_delete=True, manifest=given["manifest"])
        if given["settle"]:
            done = settle(self.scope, place.pk, plan, refused=given.get("refused", ()), most=MOST_DELETED)
            return Response(
                _shown(
                    deleted=done.deleted,
                    readdressed=done.readdressed,
                    remaining=done.left_out,
                    unchanged=done.unchanged,
                )
            )
        found = compare(self.scope, place.pk, plan)
        return Response(_shown(wanted=list(found.wanted), unchanged=found.unchanged, gone=list(found.gone)))


def _shown(**values: Any) -> dict[str, Any]:
    return {"wanted": [], "unchanged": 0, "gone": [], "deleted": [], "readdressed": 0, "remaining": 0, **values}
