from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from documents.text.chunk import canonical
from documents.text.links import link_target, links_of, packed, path_beside, resolved, unpacked, within
from documents.text.section import Parsed, ParseReport, Section


@pytest.mark.parametrize(
    ("href", "target"),
    [
        ("https://example.org/a", "https://example.org/a"),
        (" ../b.html#x ", "../b.html#x"),
        ("/root.html", "/root.html"),
        ("#here", ""),
        ("", ""),
        ("javascript:alert(1)", ""),
        ("JaVaScRiPt:alert(1)", ""),
        ("mailto:ada@example.org", ""),
        ("data:text/html,x", ""),
        ("//evil.example/x", ""),
        ("\\\\evil.example\\x", ""),
        ("a\u202eb.html", ""),
        ("https://ada:pw@example.org", ""),
        ("a" * 3_000, ""),
    ],
)
def test_only_what_a_person_can_follow_and_see_is_a_target(href: str, target: str) -> None:
    assert link_target(href) == target


def test_links_stand_where_their_words_stand_in_the_whole_text() -> None:
    text, placed = canonical(
        Parsed(
            (
                Section("Intro"),
                Section(
                    "See the guide, the guide and more.",
                    links=(("guide", "a.html"), ("guide", "b.html"), ("gone", "c")),
                ),
            ),
            ParseReport("test"),
        )
    )

    found = links_of(placed)

    assert [(text[one.start : one.end], one.target) for one in found] == [("guide", "a.html"), ("guide", "b.html")]
    assert found[0].start < found[1].start
    assert unpacked(packed(found)) == found
    assert [one.target for one in within(found, 7, found[0].end)] == ["a.html"]
    assert within(found, 0, 5) == ()


@pytest.mark.parametrize(
    ("target", "base", "address"),
    [
        ("b.html", "https://example.org/guide/a.html", "https://example.org/guide/b.html"),
        ("/b", "https://example.org/guide/", "https://example.org/b"),
        ("https://other.example/", "", "https://other.example/"),
        ("b.html", "", ""),
    ],
)
def test_a_target_is_resolved_against_the_page(target: str, base: str, address: str) -> None:
    assert resolved(target, base) == address


@pytest.mark.parametrize(
    ("target", "name", "path"),
    [
        ("b.html#x", "guide/a.html", "guide/b.html"),
        ("../b%20c.md?x=1", "guide/a.html", "b c.md"),
        ("../../b.md", "guide/a.html", ""),
        ("/b.md", "a.md", ""),
        ("https://example.org/b.md", "a.md", ""),
        ("?x", "a.md", ""),
    ],
)
def test_a_relative_target_names_its_neighbour(target: str, name: str, path: str) -> None:
    assert path_beside(target, name) == path


@pytest.mark.parametrize(
    "stored",
    [[[0, 5, "javascript:x"]], [[5, 2, "a"]], [[0, 5, ""]], [[0, 5]], [[4, 6, "a"], [5, 7, "b"]], [["0", 5, "a"]]],
)
def test_what_we_would_not_have_written_is_not_believed(stored: list[list[object]]) -> None:
    with pytest.raises((ValueError, TypeError)):
        unpacked(stored)


@given(st.text(max_size=80))
def test_a_target_stays_itself(href: str) -> None:
    assert link_target(link_target(href)) == link_target(href)
