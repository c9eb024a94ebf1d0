from __future__ import annotations

from documents.parsers.outcome import Refused
from tests.documents.parsers.conftest import Read, Try


def test_paragraphs_keep_their_lines(read: Read) -> None:
    found = read("text", "one\r\ntwo\r\n\r\n\r\nthree\x0cfour")

    assert [section.text for section in found.sections] == ["one\ntwo", "three", "four"]


def test_dirty_bytes_are_read_and_reported(read: Read) -> None:
    found = read("text", "Это текст на русском языке. ".encode() * 5 + b"\xff\xfe")

    assert found.report.warnings == ("undecodable-bytes",)
    assert found.sections[0].text.startswith("Это текст")


def test_binary_data_is_refused(attempt: Try) -> None:
    found = attempt("text", bytes(range(256)) * 8)

    assert isinstance(found, Refused)
    assert found.code == "documents.mislabelled"
