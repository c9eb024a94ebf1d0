"""Word documents in the cage: no network there, so this holds the mend that keeps unstructured from downloading."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path

import docx
import pytest

from documents.sandbox import Outcome, Prepared, Refused, prepare
from documents.text.piece import ChunkProfile

CHANGES = (
    '<w:p><w:r><w:t xml:space="preserve">The price is </w:t></w:r>'
    '<w:del w:id="1" w:author="a"><w:r><w:delText>90 dollars</w:delText></w:r></w:del>'
    '<w:ins w:id="2" w:author="a"><w:r><w:t>75 dollars</w:t></w:r></w:ins>'
    "<w:r><w:rPr><w:vanish/></w:rPr><w:t>hidden words</w:t></w:r></w:p>"
)


def word_file() -> bytes:
    document = docx.Document()
    document.core_properties.title = "Price list"
    document.add_heading("Prices", 1)
    document.add_paragraph("Words before the table are here.")
    table = document.add_table(2, 2)
    for cell, text in zip(
        (cell for row in table.rows for cell in row.cells), ("name", "cost", "web", "12"), strict=True
    ):
        cell.text = text
    document.add_paragraph("Words after the table are here.")
    document.add_paragraph("first item of the list", style="List Bullet")
    document.add_paragraph("MARK")
    out = io.BytesIO()
    document.save(out)
    return edited(out.getvalue(), "<w:p><w:r><w:t>MARK</w:t></w:r></w:p>", CHANGES)


def edited(data: bytes, old: str, new: str) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as source, zipfile.ZipFile(out, "w") as target:
        for name in source.namelist():
            part = source.read(name)
            if name == "word/document.xml":
                assert old in part.decode()
                part = part.decode().replace(old, new).encode()
            target.writestr(name, part)
    return out.getvalue()


def read(tmp_path: Path, data: bytes) -> Outcome:
    file = tmp_path / "blob"
    file.write_bytes(data)
    return prepare(file, filename="prices.docx", kind="docx", profile=ChunkProfile())


def test_a_word_document_reads_with_its_changes_accepted(tmp_path: Path) -> None:
    found = read(tmp_path, word_file())

    assert isinstance(found, Prepared)
    assert found.title == "Price list"
    assert found.canonical == (
        "Prices\n\nWords before the table are here.\n\n| name | cost |\n|---|---|\n| web | 12 |\n\n"
        "Words after the table are here.\n\n- first item of the list\n\nThe price is 75 dollars"
    )
    assert found.report.hidden_characters == len("hidden words")
    assert {item.piece.heading_path for item in found.pieces} == {("Prices",)}


@pytest.mark.parametrize(
    ("part", "code"),
    [
        ('<!DOCTYPE x [<!ENTITY a "boom">]><x>&a;</x>', "documents.broken"),
        ("<w:document", "documents.broken"),
    ],
)
def test_a_word_document_with_broken_or_hostile_parts_is_refused(tmp_path: Path, part: str, code: str) -> None:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as target:
        target.writestr("word/document.xml", part)

    found = read(tmp_path, out.getvalue())

    assert isinstance(found, Refused)
    assert found.code == code


def test_a_zip_that_holds_no_document_is_mislabelled(tmp_path: Path) -> None:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as target:
        target.writestr("readme.txt", "words")

    found = read(tmp_path, out.getvalue())

    assert isinstance(found, Refused)
    assert found.code == "documents.mislabelled"
