from __future__ import annotations

import pytest

from documents.parsers import kinds
from documents.parsers.outcome import Refused
from documents.parsers.sniff import identify

PNG = b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR" + bytes(64)
PDF = b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n"
DOCX = b"PK\x03\x04" + bytes(22) + b"\x11\x00\x00\x00word/document.xml"
ZIP = b"PK\x03\x04" + bytes(60)
OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(100)


@pytest.mark.parametrize(
    ("name", "head", "kind"),
    [
        ("a.md", b"# Hi", "markdown"),
        ("A.MARKDOWN", b"# Hi", "markdown"),
        ("a.txt", b"words", "text"),
        ("a.rst", b"Hi\n==", "rst"),
        ("a.html", b"<p>Hi", "html"),
        ("a.htm", b"plain words", "html"),
        ("a.pdf", PDF, "pdf"),
        ("a.pdf", b"junk before\n" + PDF, "pdf"),
        ("a.docx", DOCX, "docx"),
        ("a.eml", b"From: a@b.c\n\nHi", "eml"),
        ("README", b"words", "text"),
        ("Dockerfile", b"FROM x", "code"),
        ("a.csv", b"a,b", "csv"),
        ("a.docx", ZIP, "docx"),
        ("a.xlsm", b"PK\x03\x04" + bytes(26) + b"xl/workbook.xml", "xlsx"),
        ("a.pptx", b"PK\x03\x04" + bytes(26) + b"xl/embedded.xml" + b"ppt/presentation.xml", "pptx"),
        ("a.odt", b"PK\x03\x04" + bytes(26) + b"mimetypeapplication/vnd.oasis.opendocument.text", "odt"),
        ("a.epub", b"PK\x03\x04" + bytes(26) + b"mimetypeapplication/epub+zip", "epub"),
        ("a.doc", OLE, "doc"),
        ("a.msg", OLE, "msg"),
        ("a.rtf", b"{\\rtf1 words}", "rtf"),
        ("scan", PNG, "picture"),
        ("a.jpg", b"\xff\xd8\xff\xe0" + bytes(64), "picture"),
        ("page", b"<!doctype html><p>Hi", "html"),
        ("paper", PDF, "pdf"),
        ("a.txt", "中文".encode("utf-16"), "text"),
        ("a.txt", b"one st\x00ray zero byte in a line of text", "text"),
    ],
)
def test_name_and_bytes_tell_the_kind(name: str, head: bytes, kind: str) -> None:
    assert identify(name, head) == kind


@pytest.mark.parametrize(
    ("name", "head", "code"),
    [
        ("a.md", b"", "documents.empty"),
        ("a.pdf", b" \r\n\t ", "documents.empty"),
        ("a.txt", b"\xef\xbb\xbf\n", "documents.empty"),
        ("a.txt", "\ufeff \u200b".encode("utf-16"), "documents.empty"),
        ("a.pdf", PNG, "documents.mislabelled"),
        ("a.pdf", b"just words", "documents.mislabelled"),
        ("a.txt", PNG, "documents.mislabelled"),
        ("a.md", PDF, "documents.mislabelled"),
        ("a.txt", bytes(range(256)) * 8, "documents.mislabelled"),
        ("a.docx", b"words", "documents.mislabelled"),
        ("a.docx", OLE, "documents.mislabelled"),
        ("a.docx", OLE + "EncryptedPackage".encode("utf-16-le"), "documents.password"),
        ("a.exe", b"MZ\x90\x00", "documents.unsupported"),
        ("a.xyz", b"words", "documents.unsupported"),
        ("backup", b"\x1f\x8b\x08" + bytes(100), "documents.unsupported"),
        ("a.zip", ZIP, "documents.unsupported"),
        ("a.xlsx", DOCX, "documents.mislabelled"),
        ("a.png", b"words", "documents.mislabelled"),
        ("a.csv", DOCX, "documents.mislabelled"),
        ("a.json", PNG, "documents.mislabelled"),
        ("a.xls", b"<html><table>", "documents.mislabelled"),
        ("a.rtf", b"words", "documents.mislabelled"),
        ("a.xlsx", OLE, "documents.mislabelled"),
    ],
)
def test_what_cannot_be_read_is_refused_with_its_reason(name: str, head: bytes, code: str) -> None:
    found = identify(name, head)

    assert isinstance(found, Refused)
    assert found.code == code


def test_a_refusal_says_what_was_seen_and_what_is_supported() -> None:
    assert identify("a.pdf", PNG) == Refused(
        "documents.mislabelled", "Its name says PDF, its content is a PNG picture."
    )
    assert identify("a.xyz", b"words") == Refused(
        "documents.unsupported",
        f"A .xyz file is not read. Supported: {kinds.supported()}.",
    )
