"""Lists for programs: pages by cursor, an order from the view's own list, refusals for what cannot be read."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from django.db.models import QuerySet
from rest_framework.exceptions import NotFound, ValidationError
from rest_framework.pagination import CursorPagination
from rest_framework.request import Request
from rest_framework.views import APIView


class Newest(CursorPagination):
    """Newest first, in pages whose addresses stay right while rows are added. `?order=` picks from the view's `orders`."""

    ordering = "-id"
    page_size = 50
    page_size_query_param = "limit"
    page_size_query_description = "Rows in a page, 1 to 200."
    max_page_size = 200
    cursor_query_description = "Where to go on: take it from `next`, do not make one."
    orders: ClassVar[Mapping[str, tuple[str, ...]]] = {}

    def get_ordering(self, request: Request, queryset: QuerySet[Any], view: APIView) -> tuple[str, ...]:
        known = {**self.orders, **getattr(view, "orders", {})}
        wanted = request.query_params.get("order")
        if wanted is None:
            return (str(self.ordering),)
        if wanted not in known:
            raise ValidationError({"order": [f"One of: {', '.join(known) or 'none here'}."]})
        chosen: tuple[str, ...] = known[wanted]
        return chosen

    def get_page_size(self, request: Request) -> int | None:
        wanted = request.query_params.get(str(self.page_size_query_param))
        if wanted is None:
            return self.page_size
        if not (wanted.isascii() and wanted.isdecimal() and len(wanted) < 4 and 1 <= int(wanted) <= self.max_page_size):
            raise ValidationError({"limit": [f"A number from 1 to {self.max_page_size}."]})
        return int(wanted)

    def decode_cursor(self, request: Request) -> Any:
        try:
            cursor = super().decode_cursor(request)
        except (NotFound, ValueError):
            raise ValidationError({"cursor": ["It was not made by this API."]}) from None
        if cursor is not None and "\x00" in str(cursor.position):
            raise ValidationError({"cursor": ["It was not made by this API."]})
        return cursor

    def get_schema_operation_parameters(self, view: Any) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = [dict(one) for one in super().get_schema_operation_parameters(view)]
        for one in found:
            if one["name"] == self.page_size_query_param:
                one["schema"] = {"type": "integer", "minimum": 1, "maximum": self.max_page_size}
        known = {**self.orders, **getattr(view, "orders", {})}
        if known:
            about = {"name": "order", "required": False, "in": "query", "description": "The order of the rows."}
            found.append({**about, "schema": {"type": "string", "enum": list(known)}})
        return found
