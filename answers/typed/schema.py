"""The typed API's description, OpenAPI 3.1, as it is served: a file, so that nobody without a key has ninja loaded.

`manage.py typed_schema --write` makes it anew; a test holds that it is what the code says.
"""

from __future__ import annotations

import functools
import json
from pathlib import Path
from typing import Any, Final

from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.views.decorators.http import require_safe

FILE: Final = Path(__file__).with_name("openapi.json")


@functools.cache
def served() -> dict[str, Any]:
    found: dict[str, Any] = json.loads(FILE.read_text(encoding="utf-8"))
    return found


@require_safe
def openapi(request: HttpRequest) -> HttpResponseBase:
    return HttpResponse(FILE.read_bytes(), content_type="application/json")
