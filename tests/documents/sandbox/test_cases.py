"""The first fifteen cases that portals of this kind got wrong in the field, each through the real cage.

What needs the database or a page has its test there: downloads in tests/documents/pages, sizes in tests/documents/ingest.
"""

from __future__ import annotations

import io
import socket
from collections.abc import Callable
from pathlib import Path

import pypdf
import pytest

from documents import ocr
from documents.parsers.sniff import identify
from documents.sandbox import Outcome, Prepared, Refused, prepare
from documents.text.normalise import clean_name, name_key
from documents.text.piece import ChunkProfile
from tests.documents.parsers.containers import W, word, workbook
from tests.documents.parsers.test_pdf import pdf
from tests.documents.sandbox.test_ocr import joined, scanned, text_pdf

Read = Callable[[str, str | bytes], Outcome]


@pytest.fixture
def read(tmp_path: Path) -> Read:
    def run(name: str, content: str | bytes) -> Outcome:
        data = content.encode() if isinstance(content, str) else content
        kind = identify(name, data[:65_536])
        if isinstance(kind, Refused):
            return kind
        file = tmp_path / "blob"
        file.write_bytes(data)
        return prepare(file, filename=name, kind=kind, profile=ChunkProfile())

    return run


def text_of(found: Outcome) -> str:
    assert isinstance(found, Prepared), found
    return found.canonical


def test_case_1_zero_bytes_anywhere_cost_no_document(read: Read) -> None:
    text = text_of(read("a.md", "# He\x00ading\n\nwo\x00rds in a line\n"))
    titled = read("a.pdf", pdf([[(11, 600, "words")]], title="Ti\x00tle of it"))

    assert text == "Heading\n\nwords in a line"
    assert isinstance(titled, Prepared)
    assert "\x00" not in titled.title


def test_case_2_one_dirty_passage_among_many_is_cleaned_and_counted(read: Read) -> None:
    parts = [f"## Part {number}\n\n{'Words of this part stand here. ' * 12}" for number in range(200)]
    clean = read("a.md", "\n\n".join(parts))
    parts[77] = parts[77].replace("stand", "st\x00an\u202ed\ufdd0")
    dirty = read("a.md", "\n\n".join(parts))

    assert isinstance(clean, Prepared)
    assert isinstance(dirty, Prepared)
    assert dirty.canonical == clean.canonical
    assert dirty.pieces == clean.pieces
    assert dirty.report.hidden_characters == 36


@pytest.mark.parametrize("encoding", ["gbk", "gb18030", "utf-16", "utf-16-le", "utf-16-be", "utf-8-sig"])
def test_case_3_the_words_are_found_in_any_encoding(read: Read, encoding: str) -> None:
    assert "中文文档的内容" in text_of(
        read("a.txt", ("这是一个中文文档的内容，我们在这里说明问题。\n" * 6).encode(encoding))
    )
    assert text_of(read("a.csv", "名字,地址\n王小明,北京市\n李小红,上海市\n".encode(encoding))).startswith(
        "| 名字 | 地址 |"
    )


def test_case_4_a_name_is_one_identity_and_climbs_nowhere() -> None:
    assert name_key("Übersicht.md") == name_key("U\u0308bersicht.md")
    assert clean_name("../../etc/passwd") == "passwd"
    assert clean_name("a\u202e#?% 🚀.md") == "a#?% 🚀.md"
    assert len(clean_name("ä" * 300 + ".md").encode()) <= 255


@pytest.mark.parametrize("content", ["", " \n\t ", "\ufeff\n"])
def test_case_5_an_empty_file_is_refused(read: Read, content: str) -> None:
    assert read("a.txt", content) == Refused("documents.empty")


def test_case_6_pages_that_are_pictures_are_listed(read: Read, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ocr, "installed", lambda: None)

    found = read("a.pdf", joined(text_pdf(*["Typed words"] * 30), scanned(*["Scan"] * 20)))

    assert isinstance(found, Prepared)
    assert found.report.pages == 50
    assert found.report.pages_without_text == tuple(range(31, 51))


@pytest.mark.parametrize("algorithm", ["RC4-128", "AES-256"])
def test_case_7_a_locked_pdf_is_said_to_be_and_one_with_an_empty_password_is_read(read: Read, algorithm: str) -> None:
    if algorithm.startswith("AES"):
        pytest.importorskip("cryptography")

    def locked(password: str) -> bytes:
        writer = pypdf.PdfWriter(clone_from=io.BytesIO(text_pdf("Locked words")))
        writer.encrypt(user_password=password, owner_password="owner", algorithm=algorithm)
        out = io.BytesIO()
        writer.write(out)
        return out.getvalue()

    assert read("a.pdf", locked("secret")) == Refused("documents.password")
    assert text_of(read("a.pdf", locked(""))) == "Locked words"


