from __future__ import annotations

import html
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from portal.templatetags.marks import mark_spans, merge_spans


@pytest.mark.parametrize(
    ("text", "spans", "expected"),
    [
        ("kept for 90 days", ((9, 16),), "kept for <mark>90 days</mark>"),
        ("kept for 90 days", (), "kept for 90 days"),
        ("abc", ((0, 1), (1, 3)), "<mark>abc</mark>"),
        ("abcdef", ((3, 5), (0, 2)), "<mark>ab</mark>c<mark>de</mark>f"),
        ("<img onerror=x> & co", ((0, 5),), "<mark>&lt;img </mark>onerror=x&gt; &amp; co"),
        ("保存期間は九十日", ((5, 8),), "保存期間は<mark>九十日</mark>"),
        ("🦉 owl", ((0, 1),), "<mark>🦉</mark> owl"),
    ],
)
def test_spans_are_marked_in_escaped_text(text: str, spans: tuple[tuple[int, int], ...], expected: str) -> None:
    assert mark_spans(text, spans) == expected


@pytest.mark.parametrize("span", [(-1, 2), (2, 2), (3, 1), (0, 99), (98, 99)])
def test_a_span_outside_the_text_marks_nothing(span: tuple[int, int]) -> None:
    assert mark_spans("twelve chars", (span,)) == "twelve chars"


spans = st.lists(st.tuples(st.integers(-3, 40), st.integers(-3, 40)), max_size=6)


@given(st.text(max_size=30), spans)
def test_marking_never_changes_what_is_read(text: str, spans: list[tuple[int, int]]) -> None:
    bare = re.sub(r"</?mark>", "", mark_spans(text, spans))

    assert html.unescape(bare) == html.unescape(html.escape(text))


@given(spans, st.integers(0, 40))
def test_merged_spans_are_apart_and_inside(spans: list[tuple[int, int]], length: int) -> None:
    merged = merge_spans(spans, length)

    ends = [edge for span in merged for edge in span]
    assert ends == sorted(set(ends))
    assert all(0 <= edge <= length for edge in ends)
