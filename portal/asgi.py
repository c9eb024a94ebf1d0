"""The ASGI entry point: streams run on the event loop, pages in a small pool of threads (docs/adr/0002-web-server.md)."""

from __future__ import annotations

import os
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

from a2wsgi import WSGIMiddleware
from django.core.asgi import get_asgi_application
from django.core.handlers.wsgi import WSGIHandler

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "portal.settings")

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]

# A page holds a thread for some milliseconds, a stream would hold it for minutes.
STREAM_PATHS = ("/api/stream", "/stream/", "/v1/chat/completions")
PAGE_THREADS = 8

streams = get_asgi_application()
pages = WSGIMiddleware(WSGIHandler(), workers=PAGE_THREADS)


async def application(scope: Message, receive: Receive, send: Send) -> None:
    """Send each request to the handler that suits how long it lasts."""
    if scope["type"] != "http":
        raise ValueError(f"Footnote speaks HTTP only, not {scope['type']}")
    handler = streams if scope["path"].startswith(STREAM_PATHS) else pages
    await handler(scope, receive, send)
