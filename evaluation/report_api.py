"""A run's report as a file, for programs: as the page gives it."""

from __future__ import annotations

from typing import Any, cast

from django.http import HttpResponse
from django.http.response import HttpResponseBase
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request

from evaluation import report
from evaluation.api import find_run
from evaluation.gate import read_rules
from portal.api import AnyForm, ProgramView
from portal.scope import principal

TYPES = {"md": "text/markdown", "xml": "application/xml", "html": "text/html"}


class ReportQuerySerializer(serializers.Serializer[Any]):
    kind = serializers.ChoiceField(list(TYPES), default="md", help_text="xml is JUnit's.")
    baseline = serializers.CharField(required=False, max_length=24, help_text="The ref of a run to compare with.")
    fail_on = serializers.CharField(
        required=False, max_length=500, help_text="Rules, as manage.py evaluate takes them."
    )


class RunReport(ProgramView):
    key_scopes = {"GET": "read"}
    content_negotiation_class = AnyForm

    @extend_schema(
        operation_id="runs_report",
        summary="The run's report as Markdown, JUnit or HTML",
        parameters=[ReportQuerySerializer],
        responses={(200, kind): OpenApiTypes.STR for kind in TYPES.values()},
    )
    def get(self, request: Request, ref: str) -> HttpResponseBase:
        asked = ReportQuerySerializer(data=request.query_params)
        asked.is_valid(raise_exception=True)
        given = asked.validated_data
        with principal(self.scope):
            found = find_run(self.scope, ref)
            baseline = find_run(self.scope, given["baseline"]) if given.get("baseline") else None
        made = report.make(self.scope, found, baseline=baseline, rules=read_rules(given.get("fail_on", "")))
        response = HttpResponse(report.write(made, cast("report.Kind", given["kind"])))
        response.headers["Content-Type"] = f"{TYPES[given['kind']]}; charset=utf-8"
        response.headers["Content-Disposition"] = f'attachment; filename="run-{found.ref}.{given["kind"]}"'
        return response
