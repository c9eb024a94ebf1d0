from __future__ import annotations

import pytest

from documents.parsers.site import common_folder, is_junk, looks_of_a_site

SITE = [
    "index.html", "guide/start.html", "guide/end.html", "_static/theme.css", "_static/app.js", "search.html", "searchindex.js",
    "_images/a.png", "_sources/guide/start.rst.txt", "robots.txt", "manual.pdf",
]  # fmt: skip


def test_what_makes_a_site_look_and_move_is_told_from_its_pages() -> None:
    assert set(SITE) - looks_of_a_site(SITE) == {"index.html", "guide/start.html", "guide/end.html", "manual.pdf"}


@pytest.mark.parametrize(
    "paths",
    [
        ["a.md", "b.json", "c.js"],
        ["page.html", "app.js"],
        ["index.html", "a.md", "b.md", "c.md", "theme.css"],
        [],
    ],
    ids=["no page", "no index", "mostly other files", "nothing"],
)
def test_files_that_are_no_site_are_all_files(paths: list[str]) -> None:
    assert looks_of_a_site(paths) == frozenset()


@pytest.mark.parametrize("path", ["__MACOSX/a.md", "docs/._a.md", ".DS_Store", "a/Thumbs.db", ".git/config"])
def test_what_a_system_left_is_nobodys_file(path: str) -> None:
    assert is_junk(path) and not is_junk("docs/a.md")


@pytest.mark.parametrize(
    ("paths", "folder"), [(["a/b.md", "a/c/d.md"], "a/"), (["a/b.md", "c.md"], ""), (["a.md"], ""), ([], "")]
)
def test_the_one_folder_at_the_top(paths: list[str], folder: str) -> None:
    assert common_folder(paths) == folder
