"""How the API's description reads our views: a list is a page of rows, and every operation says which scope it needs."""

from __future__ import annotations

from typing import Any

from drf_spectacular.openapi import AutoSchema

from portal.api_examples import EXAMPLES


class ProgramSchema(AutoSchema):
    """drf-spectacular takes a view for a list by its base class; ours says so by its pagination."""

    def _is_list_view(self, serializer: Any = None) -> bool:
        if self.method == "GET" and getattr(self.view, "pagination_class", None) is not None:
            return True
        return bool(super()._is_list_view(serializer))

    def get_operation(self, *args: Any, **kwargs: Any) -> Any:
        operation = super().get_operation(*args, **kwargs)
        scope = getattr(self.view, "key_scopes", {}).get(self.method)
        if operation is not None and scope:
            operation["x-key-scope"] = scope
        return None if operation is None else _with_example(operation)


def _with_example(operation: dict[str, Any]) -> dict[str, Any]:
    body = operation.get("requestBody", {}).get("content", {}).get("application/json")
    if body is not None and operation["operationId"] in EXAMPLES:
        body["example"] = EXAMPLES[operation["operationId"]]
    return operation
