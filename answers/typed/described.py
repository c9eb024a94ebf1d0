"""The typed API's description, OpenAPI 3.1, made from its code. Loads ninja (answers/typed/schema.py serves what is made)."""

from __future__ import annotations

import functools
import json
from typing import Any

from answers.typed.routes import api

PROBLEM = {"$ref": "#/components/schemas/Problem"}
ERROR = {"$ref": "#/components/schemas/OpenAIError"}
TEXT = {"type": "string"}


@functools.cache
def described() -> dict[str, Any]:
    """What ninja says, with the key, and with the failure that every operation may answer with."""
    found: dict[str, Any] = json.loads(json.dumps(api.get_openapi_schema(path_prefix="")))
    parts = found["components"]
    parts["securitySchemes"] = {"key": {"type": "http", "scheme": "bearer", "bearerFormat": "fn_<ref>_<secret>"}}
    parts["schemas"] |= {"Problem": _problem(), "OpenAIError": _error()}
    for path, methods in found["paths"].items():
        is_openai = path.startswith("/v1/")
        kind, shape = ("application/json", ERROR) if is_openai else ("application/problem+json", PROBLEM)
        for operation in methods.values():
            operation["security"] = [{"key": []}]
            failure = {"description": "What went wrong, with a stable code.", "content": {kind: {"schema": shape}}}
            operation["responses"]["default"] = failure
    return found


def _problem() -> dict[str, Any]:
    fields = {"type": TEXT, "title": TEXT, "status": {"type": "integer"}, "detail": TEXT, "code": TEXT}
    return {"type": "object", "required": list(fields), "properties": {**fields, "errors": {"type": "object"}}}


def _error() -> dict[str, Any]:
    fields = {"message": TEXT, "type": TEXT, "param": {"type": ["string", "null"]}, "code": TEXT}
    error = {"type": "object", "required": list(fields), "properties": fields}
    return {"type": "object", "required": ["error"], "properties": {"error": error}}


def written() -> str:
    """As the file holds it."""
    return json.dumps(described(), indent=1, ensure_ascii=False) + "\n"
