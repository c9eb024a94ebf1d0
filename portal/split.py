"""Which requests go to the event loop and which to threads (docs/adr/0002-web-server.md)."""

from __future__ import annotations

# A page holds a thread for some milliseconds, a stream would hold it for minutes.
STREAM_PATHS = ("/stream/", "/api/answer", "/v1/chat/completions")
PAGE_THREADS = 8
