"""ETag, If-None-Match and If-Match of one thing's representation."""

from __future__ import annotations

import hashlib
from typing import Any

from rest_framework.renderers import JSONRenderer
from rest_framework.request import Request
from rest_framework.response import Response

from portal.problems import UserProblem


def etag_of(body: Any) -> str:
    """A strong tag of the body as JSON."""
    return f'"{hashlib.sha256(JSONRenderer().render(body)).hexdigest()[:32]}"'


def expect(request: Request, body: Any) -> None:
    """Refuse the change when If-Match names another state than `body`. Call it with the row locked."""
    wanted = request.headers.get("If-Match")
    if wanted is None or wanted.strip() == "*":
        return
    if etag_of(body) not in _tags(wanted):
        raise UserProblem("portal.changed_meanwhile")


def stamp(request: Request, response: Response) -> Response:
    """ETag on the answer; 304 without a body when the reader has it already."""
    tag = etag_of(response.data)
    known = request.headers.get("If-None-Match", "")
    if request.method in ("GET", "HEAD") and (tag in _tags(known) or known.strip() == "*"):
        response = Response(status=304)
    response.headers["ETag"] = tag
    return response


def _tags(header: str) -> list[str]:
    return [tag.strip().removeprefix("W/") for tag in header.split(",")]
