"""Server-sent events, one after the other."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any


def events_of(lines: Iterable[bytes]) -> Iterator[tuple[str, Any]]:
    """(name, data); comments and what a connection cut off are left out."""
    name, data = "", ""
    for raw in lines:
        line = raw.decode("utf-8", "replace").rstrip("\r\n")
        if line.startswith("event:"):
            name = line[6:].strip()
        elif line.startswith("data:"):
            data += line[5:].removeprefix(" ")
        elif not line and data:
            yield name, json.loads(data)
            name, data = "", ""
