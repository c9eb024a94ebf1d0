from __future__ import annotations

import pytest

from documents.parsers.outcome import Refused
from documents.text.section import Parsed
from tests.documents.parsers.conftest import Read, Try


def texts(parsed: Parsed) -> list[str]:
    return [section.text for section in parsed.sections]


def test_each_record_is_a_unit_under_its_name(read: Read) -> None:
    found = read(
        "json", '[{"id": 7, "name": "Trowel", "size": {"cm": 30.10}}, {"id": 8, "name": "Can", "tags": ["a", "b"]}]'
    )

    assert texts(found) == [
        "Trowel", "- id: 7\n- name: Trowel\n- size.cm: 30.10", "Can", "- id: 8\n- name: Can\n- tags: a, b",
    ]  # fmt: skip
    assert found.sections[1].heading_path == ("Trowel",)


def test_lines_of_json_are_records_and_a_broken_one_is_reported(read: Read) -> None:
    found = read("ndjson", '{"name": "a", "n": 1}\n{oops\n{"name": "b", "n": null}\n')

    assert texts(found) == ["a", "- name: a\n- n: 1", "b", "- name: b"]
    assert [(one.what, one.where) for one in found.report.skipped] == [("line", "line 2")]


def test_json_that_is_none_is_read_as_it_is_written(read: Read) -> None:
    found = read("json", '{\n  // a comment\n  "strict": true,\n}')

    assert found.report.warnings == ("malformed",)
    assert '"strict": true' in texts(found)[0]


def test_a_name_that_comes_twice_and_numbers_stay_as_written(read: Read) -> None:
    assert texts(read("json", '{"v": 1.10, "v": 12345678901234567890123, "big": 1e400}')) == [
        "- v: 1.10\n- v: 12345678901234567890123\n- big: 1e400"
    ]


@pytest.mark.parametrize("content", ["[" * 100_000, '{"a":' * 100_000])
def test_json_nested_too_deeply_is_refused(attempt: Try, content: str) -> None:
    found = attempt("json", content)

    assert isinstance(found, Refused)
    assert found.code == "documents.broken"


def test_xml_data_reads_as_records(read: Read) -> None:
    found = read("xml", '<shop><item id="1"><name>Pen</name><price>2</price></item>'
                        '<item id="2"><name>Cup</name><price>3</price></item></shop>')  # fmt: skip

    assert texts(found)[1:] == ["Pen", "- @id: 1\n- name: Pen\n- price: 2", "Cup", "- @id: 2\n- name: Cup\n- price: 3"]


def test_xml_texts_keep_their_marked_words(read: Read) -> None:
    found = read("xml", "<doc><section><title>Setup</title><para>Press <b>Start</b> now.</para></section></doc>")

    assert "Press Start now." in "\n".join(texts(found))


def test_no_entity_of_xml_is_resolved(tmp_path_factory: pytest.TempPathFactory, read: Read) -> None:
    secret = tmp_path_factory.mktemp("x") / "secret"
    secret.write_text("hunter2")

    found = read(
        "xml", f'<!DOCTYPE a [<!ENTITY e SYSTEM "file://{secret}"><!ENTITY l "lol">]><a><b>&e; words &l;</b></a>'
    )

    assert "hunter2" not in "".join(texts(found))
    assert "words" in "".join(texts(found))


def test_broken_xml_is_read_as_far_as_it_goes(read: Read) -> None:
    found = read("xml", "<a><b>first words</b><c>second")

    assert found.report.warnings == ("malformed",)
    assert "first words" in "".join(texts(found))


def test_yaml_is_cut_at_its_keys_and_keeps_its_comments(read: Read) -> None:
    found = read(
        "yaml", "# the port\nport: 8443\n" + "".join(f"key{n}:\n  name: value {n}\n  # why\n" for n in range(60))
    )

    assert "key7" in [section.text for section in found.sections if section.kind == "heading"]
    assert found.sections[0].text.startswith("port") or "# the port" in found.sections[0].text
    assert sum(section.text.count("# why") for section in found.sections) == 60


def test_items_of_a_yaml_list_are_called_by_their_names(read: Read) -> None:
    found = read("yaml", "".join(f"- name: rule {n}\n  text: {'words ' * 10}\n" for n in range(40)))

    assert [one.text for one in found.sections if one.kind == "heading"][:2] == ["rule 0", "rule 1"]


def test_yaml_aliases_are_not_unfolded(read: Read) -> None:
    bomb = "a0: &a0 [x, x]\n" + "".join(f"a{n}: &a{n} [*a{n - 1}, *a{n - 1}]\n" for n in range(1, 60))

    assert sum(len(text) for text in texts(read("yaml", bomb))) < 10 * len(bomb)


def test_yaml_nested_too_deeply_is_refused(attempt: Try) -> None:
    assert isinstance(attempt("yaml", "- " * 50_000 + "x"), Refused)
    assert isinstance(attempt("yaml", "[" * 50_000), Parsed)  # the parser stops by itself: read as it is written
