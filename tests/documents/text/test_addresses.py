from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from documents.text.addresses import under, web_address


@pytest.mark.parametrize(
    "text",
    ["https://example.org", "http://example.org:8080/a?b=c#d", " https://example.org/a ", "https://example.org/ü"],
)
def test_an_address_that_a_person_can_open_is_kept(text: str) -> None:
    assert web_address(text) == text.strip()


@pytest.mark.parametrize(
    "text",
    [
        "", "javascript:alert(1)", "data:text/html,x", "//example.org", "/a", "https://", "https://ada:pw@example.org/",
        "https://example.org/a b", "https://example.org/\u202egnp", "https://exa\u200bmple.org", "https://example.org\\@evil.test",
        "https://[::1", "https://example.org:99999/", "https://example.org/" + "a" * 2_000, 'https://example.org/"onx=',
        "file:///etc/passwd",
    ],
)  # fmt: skip
def test_what_hides_where_it_leads_is_not(text: str) -> None:
    assert web_address(text) == ""


@pytest.mark.parametrize(
    ("base", "path", "address"),
    [
        ("https://docs.example.org", "guide/start.html", "https://docs.example.org/guide/start.html"),
        ("https://docs.example.org/v2/", "index.html", "https://docs.example.org/v2/"),
        ("https://docs.example.org/v2", "guide/index.html", "https://docs.example.org/v2/guide/"),
        ("https://docs.example.org", "a b#c?.html", "https://docs.example.org/a%20b%23c%3F.html"),
        ("", "a.html", ""),
        ("javascript:", "a.html", ""),
    ],
)
def test_a_file_has_its_address_under_the_one_of_its_folder(base: str, path: str, address: str) -> None:
    assert under(base, path) == address


@given(st.text(max_size=60), st.text(max_size=60))
def test_an_address_is_always_a_web_address(base: str, path: str) -> None:
    for found in (web_address(base), under(f"https://example.org/{path}", path)):
        assert found == "" or found.startswith(("http://", "https://"))
