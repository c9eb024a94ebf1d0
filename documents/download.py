"""The uploaded bytes back to a person or a program: to keep, never to be shown on this site."""

from __future__ import annotations

from django.http import FileResponse

from documents import blobs
from documents.models import Blob, Document, Version
from documents.scanner import may_be_given
from portal.problems import UserProblem

CSP = "sandbox; default-src 'none'"


def original(document: Document, version: Version, blob: Blob | None) -> FileResponse:
    """An attachment in pieces, in a type that no browser runs. Raises UserProblem documents.blob_missing, and documents.not_scanned
    where a scanner has not passed it (documents/scanner.py).
    """
    if not may_be_given(version):
        raise UserProblem("documents.not_scanned")
    if blob is None:
        raise UserProblem("documents.blob_missing")
    try:
        file = blobs.storage().open(blob.key)
    except FileNotFoundError as lost:
        raise UserProblem("documents.blob_missing") from lost
    response = FileResponse(
        file, as_attachment=True, filename=document.name.rpartition("/")[2], content_type="application/octet-stream"
    )
    response.headers["Content-Security-Policy"] = CSP
    response.headers["X-Content-Type-Options"] = "nosniff"
    return response
