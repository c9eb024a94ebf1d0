"""Text in documents that speaks to a program rather than to a reader: flagged for people, never obeyed, never refused."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any, cast

from django.conf import settings
from django.utils.module_loading import import_string

MOST = 100
"""Places kept of one document: a file that says it a thousand times is no more suspicious."""
SCANNED = 5_000_000
"""Characters looked through, some 50 ms."""
Scan = Callable[[str], Sequence[Any]]


@cache
def scan() -> Scan:
    """The guard's scan of documents, by name, since `documents` may not import `answers`: flags with rule_id, start and end."""
    return cast("Scan", import_string(settings.DOCUMENT_SCAN))


def found_in(text: str) -> list[list[int]]:
    """[start, end] of the places in reading order, overlapping ones joined."""
    spans: list[list[int]] = []
    for flag in scan()(text[:SCANNED]):
        if spans and flag.start <= spans[-1][1]:
            spans[-1][1] = max(spans[-1][1], flag.end)
        else:
            spans.append([flag.start, flag.end])
    return spans[:MOST]
