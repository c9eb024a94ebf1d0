"""Changelogs of every dialect are told by their headings, and nothing else is taken for one."""

from __future__ import annotations

import pytest

from documents.parsers.changelog import date_in, dialect, release_of
from tests.documents.parsers.conftest import Read

KEPT = """# Changelog

All notable changes.

## [Unreleased]

- Something new

## [1.1.0] - 2019-02-15

### Added

- Danish translation

## [1.0.0] - 2017-06-20

- First

[1.1.0]: https://example.org/compare/v1.0.0...v1.1.0
[1.0.0]: ftp://example.org/1.0.0
"""


def told(found: object) -> list[tuple[str, str, str]]:
    return [(one.ident, one.date, one.source_url) for one in found.entries]  # type: ignore[attr-defined]


def test_each_release_is_an_entry_with_its_version_date_and_link(read: Read) -> None:
    found = read("markdown", KEPT)

    assert told(found) == [
        ("Unreleased", "", ""),
        ("1.1.0", "2019-02-15", "https://example.org/compare/v1.0.0...v1.1.0"),
        ("1.0.0", "2017-06-20", ""),
    ]
    assert [section.entry for section in found.sections] == [0, 0, 1, 1, 2, 2, 2, 3, 3]
    assert found.entries[1].title == "1.1.0 - 2019-02-15"


def test_restructured_text_gives_the_date_of_a_field_below_the_heading(read: Read) -> None:
    text = "Version 14.0.0\n---------\n\n:Date: June 24, 2025\n\n* new\n\n"
    text += "Version 13.5.0\n---------\n\nA word.\n\n:Date: June 17, 2025\n"

    found = read("rst", text)

    assert told(found) == [("14.0.0", "2025-06-24", ""), ("13.5.0", "2025-06-17", "")]


def test_plain_text_with_underlined_releases_is_a_changelog(read: Read) -> None:
    found = read(
        "text",
        "Changelog\n=========\n\n8.0 (xx.xx.xxxx) - IN DEVELOPMENT\n~~~~\n\n * a\n\n7.4 LTS (05.05.2026)\n~~~~\n\n * b\n",
    )

    assert told(found) == [("8.0", "xx.xx.xxxx", ""), ("7.4", "2026-05-05", "")]
    assert found.title == "Changelog"


def test_plain_text_with_releases_on_lines_of_their_own_is_a_changelog(read: Read) -> None:
    found = read("text", "History of it\n\nv1.2.0 (2020-01-02)\n  - one\n\n  - two\n\nv1.1.9 (2019-12-31)\n  - zero\n")

    assert told(found) == [("1.2.0", "2020-01-02", ""), ("1.1.9", "2019-12-31", "")]
    assert [(section.entry, section.text) for section in found.sections][1:3] == [
        (1, "v1.2.0 (2020-01-02)"),
        (1, "- one"),
    ]


def test_a_heading_at_the_level_of_releases_belongs_to_the_release_above_it(read: Read) -> None:
    found = read("markdown", "# Notes\n\n## 1.2.0\n\na\n\n## Upgrades\n\nb\n\n## 1.1.0\n\nc\n\n## 1.0.0\n\nd\n")

    assert [(section.entry, section.text) for section in found.sections if section.kind == "prose"] == [
        (1, "a"), (1, "b"), (2, "c"), (3, "d"),
    ]  # fmt: skip


@pytest.mark.parametrize(
    "text",
    [
        "# Book\n\n## 1.1 Introduction\n\nwords\n\n## 1.2 Scope\n\nwords\n",
        "# Law\n\n## 1.1\n\nwords\n\n## 1.2\n\nwords\n",
        "# One\n\n## 2.0.1\n\nOnly one release.\n",
        "# Manual\n\n## Section 1.2.3\n\nw\n\n## Section 1.2.4\n\nw\n",
        "# A\n\n## Install\n\nw\n\n## Use\n\nw\n\n## 1.2.3\n\nw\n\n## 1.2.2\n\nw\n\n## Help\n\nw\n",
    ],
)
def test_numbered_chapters_are_no_releases(read: Read, text: str) -> None:
    found = read("markdown", text)

    assert found.entries == () and {section.entry for section in found.sections} == {0}


@pytest.mark.parametrize(
    ("heading", "version", "date"),
    [
        ("0.115.0 (2024-09-17)", "0.115.0", "2024-09-17"),
        ("[2.0.0-rc.1] - 2024-01-02 [YANKED]", "2.0.0-rc.1", "2024-01-02"),
        ("v3.1", "3.1", ""),
        ("Django REST framework 3.15.2", "3.15.2", ""),
        ("@scope/package@1.2.3", "1.2.3", ""),
        ("Release 4.0b2, 3rd March 2021", "4.0b2", "2021-03-03"),
        ("1.0.0+build.5", "1.0.0+build.5", ""),
        ("2.0.10 – 24 December 2023", "2.0.10", "2023-12-24"),
        ("1.4.0 (31.02.2020)", "1.4.0", "31.02.2020"),
    ],
)
def test_a_heading_names_a_release(heading: str, version: str, date: str) -> None:
    found = release_of(heading)

    assert found is not None and (found.version, found.date) == (version, date)


@pytest.mark.parametrize(
    "heading", ["1.1 Introduction", "Chapter 2.1", "Features", "2024", "Python 3 support", "10.0.0.1 is down"]
)
def test_a_heading_that_says_more_names_none(heading: str) -> None:
    assert release_of(heading) is None


@pytest.mark.parametrize(
    ("text", "date"),
    [
        ("on 2024-1-5", "2024-01-05"),
        ("28/May/19 9:11 AM", "2019-05-28"),
        ("01/02/2024", "01/02/2024"),
        ("Sept. 3, 2020", "2020-09-03"),
        ("none", ""),
    ],
)
def test_a_date_is_iso_only_where_that_is_certain(text: str, date: str) -> None:
    assert date_in(text)[0] == date


def test_prose_has_no_dialect() -> None:
    assert dialect("A letter.\n\nDear Ada,\n\nversion 2.0.1 is out.\n") == ""


def test_a_release_is_not_seen_inside_code(read: Read) -> None:
    found = read("markdown", "# T\n\n## Use\n\n```\n## 1.0.0\n## 1.1.0\n```\n\nwords\n")

    assert found.entries == ()
