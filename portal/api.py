"""What every API view for programs has: the key's scope, the right that each method needs, paging, problem documents."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from drf_spectacular.extensions import OpenApiAuthenticationExtension
from rest_framework.generics import GenericAPIView
from rest_framework.pagination import CursorPagination
from rest_framework.permissions import BasePermission
from rest_framework.request import Request
from rest_framework.views import APIView

from portal.access import Program
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


class Newest(CursorPagination):
    """Newest first, in pages whose addresses stay right while rows are added."""

    ordering = "-id"
    page_size = 50
    page_size_query_param = "limit"
    max_page_size = 200


class ProgramView(GenericAPIView[Any]):
    """A view for keys. `key_scopes` names the scope that each of its methods needs."""

    permission_classes = (KeyScope,)
    pagination_class: type[CursorPagination] | None = None
    key_scopes: ClassVar[Mapping[str, str]] = {}

    @property
    def scope(self) -> Scope:
        program = self.request.user
        if not isinstance(program, Program):
            raise TypeError("only a program's key reaches a ProgramView")
        return program.scope


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
            "errors": {"type": "object", "additionalProperties": {"type": "array", "items": {"type": "string"}}},
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
