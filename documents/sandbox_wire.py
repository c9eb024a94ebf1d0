"""The file that a caged reader writes and its parent reads: plain numbers and text, every one of them checked.

magic · length of the header · header (JSON) · canonical text (UTF-8) · word boxes · term ids (int64) · term counts (int32)
"""

from __future__ import annotations

import json
import struct
from array import array
from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

from documents.parsers.outcome import Limits
from documents.prepared import Failed, Outcome, Prepared, PreparedPiece, Refused
from documents.text.addresses import web_address
from documents.text.blocks import packed, unpacked
from documents.text.boxes import unpacked as boxes_unpacked
from documents.text.links import MOST
from documents.text.links import packed as links_packed
from documents.text.links import unpacked as links_unpacked
from documents.text.normalise import clean
from documents.text.piece import Piece
from documents.text.section import ENTRY_KINDS, Entry, ParseReport, Skipped

_MAGIC = b"FNP3"
_HEAD = struct.Struct("<4sQQQ")
_KINDS = frozenset(("prose", "heading", "list", "table", "code"))
_LONGEST_LABEL = 4_000


class NotOurs(ValueError):
    """What the child wrote is not what a reader of ours writes."""


def encode(outcome: Outcome) -> bytes:
    """Return the bytes of an outcome."""
    if not isinstance(outcome, Prepared):
        return _framed(
            {"outcome": type(outcome).__name__, "code": outcome.code, "detail": outcome.detail}, b"", b"", b""
        )
    paths: dict[tuple[str, ...], int] = {}
    prefixes: dict[str, int] = {}
    rows = []
    ids, counts = array("q"), array("i")
    for item in outcome.pieces:
        piece = item.piece
        path = paths.setdefault(piece.heading_path, len(paths))
        prefix = prefixes.setdefault(piece.prefix, len(prefixes))
        rows.append([piece.start, piece.end, piece.page, piece.kind, path, prefix, piece.entry, len(item.terms)])
        ids.extend(item.terms.keys())
        counts.extend(item.terms.values())
    header = {
        "outcome": "Prepared",
        "title": outcome.title,
        "language": outcome.language,
        "report": asdict(outcome.report),
        "paths": list(paths),
        "prefixes": list(prefixes),
        "pieces": rows,
        "blocks": packed(outcome.blocks),
        "source_url": outcome.source_url,
        "links": links_packed(outcome.links),
        "entries": [[one.kind, one.ident, one.title, one.source_url, one.date] for one in outcome.entries],
    }
    return _framed(header, outcome.canonical.encode(), outcome.boxes, ids.tobytes() + counts.tobytes())


def _framed(header: dict[str, Any], canonical: bytes, boxes: bytes, terms: bytes) -> bytes:
    words = json.dumps(header, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")
    return b"".join((_HEAD.pack(_MAGIC, len(words), len(canonical), len(boxes)), words, canonical, boxes, terms))


def decode(data: bytes, limits: Limits) -> Outcome:
    """Return the outcome that a child wrote. Raises NotOurs for anything that our own `encode` could not have written."""
    try:
        return _decode(data, limits)
    except (ValueError, TypeError, KeyError, IndexError, AttributeError, struct.error, RecursionError) as trouble:
        raise NotOurs(type(trouble).__name__) from trouble


def _decode(data: bytes, limits: Limits) -> Outcome:
    magic, words, characters, boxed = _HEAD.unpack_from(data)
    _hold(magic == _MAGIC and _HEAD.size + words + characters + boxed <= len(data))
    header = json.loads(data[_HEAD.size : _HEAD.size + words])
    if header["outcome"] != "Prepared":
        _hold(header["outcome"] in ("Refused", "Failed"))
        code = _text(header["code"])
        _hold(code.startswith("documents."))
        make = Refused if header["outcome"] == "Refused" else Failed
        return make(code, _text(header["detail"]))
    start = _HEAD.size + words
    canonical = data[start : start + characters].decode()
    _hold(len(canonical) <= limits.text_characters and clean(canonical) == canonical)
    boxes = data[start + characters : start + characters + boxed]
    placed = boxes_unpacked(boxes)
    _hold(not placed.starts or placed.starts[-1] + placed.lengths[-1] <= len(canonical))
    blocks = unpacked(header["blocks"])
    _hold(not blocks or blocks[-1].end <= len(canonical))
    links = links_unpacked(header["links"])
    _hold(len(links) <= MOST and (not links or links[-1].end <= len(canonical)))
    return Prepared(
        canonical=canonical,
        title=_text(header["title"]),
        language=_text(header["language"]),
        report=_report(header["report"]),
        pieces=tuple(_pieces(header, canonical, data[start + characters + boxed :], limits)),
        blocks=blocks,
        boxes=boxes,
        entries=tuple(_entry(*row) for row in header["entries"]),
        source_url=_address(header["source_url"]),
        links=links,
    )


def _pieces(header: dict[str, Any], canonical: str, terms: bytes, limits: Limits) -> Iterator[PreparedPiece]:
    rows = header["pieces"]
    paths = [tuple(_text(part) for part in path) for path in header["paths"]]
    prefixes = [_text(prefix, limits.text_characters) for prefix in header["prefixes"]]
    total = sum(_whole(row[7]) for row in rows)
    _hold(len(rows) <= limits.pieces and len(terms) == total * 12)
    ids, counts = array("q"), array("i")
    ids.frombytes(terms[: total * 8])
    counts.frombytes(terms[total * 8 :])
    _hold(not counts or min(counts) >= 1)
    at = 0
    before = -1
    for ordinal, (start, end, page, kind, path, prefix, entry, distinct) in enumerate(rows):
        _hold(before < _whole(start) < _whole(end) <= len(canonical) and kind in _KINDS)
        _hold(page is None or _whole(page) >= 1)
        _hold(_whole(entry) <= len(header["entries"]))
        found = dict(zip(ids[at : at + distinct], counts[at : at + distinct], strict=True))
        _hold(len(found) == distinct)
        length = sum(found.values())
        text = canonical[start:end]
        piece = Piece(ordinal, start, end, text, paths[_whole(path)], page, kind, prefixes[_whole(prefix)], entry)
        yield PreparedPiece(piece, found, length)
        before, at = start, at + distinct


def _entry(kind: object, ident: object, title: object, source_url: object, date: object) -> Entry:
    _hold(kind in ENTRY_KINDS)
    return Entry(kind, _text(ident), _text(title), _address(source_url), _text(date))  # type: ignore[arg-type]


def _address(value: object) -> str:
    text = _text(value)
    _hold(text == web_address(text))
    return text


def _report(found: dict[str, Any]) -> ParseReport:
    pages = found["pages"]
    return ParseReport(
        parser=_text(found["parser"]),
        pages=None if pages is None else _whole(pages),
        pages_without_text=tuple(_whole(page) for page in found["pages_without_text"]),
        skipped=tuple(Skipped(_text(one["what"]), _text(one["where"]), _text(one["why"])) for one in found["skipped"]),
        hidden_characters=_whole(found["hidden_characters"]),
        encoding=_text(found["encoding"]),
        warnings=tuple(_text(word) for word in found["warnings"]),
        pages_by_ocr=tuple(_whole(page) for page in found["pages_by_ocr"]),
    )


def _hold(claim: bool) -> None:
    if not claim:
        raise ValueError


def _whole(value: object) -> int:
    if type(value) is not int or not 0 <= value < 2**53:
        raise ValueError
    return value


def _text(value: object, longest: int = _LONGEST_LABEL) -> str:
    if not isinstance(value, str) or len(value) > longest or clean(value) != value:
        raise ValueError
    return value
