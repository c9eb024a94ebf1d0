"""Passages with their evidence lit up: escaped text, `<mark>` at stored offsets, nothing marked that is not certain."""

from __future__ import annotations

from collections.abc import Iterable

from django import template
from django.utils.html import escape
from django.utils.safestring import SafeString, mark_safe

register = template.Library()

Span = tuple[int, int]


def merge_spans(spans: Iterable[Span], length: int) -> tuple[Span, ...]:
    """The spans that lie within 0..length, in order, with touching and overlapping ones joined.

    A span that is empty or reaches outside is dropped whole, never clipped: a wrong highlight is worse than none.
    """
    merged: list[Span] = []
    for start, end in sorted(spans):
        if not 0 <= start < end <= length:
            continue
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return tuple(merged)


@register.filter
def mark_spans(text: str, spans: Iterable[Span] = ()) -> SafeString:
    """`text` as HTML with `<mark>` around each (start, end) of code points counted in `text` itself."""
    parts: list[str] = []
    at = 0
    for start, end in merge_spans(spans or (), len(text)):
        parts += [escape(text[at:start]), "<mark>", escape(text[start:end]), "</mark>"]
        at = end
    parts.append(escape(text[at:]))
    return mark_safe("".join(parts))  # noqa: S308 - every part of the text went through escape
