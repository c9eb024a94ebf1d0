"""The pieces of a prepared document as columns of the chunk table, for one INSERT … SELECT FROM unnest()."""

from __future__ import annotations

import json
from typing import Any

from documents.prepared import Prepared
from documents.text.fingerprint import numbered_fingerprints


def columns_of(prepared: Prepared, content_key: bytes) -> list[list[Any]]:
    """fingerprint, occurrence, ordinal, kind, headings, page, start, end, text, prefix, terms, entry kind, entry identity, address.

    Each in piece order; the last three are "" for a piece of no entry.
    """
    pieces = prepared.pieces
    marks = numbered_fingerprints(content_key, (item.piece.searchable_text(prepared.title) for item in pieces))
    entries = [prepared.entries[item.piece.entry - 1] if item.piece.entry else None for item in pieces]
    return [
        [mark for mark, _ in marks],
        [occurrence for _, occurrence in marks],
        [item.piece.ordinal for item in pieces],
        [item.piece.kind for item in pieces],
        [json.dumps(item.piece.heading_path) for item in pieces],
        [item.piece.page for item in pieces],
        [item.piece.start for item in pieces],
        [item.piece.end for item in pieces],
        [item.piece.text for item in pieces],
        [item.piece.prefix for item in pieces],
        [item.length for item in pieces],
        [one.kind if one else "" for one in entries],
        [one.ident[:200] if one else "" for one in entries],
        [one.source_url if one else "" for one in entries],
    ]
