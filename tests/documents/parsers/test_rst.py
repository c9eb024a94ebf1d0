from __future__ import annotations

import pytest

from documents.text.section import Section
from tests.documents.parsers.conftest import Read


def test_titles_nest_by_their_order_of_appearance(read: Read) -> None:
    found = read("rst", "====\nDoc\n====\n\nIntro.\n\nOne\n===\n\nText.\n\nDeep\n----\n\nMore.\n\nTwo\n===\n\nEnd.\n")

    assert found.title == "Doc"
    assert found.sections == (
        Section("Doc", "heading"),
        Section("Intro."),
        Section("One", "heading"),
        Section("Text.", "prose", ("One",)),
        Section("Deep", "heading", ("One",)),
        Section("More.", "prose", ("One", "Deep")),
        Section("Two", "heading"),
        Section("End.", "prose", ("Two",)),
    )


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("Use ``a * b`` and :ref:`the guide <target>` or :class:`~django.db.Model`.",
         [("prose", "Use a * b and the guide or Model.")]),
        ("A `link <http://127.0.0.1>`_, a name_ and *words* **here** [1]_.", [("prose", "A link, a name and words here [1].")]),
        ("snake_case and __init__ stay", [("prose", "snake_case and __init__ stay")]),
        ("Run::\n\n    ls -l\n\n    pwd\n\nThen.", [("prose", "Run:"), ("code", "```\nls -l\n\npwd\n```"), ("prose", "Then.")]),
        (".. code-block:: python\n   :linenos:\n\n   x = 1", [("code", "```python\nx = 1\n```")]),
        (">>> 1 + 1\n2", [("code", "```pycon\n>>> 1 + 1\n2\n```")]),
        (".. note:: Careful with\n   this.\n\n   More.", [("prose", "Careful with\nthis."), ("prose", "More.")]),
        (".. versionadded:: 5.2\n\n   The flag.", [("prose", "New in version 5.2."), ("prose", "The flag.")]),
        (".. class:: Foo(bar)\n\n   Does it.", [("prose", "Foo(bar)"), ("prose", "Does it.")]),
        (".. _label:\n\n.. a comment\n   goes on\n\n.. index:: x\n\nSeen.", [("prose", "Seen.")]),
        (".. |v| replace:: 2.0.10\n\nVersion |v|.", [("prose", "Version 2.0.10.")]),
        (".. toctree::\n\n   a\n   b\n\nSeen.", [("prose", "Seen.")]),
        ("- one\n  goes on\n- two\n\n  - deep\n", [("list", "- one goes on\n- two\n  - deep")]),
        ("#. first\n#. second", [("list", "1. first\n2. second")]),
        ("term\n  Its meaning.", [("prose", "term\nIts meaning.")]),
        ("Name:\n\n:Host: local\n:Port: 8443", [("prose", "Name:"), ("prose", "Host: local\nPort: 8443")]),
        ("| one\n| two", [("prose", "one\ntwo")]),
        ("a\n\n----\n\nb", [("prose", "a"), ("prose", "b")]),
        ("   quoted", [("prose", "quoted")]),
    ],
)  # fmt: skip
def test_rst_reads_as_its_reader_sees_it(read: Read, source: str, expected: list[tuple[str, str]]) -> None:
    assert [(section.kind, section.text) for section in read("rst", source).sections] == expected


@pytest.mark.parametrize(
    "source",
    [
        "=====  =====\nname   port\n=====  =====\nweb    80\n       81\ndb     5432\n=====  =====\n",
        (
            "+------+------+\n| name | port |\n+======+======+\n| web  | 80   |\n|      | 81   |\n+------+------+\n"
            "| db   | 5432 |\n+------+------+\n"
        ),
        (
            ".. list-table::\n   :header-rows: 1\n\n   * - name\n     - port\n"
            "   * - web\n     - 80\n       81\n   * - db\n     - 5432\n"
        ),
        '.. csv-table::\n   :header: "name", "port"\n\n   "web", "80 81"\n   "db", 5432\n',
    ],
)
def test_every_form_of_table_becomes_the_same_table(read: Read, source: str) -> None:
    (table,) = read("rst", source).sections

    assert table.text == "| name | port |\n|---|---|\n| web | 80 81 |\n| db | 5432 |"
    assert table.header == "| name | port |\n|---|---|"


def test_nothing_is_included_or_run(read: Read) -> None:
    source = "Seen.\n\n.. include:: /etc/passwd\n\n.. raw:: html\n\n   x\n\n.. csv-table::\n   :file: /etc/passwd\n"

    found = read("rst", source)

    assert [section.text for section in found.sections] == ["Seen."]
    assert [one.where for one in found.report.skipped] == ["include /etc/passwd", "raw html", "csv-table"]


def test_deep_nesting_loses_structure_and_no_word(read: Read) -> None:
    source = "\n\n".join("  " * depth + f"word{depth}" for depth in range(200))

    words = " ".join(section.text for section in read("rst", source).sections).split()

    assert words == [f"word{depth}" for depth in range(200)]
