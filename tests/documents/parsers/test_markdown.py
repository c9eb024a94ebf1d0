from __future__ import annotations

import pytest

from documents.text.section import Section
from tests.documents.parsers.conftest import Read


def texts(read: Read, source: str) -> list[tuple[str, str]]:
    return [(section.kind, section.text) for section in read("markdown", source).sections]


def test_structure_is_kept_and_the_only_top_heading_is_the_title(read: Read) -> None:
    found = read("markdown", "# Guide\n\nHello\nworld.\n\n## Install\n\nRun it.\n\n### Linux\n\nYes.\n")

    assert found.title == "Guide"
    assert found.sections == (
        Section("Guide", "heading"),
        Section("Hello world."),
        Section("Install", "heading"),
        Section("Run it.", "prose", ("Install",)),
        Section("Linux", "heading", ("Install",)),
        Section("Yes.", "prose", ("Install", "Linux")),
    )


def test_of_many_top_headings_none_is_the_title(read: Read) -> None:
    found = read("markdown", "# One\n\na\n\n# Two\n\nb\n")

    assert found.title == ""
    assert [section.heading_path for section in found.sections] == [(), ("One",), (), ("Two",)]


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("a [link](http://169.254.169.254/x) and ![alt](http://127.0.0.1/y.png)", [("prose", "a link and alt")]),
        ("see [text][ref]\n\n[ref]: http://example.com", [("prose", "see text")]),
        ("use `foo()` and **bold** *it* ~~no~~", [("prose", "use foo() and bold it no")]),
        ("一行\n又一行", [("prose", "一行又一行")]),
        ("line  \nbreak", [("prose", "line\nbreak")]),
        ("- a\n- b\n  - c\n\n    more\n3. x", [("list", "- a\n- b\n  - c\n    more"), ("list", "3. x")]),
        ("- run\n\n  ```sh\n  ls\n  ```", [("list", "- run\n```sh\nls\n```")]),
        ("```py title='x'\na = 1\n\nb\n```", [("code", "```py\na = 1\n\nb\n```")]),
        ("> quoted\n> words", [("prose", "quoted words")]),
        ("Title\n=====\n", [("heading", "Title")]),
        ("## Head { #anchor }\n", [("heading", "Head")]),
        ("/// note | Careful\n\nBody.\n\n///", [("prose", "Careful"), ("prose", "Body.")]),
        (
            '!!! warning "Hot"\n    Do not touch.\n\nAfter.',
            [("prose", "Hot"), ("prose", "Do not touch."), ("prose", "After.")],
        ),
        ("<div><p>Seen</p><script>alert(1)</script></div>", [("prose", "Seen")]),
        ("a <b>bold</b> word<br>next", [("prose", "a bold word\nnext")]),
        ("some wo\x00rds here", [("prose", "some words here")]),
    ],
)
def test_markdown_reads_as_its_reader_sees_it(read: Read, source: str, expected: list[tuple[str, str]]) -> None:
    assert texts(read, source) == expected


def test_a_table_keeps_its_header(read: Read) -> None:
    (table,) = read("markdown", "| a | b |\n|---|:-:|\n| 1 | x \\| y |\n| 2 | |\n").sections

    assert table.text == "| a | b |\n|---|---|\n| 1 | x \\| y |\n| 2 |  |"
    assert table.header == "| a | b |\n|---|---|"


def test_front_matter_gives_the_title_and_is_not_text(read: Read) -> None:
    found = read("markdown", "---\ntitle: 'The Guide'\nauthor: Ada\n---\n\nBody.\n")

    assert (found.title, found.metadata["author"]) == ("The Guide", "Ada")
    assert [section.text for section in found.sections] == ["Body."]


def test_what_is_hidden_is_counted_and_what_is_included_is_reported(read: Read) -> None:
    found = read("markdown", "Seen\u200b.\n\n<p hidden>secret</p>\n\n{* ../x.py *}\n\n![](a.png)\n")

    assert [section.text for section in found.sections] == ["Seen."]
    assert found.report.hidden_characters == 7
    assert [(one.what, one.why) for one in found.report.skipped] == [
        ("include", "not fetched"),
        ("picture", "not read"),
    ]


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "gb18030"])
def test_markdown_in_other_encodings_is_read(read: Read, encoding: str) -> None:
    source = "# 指南\n\n这是一个测试文档，说明如何配置服务器的端口号。"

    found = read("markdown", source.encode(encoding))

    assert [section.text for section in found.sections] == ["指南", "这是一个测试文档，说明如何配置服务器的端口号。"]


def test_a_long_file_is_read_in_segments_without_a_seam(read: Read) -> None:
    part = "## Part\n\n" + "word " * 2000 + "\n\n```\n# not a heading\n```\n\n"

    found = read("markdown", "# Book\n\n" + part * 100)

    assert len(found.sections) == 301
    assert {section.heading_path for section in found.sections if section.kind == "code"} == {("Part",)}
