"""portal.asgi's way to serve, over the small project of `bench.web_app`."""

from __future__ import annotations

from a2wsgi import WSGIMiddleware

from bench.web_app import pure, wsgi  # first: it configures Django
from portal.asgi import PAGE_THREADS, STREAM_PATHS, Message, Receive, Send

pages = WSGIMiddleware(wsgi, workers=PAGE_THREADS)


async def split(scope: Message, receive: Receive, send: Send) -> None:
    await (pure if scope["path"].startswith(STREAM_PATHS) else pages)(scope, receive, send)
