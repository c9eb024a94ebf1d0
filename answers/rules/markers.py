"""Citation markers in written text: found in every form that models use, cleaned into one."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

_CODE: Final = re.compile(
    r"(?ms)^[ \t]*(```+|~~~+).*?(?:^[ \t]*\1[ \t]*$|\Z)|(?P<ticks>`+)(?!`).+?(?<!`)(?P=ticks)(?!`)"
)
_MARKER: Final = re.compile(
    r"(?P<bold>\*\*|__)?"
    r"(?:[\[［](?P<square>\^?\s*\d{1,4}(?:\s*(?:[,;，、–-]|and|&)\s*\^?\d{1,4})*\s*)[\]］]|【(?P<lens>\d{1,4})(?:†[^】]*)?】)"
    r"(?(bold)(?P=bold))(?![(:\w])"
)
_LEAD: Final = 24
"""A marker that stands in a passage after the same characters was quoted with its sentence and is not ours.

Not so one with a number that no passage has: whoever reads it takes it for a citation, wherever it was copied from.
"""

_SPACED: Final = re.compile(r"[ \t]+(?=[.,;:!?。，]|$)", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Marker:
    """One bracket in `text[start:end]`: the passage numbers it names, and those of them that no passage has."""

    start: int
    end: int
    numbers: tuple[int, ...]
    unknown: tuple[int, ...] = ()


def markers(text: str, passages: Sequence[str]) -> tuple[Marker, ...]:
    """Our own markers, in order of place. Code, links, definitions and known numbers quoted from a passage are not ours."""
    code = tuple((m.start(), m.end()) for m in _CODE.finditer(text))
    return tuple(_markers(text, passages, code))


def code_spans(text: str) -> tuple[tuple[int, int], ...]:
    """Fenced blocks (an open one runs to the end) and inline code."""
    return tuple((m.start(), m.end()) for m in _CODE.finditer(text))


def clean(text: str, passages: Sequence[str]) -> tuple[str, int]:
    """The text with every marker written `[n]`, and how many unknown numbers were removed. Idempotent."""
    parts: list[str] = []
    at = removed = 0
    for marker in markers(text, passages):
        known = tuple(dict.fromkeys(n for n in marker.numbers if n not in marker.unknown))
        removed += len(marker.unknown)
        before = text[at : marker.start]
        parts += [before if known else before.rstrip(" \t"), "".join(f"[{n}]" for n in known)]
        at = marker.end
    return "".join((*parts, text[at:])), removed


def _markers(text: str, passages: Sequence[str], code: tuple[tuple[int, int], ...]) -> Iterator[Marker]:
    for match in _MARKER.finditer(text):
        if any(start <= match.start() < end for start, end in code):
            continue
        numbers = tuple(_numbers(match["square"] or match["lens"]))
        unknown = tuple(n for n in numbers if not 1 <= n <= len(passages))
        if unknown or not _is_quoted(text, match, passages):
            yield Marker(match.start(), match.end(), numbers, unknown)


def _numbers(inside: str) -> Iterator[int]:
    for part in re.split(r"[,;，、&]|and", inside):
        first, *rest = (int(n) for n in re.findall(r"\d+", part))
        last = rest[-1] if rest else first
        yield from range(first, last + 1) if first <= last <= first + 20 else (first, last)


def _is_quoted(text: str, match: re.Match[str], passages: Sequence[str]) -> bool:
    before = text[max(0, match.start() - _LEAD) : match.start()]
    if len(before.strip()) < 8:
        return False
    quoted = before + text[match.start() : match.end()]
    return any(quoted in passage for passage in passages)
