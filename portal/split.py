"""Which requests go to the event loop and which to threads (docs/adr/0002-web-server.md)."""

from __future__ import annotations

import json
from typing import Any

from portal.problems import problem_document

# A page holds a thread for some milliseconds, a stream would hold it for minutes; so would an agent's question.
STREAM_PATHS = ("/stream/", "/api/answer", "/v1/chat/completions", "/mcp")
PAGE_THREADS = 8
MAX_STREAM_BODY = 1_000_000
"""Bytes. Django's ASGI handler stores a whole body, to disk if need be, before any view may refuse it."""


class Bounded:
    """An ASGI application that is told of no body above `most` bytes; whoever sends one hears 413."""

    def __init__(self, app: Any, most: int = MAX_STREAM_BODY) -> None:
        self._app, self._most = app, most

    async def __call__(self, scope: dict[str, Any], receive: Any, send: Any) -> None:
        declared = dict(scope["headers"]).get(b"content-length", b"0")
        if declared.isdigit() and int(declared) > self._most:
            await _too_large(send)
            return
        got, has_begun = 0, False

        async def counted() -> Any:
            nonlocal got
            message = await receive()
            got += len(message.get("body", b""))
            return message if got <= self._most else {"type": "http.disconnect"}

        async def noted(message: Any) -> None:
            nonlocal has_begun
            has_begun = True
            await send(message)

        await self._app(scope, counted, noted)
        if got > self._most and not has_begun:
            await _too_large(send)


async def _too_large(send: Any) -> None:
    body = json.dumps(problem_document("portal.too_large")).encode()
    headers = [(b"content-type", b"application/problem+json"), (b"connection", b"close")]
    await send({"type": "http.response.start", "status": 413, "headers": headers})
    await send({"type": "http.response.body", "body": body})
