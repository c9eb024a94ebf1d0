"""A zip archive from a program: every file in it for itself, and what became of each."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any, BinaryIO, cast

from django.core.files.uploadedfile import UploadedFile
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.parsers import MultiPartParser
from rest_framework.request import Request
from rest_framework.response import Response

from documents.api import writable_collection
from documents.archives import accept_archive, is_archive
from documents.serializers import ReasonSerializer
from documents.text.addresses import web_address
from documents.upload import Accepted, Duplicate, LeftOut, Rejected, Result, document_name, problem_of
from portal.api import ProgramView
from portal.problems import UserProblem, words_for

OUTCOMES = ("accepted", "duplicate", "refused", "left_out")


class NewArchiveSerializer(serializers.Serializer[Any]):
    """Without `collection` the files go to My documents; `base_url` is where the archive's files are published."""

    file = serializers.FileField(allow_empty_file=True)
    collection = serializers.CharField(required=False, max_length=24)
    base_url = serializers.CharField(required=False, allow_blank=True, max_length=1000)

    def validate_base_url(self, value: str) -> str:
        if value and not web_address(value):
            raise serializers.ValidationError("This is no web address that can be opened.")
        return value


class ArchiveFileSerializer(serializers.Serializer[Any]):
    """What became of one file; `count` is above 1 for the files of a site that hold no text, which are told together."""

    name = serializers.CharField()
    outcome = serializers.ChoiceField(OUTCOMES)
    document = serializers.CharField(allow_null=True, help_text="The document's ref.")
    version = serializers.IntegerField(allow_null=True, help_text="The new version's number.")
    count = serializers.IntegerField()
    reason = ReasonSerializer(allow_null=True)


class ArchiveReportSerializer(serializers.Serializer[Any]):
    """How many files had which outcome, and each of them in the archive's order."""

    accepted = serializers.IntegerField()
    duplicate = serializers.IntegerField()
    refused = serializers.IntegerField()
    left_out = serializers.IntegerField()
    files = ArchiveFileSerializer(many=True)


class Archives(ProgramView):
    serializer_class = ArchiveReportSerializer
    parser_classes = (MultiPartParser,)
    key_scopes = {"POST": "ingest"}

    @extend_schema(
        operation_id="archives_create",
        summary="Upload a zip archive: each file in it becomes a document; 202 when any was taken",
        request={"multipart/form-data": NewArchiveSerializer},
        responses={202: ArchiveReportSerializer, 200: ArchiveReportSerializer},
    )
    def post(self, request: Request) -> Response:
        sent = NewArchiveSerializer(data=request.data)
        sent.is_valid(raise_exception=True)
        given = sent.validated_data
        collection = writable_collection(self.scope, given.get("collection", ""))
        file: UploadedFile[Any] = given["file"]
        if problem := problem_of(file):
            raise UserProblem(problem)
        name, data = file.name or "", cast("BinaryIO", file)
        if not is_archive(name, data):
            raise UserProblem("documents.mislabelled", "It is no zip archive, or its name does not end in .zip.")
        results = accept_archive(self.scope, collection.pk, name=name, file=data, base_url=given.get("base_url", ""))
        if len(results) == 1 and isinstance(results[0], Rejected) and results[0].name == document_name(name):
            raise UserProblem(results[0].code, results[0].detail)
        body = report_of_results(results)
        return Response(body, status=202 if body["accepted"] else 200)

    def kept_of(self, response: Response) -> dict[str, Any]:
        """Without the names that were sent, and what tells of them: a repeat says which file by its place."""
        files = [
            {**file, "name": str(place), "reason": _bare(file["reason"])}
            for place, file in enumerate(response.data["files"])
        ]
        return {**response.data, "files": files}


def _bare(reason: dict[str, str] | None) -> dict[str, str] | None:
    return reason and {**reason, "detail": ""}


def report_of_results(results: Sequence[Result]) -> dict[str, Any]:
    files = [_file(result) for result in results]
    counts: Counter[str] = Counter()
    for file in files:
        counts[file["outcome"]] += file["count"]
    return {**{outcome: counts[outcome] for outcome in OUTCOMES}, "files": files}


def _file(result: Result) -> dict[str, Any]:
    bare = {"name": result.name, "document": None, "version": None, "count": 1, "reason": None}
    if isinstance(result, LeftOut):
        return {**bare, "outcome": "left_out", "count": result.count}
    if isinstance(result, Accepted):
        return {**bare, "outcome": "accepted", "document": result.document_ref, "version": result.number}
    if isinstance(result, Duplicate):
        return {**bare, "outcome": "duplicate", "document": result.document_ref}
    words = words_for(result.code)
    reason = {"code": result.code, "title": words.title, "detail": result.detail, "advice": words.advice}
    return {**bare, "outcome": "refused", "reason": reason}