def p(text: str) -> str:
    return f"<w:p><w:r><w:t>{text}</w:t></w:r></w:p>"


def test_case_8_insertions_are_read_and_deletions_are_not(read: Read) -> None:
    body = (
        '<w:p><w:r><w:t xml:space="preserve">It costs </w:t></w:r><w:del w:id="1"><w:r><w:delText>90</w:delText></w:r></w:del>'
        '<w:ins w:id="2"><w:r><w:t>75</w:t></w:r></w:ins></w:p>'
    )

    assert text_of(read("a.docx", word(body))) == "It costs 75"


def test_case_9_text_table_text_stay_in_order_and_notes_are_kept(read: Read) -> None:
    rows = (("a", "b"), ("1", "2"))
    cells = ("".join(f"<w:tc>{p(cell)}</w:tc>" for cell in row) for row in rows)
    table = f"<w:tbl>{''.join(f'<w:tr>{row}</w:tr>' for row in cells)}</w:tbl>"
    notes = f'<w:footnotes xmlns:w="{W}"><w:footnote w:id="1">{p("a note")}</w:footnote></w:footnotes>'

    text = text_of(read("a.docx", word(p("before") + table + p("after"), footnotes=notes)))

    assert text == "before\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\nafter\n\nNotes\n\n[1] a note"


def test_case_10_cached_values_and_whole_rows(read: Read) -> None:
    data = (
        '<sheetData><row r="1"><c r="A1" t="inlineStr"><is><t>Sum</t></is></c><c r="B1" t="inlineStr"><is><t>Of</t></is></c></row>'
        '<row r="2"><c r="A2"><f>SUM(B2:B9)</f><v>42</v></c><c r="B2" t="inlineStr"><is><t>all</t></is></c></row></sheetData>'
    )

    assert text_of(read("a.xlsx", workbook({"S": data}))) == "S\n\n| Sum | Of |\n|---|---|\n| 42 | all |"
    assert text_of(read("a.csv", 'a,b\n"one\ntwo",3\n')) == "| a | b |\n|---|---|\n| one two | 3 |"


def test_case_11_each_piece_of_a_long_table_is_a_table_with_its_header(read: Read) -> None:
    found = read("a.md", "| name | port |\n|---|---|\n" + "".join(f"| service {n} | {n} |\n" for n in range(300)))

    assert isinstance(found, Prepared)
    pieces = [item.piece for item in found.pieces]
    assert len(pieces) > 5
    assert all(one.prefix == "| name | port |\n|---|---|" for one in pieces[1:])
    assert all(line.startswith("|") and line.endswith("|") for one in pieces for line in one.text.split("\n"))


def test_case_12_five_megabytes_of_markdown_are_read(read: Read) -> None:
    found = read("a.md", "".join(f"# Part {n}\n\n{'A sentence of it stands here. ' * 60}\n\n" for n in range(2_700)))

    assert isinstance(found, Prepared)
    assert len(found.canonical) > 4_800_000


def test_case_13_only_what_a_visitor_sees_of_a_page_is_read(read: Read) -> None:
    page = (
        "<html><head><title>T</title><style>.x{}</style></head><body><nav>Home Shop</nav><script>var secret=1</script>"
        "<template>not yet</template><h1>Title</h1><p>seen</p><p style='display:none'>unseen</p></body></html>"
    )

    found = read("a.html", page)

    assert text_of(found) == "Title\n\nseen"
    assert isinstance(found, Prepared)
    assert found.report.hidden_characters == len("unseen")


def test_case_14_nothing_that_a_document_names_is_fetched(read: Read) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(0.5)
        address = f"http://127.0.0.1:{server.getsockname()[1]}/x"
        read("a.md", f"![a]({address}) [b]({address}) <img src='{address}'>")
        read(
            "a.html",
            f"<p>words<img src='{address}'><iframe src='{address}'></iframe><link rel=stylesheet href='{address}'></p>",
        )
        read("a.xml", f'<!DOCTYPE a SYSTEM "{address}"><a>words</a>')

        with pytest.raises(TimeoutError):
            server.accept()


def test_case_15_a_drawing_with_script_is_refused_in_words(read: Read) -> None:
    found = read("a.svg", '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>')

    assert found == Refused("documents.unsupported", "A .svg file is not read. Save the picture as PNG or JPEG.")
