"""The ASGI entry point: streams on the event loop, pages in a small pool of threads (docs/adr/0002-web-server.md)."""

from __future__ import annotations

import os
from typing import Any, cast

from a2wsgi import WSGIMiddleware
from django.conf import settings
from django.core.asgi import get_asgi_application
from django.core.handlers.wsgi import WSGIHandler

from portal.checks import refuse_unless_isolated
from portal.cores import forbid_core_dumps
from portal.lean import load_pages, settle
from portal.split import PAGE_THREADS, STREAM_PATHS, Bounded

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "portal.settings")
forbid_core_dumps()

streams = Bounded(get_asgi_application())
refuse_unless_isolated("web server")
load_pages(settings.ROOT_URLCONF)
pages = WSGIMiddleware(cast("Any", WSGIHandler()), workers=PAGE_THREADS)
settle()


async def application(scope: dict[str, Any], receive: Any, send: Any) -> None:
    """Send each request to the handler that suits how long it lasts."""
    if scope["type"] != "http":
        raise ValueError(f"Footnote speaks HTTP only, not {scope['type']}")
    handler: Any = streams if scope["path"].startswith(STREAM_PATHS) else pages
    await handler(scope, receive, send)
