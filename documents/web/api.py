"""Imports from the web for programs: what a POST of a `url` started, how far it is, and another try."""

from __future__ import annotations

from django.urls import reverse
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from documents.serializers import ImportsQuerySerializer, WebImportSerializer
from documents.web.line import find_import, imports_of, try_again
from portal.api import Listing, ProgramView
from portal.scope import principal


class Imports(Listing):
    serializer_class = WebImportSerializer
    key_scopes = {"GET": "read"}
    orders = {"newest": ("-id",), "oldest": ("id",)}

    @extend_schema(
        operation_id="imports_list", summary="Imports from the web, newest first", parameters=[ImportsQuerySerializer]
    )
    def get(self, request: Request) -> Response:
        asked = ImportsQuerySerializer(data=request.query_params)
        asked.is_valid(raise_exception=True)
        names = {"state": "state", "collection": "collection__ref", "url": "url"}
        with principal(self.scope):
            rows = imports_of(self.scope)
            rows = rows.filter(**{names[name]: value for name, value in asked.validated_data.items()})
            return self.answer(rows, WebImportSerializer)


class OneImport(ProgramView):
    serializer_class = WebImportSerializer
    key_scopes = {"GET": "read"}
    is_one = True

    @extend_schema(operation_id="imports_retrieve", summary="One import: poll it until its state is done or failed")
    def get(self, request: Request, ref: str) -> Response:
        with principal(self.scope):
            return Response(WebImportSerializer(find_import(self.scope, ref)).data)


class RetryImport(ProgramView):
    serializer_class = WebImportSerializer
    key_scopes = {"POST": "ingest"}
    repeats_safely = True

    @extend_schema(
        operation_id="imports_retry",
        summary="Fetch the address again, as another import; one that is on its way stays that one",
        request=None,
        responses={202: WebImportSerializer},
    )
    def post(self, request: Request, ref: str) -> Response:
        with principal(self.scope):
            found = find_import(self.scope, ref)
        again = try_again(self.scope, found)
        with principal(self.scope):
            body = WebImportSerializer(find_import(self.scope, again.ref)).data
        return Response(body, status=202, headers={"Location": reverse("api_import", args=[again.ref])})
