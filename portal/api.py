"""What every API view for programs has: the key's scope, the right that each method needs, paging, problem documents."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from django.db.models import QuerySet
from django.http import Http404
from drf_spectacular.extensions import OpenApiAuthenticationExtension
from rest_framework.generics import GenericAPIView
from rest_framework.metadata import SimpleMetadata
from rest_framework.negotiation import BaseContentNegotiation
from rest_framework.pagination import CursorPagination
from rest_framework.permissions import BasePermission
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.serializers import Serializer
from rest_framework.views import APIView

from portal import idempotency, preconditions
from portal.access import Program
from portal.idempotency import Kept, Replay
from portal.listing import Newest
from portal.problems import UserProblem
from portal.scope import Scope


class KeyScope(BasePermission):
    """The key must name the scope that the view's method needs. Looked at before anything is looked up."""

    def has_permission(self, request: Request, view: APIView) -> bool:
        if not isinstance(request.user, Program):
            return False
        method = "GET" if request.method == "HEAD" else request.method
        needed = getattr(view, "key_scopes", {}).get(method)
        if needed is not None and needed not in request.user.scope.key_scopes:
            raise UserProblem("portal.key_scope", f"It needs the scope “{needed}”.")
        return True


class AnyForm(BaseContentNegotiation):
    """For what comes in one form of its own, whatever is asked for; problems stay JSON."""

    def select_parser(self, request: Request, parsers: Any) -> Any:
        return parsers[0]

    def select_renderer(self, request: Request, renderers: Any, format_suffix: Any = None) -> Any:
        return renderers[0], renderers[0].media_type


class Described(SimpleMetadata):
    """What OPTIONS says: the forms that a route reads and writes. Its fields are the schema's to say."""

    def determine_actions(self, request: Request, view: Any) -> dict[str, Any]:
        return {}


class ProgramView(GenericAPIView[Any]):
    """A view for keys. `key_scopes` names the scope that each of its methods needs; `orders` the orders that a list knows.

    Every POST takes an Idempotency-Key. Answers about one thing (`is_one`) carry an ETag.
    """

    permission_classes = (KeyScope,)
    metadata_class = Described
    pagination_class: type[CursorPagination] | None = None
    key_scopes: ClassVar[Mapping[str, str]] = {}
    orders: ClassVar[Mapping[str, tuple[str, ...]]] = {}
    is_one: ClassVar[bool] = False
    repeats_safely: ClassVar[bool] = False
    """Its POST done twice is as done once: a repeat is simply done again."""
    _claim: idempotency.Claim | None = None

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        super().initial(request, *args, **kwargs)
        if any("\x00" in str(value) for value in kwargs.values()):
            raise Http404
        if request.method == "POST" and not self.repeats_safely:
            self._claim = idempotency.begin(self.scope, request)

    def handle_exception(self, exc: Exception) -> Response:
        if not isinstance(exc, Replay):
            return super().handle_exception(exc)
        response = self.again(exc.kept)
        if exc.kept.location:
            response.headers["Location"] = exc.kept.location
        response.headers["Idempotency-Replayed"] = "true"
        return response

    def finalize_response(self, request: Request, response: Any, *args: Any, **kwargs: Any) -> Response:
        claim, self._claim = self._claim, None
        if claim is not None:
            body = self.kept_of(response) if response.status_code < 400 else {}
            kept = Kept(response.status_code, response.headers.get("Location", ""), body)
            idempotency.settle(self.scope, claim, kept)
        if self.is_one and request.method in ("GET", "HEAD", "PATCH", "PUT") and response.status_code == 200:
            response = preconditions.stamp(request, response)
        return super().finalize_response(request, response, *args, **kwargs)

    def kept_of(self, response: Response) -> dict[str, Any]:
        """What again() needs of a success: refs, numbers and codes, never content."""
        return {}

    def again(self, kept: Kept) -> Response:
        """The answer to a request that was answered before."""
        return Response(dict(kept.body) or None, status=kept.status)

    def expect(self, body: Any) -> None:
        """Raises UserProblem portal.changed_meanwhile when If-Match names another state; call it with the row locked."""
        preconditions.expect(self.request, body)

    @property
    def scope(self) -> Scope:
        program = self.request.user
        if not isinstance(program, Program):
            raise TypeError("only a program's key reaches a ProgramView")
        return program.scope


class Listing(ProgramView):
    """A list in pages. Rows are read and shown inside one short principal."""

    pagination_class = Newest

    def answer(self, rows: QuerySet[Any], serializer: type[Serializer[Any]], **context: Any) -> Response:
        page = self.paginate_queryset(rows)
        shown = serializer(page, many=True, context={"scope": self.scope, **context})
        return self.get_paginated_response(shown.data)


class KeyScheme(OpenApiAuthenticationExtension):  # type: ignore[no-untyped-call]
    """How the schema describes the key; registered by being imported."""

    target_class = "portal.access.KeyAuthentication"
    name = "key"

    def get_security_definition(self, auto_schema: Any) -> dict[str, str]:
        return {"type": "http", "scheme": "bearer", "bearerFormat": "fn_<ref>_<secret>"}


def add_problems(result: dict[str, Any], generator: Any, request: Any, public: bool) -> dict[str, Any]:
    """Schema hook: every operation may also answer with a problem document (RFC 9457)."""
    result.setdefault("components", {}).setdefault("schemas", {})["Problem"] = {
        "type": "object",
        "required": ["type", "title", "status", "detail", "code"],
        "properties": {
            "type": {"type": "string"},
            "title": {"type": "string"},
            "status": {"type": "integer"},
            "detail": {"type": "string"},
            "code": {"type": "string", "description": "Stable; the texts may change."},
            "errors": {"type": "object", "description": "By field; of a list of things by place, then by field."},
        },
    }
    answer = {
        "description": "A problem: 401 no key, 403 the key's scope, 404 hidden or never there, 4xx what was sent.",
        "content": {"application/problem+json": {"schema": {"$ref": "#/components/schemas/Problem"}}},
    }
    for path in result["paths"].values():
        for operation in path.values():
            operation["responses"]["default"] = answer
    return result
