"""A key by API: it sees itself, makes its successor, and ends itself. People make keys, on the Keys page."""

from __future__ import annotations

from django.http import Http404
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from portal import keys
from portal.access import scope_of_key
from portal.api import ProgramView
from portal.keys import ShownKey
from portal.program_serializers import KeySerializer, NewKeySerializer, RotationSerializer


class Keys(ProgramView):
    serializer_class = KeySerializer

    @extend_schema(
        operation_id="keys_list", summary="The key that asks: it sees no other", responses=KeySerializer(many=True)
    )
    def get(self, request: Request) -> Response:
        return Response(KeySerializer(keys.keys_of(self.scope), many=True).data)


class OneKey(ProgramView):
    serializer_class = KeySerializer
    is_one = True

    @extend_schema(operation_id="keys_retrieve", summary="The key that asks")
    def get(self, request: Request, ref: str) -> Response:
        return Response(KeySerializer(self._find(ref)).data)

    @extend_schema(operation_id="keys_revoke", summary="End the key that asks, at once and for good")
    def delete(self, request: Request, ref: str) -> Response:
        self._find(ref)
        keys.revoke(self.scope, ref)
        return Response(status=204)

    def _find(self, ref: str) -> ShownKey:
        found = keys.find_key(self.scope, ref)
        if found is None:
            raise Http404
        return found


class RotateKey(ProgramView):
    serializer_class = NewKeySerializer
    repeats_safely = True
    """The secret is said once and kept nowhere, so a repeat cannot hear it: a key is replaced once, and then it says so."""

    @extend_schema(
        operation_id="keys_rotate",
        summary="Make the key's equal; this one still works for the overlap",
        request=RotationSerializer,
        responses={201: NewKeySerializer},
    )
    def post(self, request: Request, ref: str) -> Response:
        if keys.find_key(self.scope, ref) is None:
            raise Http404
        sent = RotationSerializer(data=request.data)
        sent.is_valid(raise_exception=True)
        key = keys.rotate(self.scope, ref, overlap_minutes=sent.validated_data["overlap_minutes"])
        return Response({**KeySerializer(_made(key)).data, "key": key}, status=201)


def _made(key: str) -> ShownKey:
    """The new key as it sees itself: without an overlap the old one sees nothing any more."""
    scope = scope_of_key(key)
    found = None if scope is None else keys.find_key(scope, key.split("_")[1])
    if found is None:
        raise Http404
    return found
