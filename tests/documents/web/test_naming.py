"""What documents from the web are called."""

from __future__ import annotations

import pytest

from documents.parsers.kinds import ending_of
from documents.web.naming import name_of


@pytest.mark.parametrize(
    ("url", "content_type", "name"),
    [
        ("https://docs.example.org/", "text/html; charset=utf-8", "docs.example.org/index.html"),
        ("https://docs.example.org", "", "docs.example.org/index.html"),
        ("https://docs.example.org/guide/", "text/html", "docs.example.org/guide/index.html"),
        ("https://docs.example.org/guide/start.html", "text/html", "docs.example.org/guide/start.html"),
        ("https://docs.example.org/guide/start", "text/html", "docs.example.org/guide/start.html"),
        ("https://docs.example.org/view.php?id=7", "text/html", "docs.example.org/view-f422c82d.php.html"),
        ("https://docs.example.org/a.md", "text/plain", "docs.example.org/a.md"),
        ("https://docs.example.org/blob/a.md", "text/html", "docs.example.org/blob/a.md.html"),
        ("https://docs.example.org/report", "application/pdf", "docs.example.org/report.pdf"),
        ("https://docs.example.org/v2.0/report", "application/octet-stream", "docs.example.org/v2.0/report"),
        ("https://docs.example.org/site.zip", "application/zip", "docs.example.org/site.zip"),
        ("https://docs.example.org/%2e%2e/%2e%2e/etc/passwd", "text/plain", "docs.example.org/etc/passwd.txt"),
        ("https://docs.example.org/gr%C3%B6%C3%9Fe.md", "text/markdown", "docs.example.org/größe.md"),
        ("https://docs.example.org/a%00b%0a.md", "text/markdown", "docs.example.org/a_b_.md"),
    ],
)
def test_a_document_is_called_by_its_host_and_path_and_what_came(url: str, content_type: str, name: str) -> None:
    assert name_of(url, content_type=content_type) == name


def test_two_addresses_have_two_names() -> None:
    names = {name_of(f"https://docs.example.org/view?id={number}", content_type="text/html") for number in range(50)}

    assert len(names) == 50


@pytest.mark.parametrize(("name", "ending"), [("v1.2/README", ""), ("docs.example.org/guide", ""), ("a.b/c.MD", "md")])
def test_a_dot_in_a_folder_is_no_ending(name: str, ending: str) -> None:
    assert ending_of(name) == ending
