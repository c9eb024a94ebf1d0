"""How much of a collection was read, for programs."""

from __future__ import annotations

from dataclasses import asdict

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from documents.collections_api import find_collection
from documents.coverage import coverage_of
from documents.serializers import CoverageSerializer
from portal.api import ProgramView
from portal.scope import principal


class CollectionCoverage(ProgramView):
    serializer_class = CoverageSerializer
    key_scopes = {"GET": "read"}

    @extend_schema(operation_id="collections_coverage", summary="What was read of a collection, and what was not")
    def get(self, request: Request, ref: str) -> Response:
        with principal(self.scope):
            place = find_collection(self.scope, ref)
            seen = coverage_of(self.scope, [place.pk])[place.pk]
        return Response(CoverageSerializer({"ref": place.ref, "name": place.name, **asdict(seen)}).data)
