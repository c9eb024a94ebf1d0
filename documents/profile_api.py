"""How a collection cuts, keeps and searches its documents, for programs."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from documents.collection import LARGEST, RANKERS, SMALLEST, SPLITTERS, Profile
from documents.collection_views import keep
from documents.collections_api import find_collection
from portal.api import ProgramView
from portal.problems import UserProblem
from portal.scope import principal


class ProfileSerializer(serializers.Serializer[Any]):
    """Sizes are tokens of the embedding model. A change of the first three reads the collection's documents again."""

    ref = serializers.CharField(read_only=True)
    name = serializers.CharField(read_only=True)
    splitter = serializers.ChoiceField(tuple(SPLITTERS))
    max_tokens = serializers.IntegerField(min_value=SMALLEST, max_value=LARGEST)
    overlap_tokens = serializers.IntegerField(min_value=0, max_value=LARGEST - 1, help_text="Below max_tokens.")
    keeps_original = serializers.BooleanField(help_text="Whether files stay after they were read, or the text alone.")
    ranker = serializers.ChoiceField(
        tuple(RANKERS),
        required=False,
        allow_blank=True,
        help_text="How it is searched when nobody says otherwise: words and meaning, or words alone; blank as the deployment does."
        " Left out, it stays as it is.",
    )

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        if attrs["overlap_tokens"] >= attrs["max_tokens"]:
            raise serializers.ValidationError({"overlap_tokens": ["It must be below max_tokens."]})
        return attrs


class CollectionProfile(ProgramView):
    serializer_class = ProfileSerializer
    key_scopes = {"GET": "read", "PUT": "ingest"}

    @extend_schema(operation_id="collections_profile", summary="How its documents are cut and kept")
    def get(self, request: Request, ref: str) -> Response:
        with principal(self.scope):
            return self._shown(ref)

    @extend_schema(
        operation_id="collections_profile_update",
        summary="Cut and keep them otherwise; what is there is read again",
        request=ProfileSerializer,
    )
    def put(self, request: Request, ref: str) -> Response:
        sent = ProfileSerializer(data=request.data)
        sent.is_valid(raise_exception=True)
        with principal(self.scope):
            place = find_collection(self.scope, ref)
            if place.pk not in self.scope.writable_ids:
                raise UserProblem("portal.read_only")
            keep(self.scope, place, Profile(**{"ranker": place.ranker, **sent.validated_data}))
            return self._shown(ref)

    def _shown(self, ref: str) -> Response:
        place = find_collection(self.scope, ref)
        return Response(ProfileSerializer({"ref": place.ref, "name": place.name, **asdict(Profile.of(place))}).data)
