"""portal.asgi's way to serve, over the small project of `bench.web_app`."""

from __future__ import annotations

from typing import Any, cast

from a2wsgi import WSGIMiddleware

from bench.web_app import pure, wsgi  # first: it configures Django
from portal.split import PAGE_THREADS, STREAM_PATHS

pages = WSGIMiddleware(cast("Any", wsgi), workers=PAGE_THREADS)


async def split(scope: dict[str, Any], receive: Any, send: Any) -> None:
    handler: Any = pure if scope["path"].startswith(STREAM_PATHS) else pages
    await handler(scope, receive, send)
