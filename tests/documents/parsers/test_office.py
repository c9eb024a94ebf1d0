"""Office files from their parts: small ones written here."""

from __future__ import annotations

from documents.parsers.outcome import Refused
from documents.text.section import Parsed
from tests.documents.parsers.conftest import Read, Try
from tests.documents.parsers.containers import W, shape, slide, slides, word, workbook, zipped


def texts(parsed: Parsed) -> list[str]:
    return [section.text for section in parsed.sections]


def row(number: int, *cells: str) -> str:
    return f'<row r="{number}">{"".join(cells)}</row>'


def words(place: str, text: str) -> str:
    return f'<c r="{place}" t="inlineStr"><is><t>{text}</t></is></c>'


STYLES = (
    '<numFmts><numFmt numFmtId="170" formatCode="0.0%"/></numFmts>'
    '<cellXfs><xf numFmtId="0"/><xf numFmtId="14"/><xf numFmtId="170"/></cellXfs>'
)


def test_a_workbook_gives_cached_values_dates_and_its_header(read: Read) -> None:
    data = "<sheetData>" + row(1, words("A1", "Item"), words("B1", "Due"), words("C1", "Share")) + row(
        2,
        '<c r="A2" t="s"><v>0</v></c><c r="B2" s="1"><v>45292</v></c><c r="C2" s="2"><f>1/8</f><v>0.125</v></c>',
    ) + "</sheetData>"  # fmt: skip

    found = read("xlsx", workbook({"Plan": data}, strings="<si><t>Rent</t></si>", styles=STYLES))

    assert texts(found) == ["Plan", "| Item | Due | Share |\n|---|---|---|\n| Rent | 2024-01-01 | 12.5% |"]
    assert found.sections[1].heading_path == () or found.sections[1].heading_path == ("Plan",)


def test_a_merged_cell_stands_in_every_place_and_hidden_sheets_are_reported(read: Read) -> None:
    data = (
        "<sheetData>" + row(1, words("A1", "Team"), words("B1", "Won")) + row(2, words("A2", "Blues"), words("B2", "one"))
        + row(3, words("B3", "two")) + '</sheetData><mergeCells><mergeCell ref="A2:A3"/></mergeCells>'
    )  # fmt: skip

    found = read("xlsx", workbook({"Cups": data, "Secret": data}, hidden=("Secret",)))

    assert texts(found)[1] == "| Team | Won |\n|---|---|\n| Blues | one |\n| Blues | two |"
    assert [(one.what, one.where) for one in found.report.skipped] == [("hidden-sheet", "Secret")]


def test_formulas_that_were_never_computed_are_counted_and_not_indexed(read: Read) -> None:
    data = "<sheetData>" + row(1, words("A1", "x"), '<c r="B1"><f>SUM(A1:A9)</f></c>') + "</sheetData>"

    found = read("xlsx", workbook({"S": data}))

    assert "SUM" not in "".join(texts(found))
    assert [one.what for one in found.report.skipped] == ["formula"]


def test_a_slide_is_a_page_with_title_list_table_and_notes(read: Read) -> None:
    table = (
        '<p:graphicFrame><a:tbl><a:tr><a:tc gridSpan="2"><a:txBody><a:p><a:r><a:t>Both</a:t></a:r></a:p></a:txBody></a:tc>'
        '<a:tc hMerge="1"/></a:tr><a:tr><a:tc><a:txBody><a:p><a:r><a:t>1</a:t></a:r></a:p></a:txBody></a:tc>'
        "<a:tc><a:txBody><a:p><a:r><a:t>2</a:t></a:r></a:p></a:txBody></a:tc></a:tr></a:tbl></p:graphicFrame>"
    )
    first = slide(shape("body one", "body two", placeholder="body"), shape("Plan", placeholder="title"), table)
    notes = slide(shape("say it slowly", placeholder="body"), shape("3", placeholder="sldNum"))

    found = read("pptx", slides(first, slide(shape("secret"), show="0"), slide(), notes=notes))

    assert texts(found) == [
        "Plan",
        "- body one\n- body two",
        "| Both | Both |\n|---|---|\n| 1 | 2 |",
        "Notes: say it slowly",
    ]
    assert {section.page for section in found.sections} == {1}
    assert (found.report.pages, found.report.pages_without_text) == (3, (2, 3))
    assert [one.what for one in found.report.skipped] == ["hidden-slide"]


def p(text: str, properties: str = "") -> str:
    return f"<w:p>{properties}<w:r><w:t>{text}</w:t></w:r></w:p>"


def test_a_word_document_keeps_the_order_of_text_table_text_and_merges_truly(read: Read) -> None:
    cell = "<w:tc><w:tcPr>{}</w:tcPr>{}</w:tc>"
    table = (
        "<w:tbl><w:tr>" + cell.format('<w:gridSpan w:val="2"/>', p("Both")) + "</w:tr><w:tr>"
        + cell.format('<w:vMerge w:val="restart"/>', p("left")) + cell.format("", p("a")) + "</w:tr><w:tr>"
        + cell.format("<w:vMerge/>", "<w:p/>") + cell.format("", "<w:tbl><w:tr><w:tc>" + p("inner") + "</w:tc></w:tr></w:tbl>")
        + "</w:tr></w:tbl>"
    )  # fmt: skip

    found = read("docx", word(p("before") + table + p("after")))

    assert texts(found) == ["before", "| Both | Both |\n|---|---|\n| left | a |\n| left | inner |", "after"]


def test_word_lists_count_and_headings_nest(read: Read) -> None:
    numbering = (
        f'<w:numbering xmlns:w="{W}"><w:abstractNum w:abstractNumId="0"><w:lvl w:ilvl="0"><w:start w:val="1"/>'
        '<w:numFmt w:val="decimal"/></w:lvl><w:lvl w:ilvl="1"><w:start w:val="1"/><w:numFmt w:val="lowerLetter"/></w:lvl>'
        '</w:abstractNum><w:num w:numId="5"><w:abstractNumId w:val="0"/></w:num></w:numbering>'
    )
    item = '<w:pPr><w:numPr><w:ilvl w:val="{}"/><w:numId w:val="5"/></w:numPr></w:pPr>'
    heading = '<w:pPr><w:outlineLvl w:val="{}"/></w:pPr>'
    body = p("One", heading.format(0)) + p("Two", heading.format(1)) + p("x", item.format(0)) + p("y", item.format(1)) + p(
        "z", item.format(0)
    )  # fmt: skip

    found = read("docx", word(body, numbering=numbering))

    assert texts(found)[-1] == "1. x\n  a. y\n2. z"
    assert found.sections[-1].heading_path == ("Two",) or found.sections[-1].heading_path == ("One", "Two")


def test_what_word_keeps_beside_its_text_is_read_or_reported(read: Read) -> None:
    notes = f'<w:footnotes xmlns:w="{W}"><w:footnote w:id="1">{p("see the annex")}</w:footnote></w:footnotes>'
    comments = f'<w:comments xmlns:w="{W}"><w:comment w:id="1">{p("really?")}</w:comment></w:comments>'
    header = f'<w:hdr xmlns:w="{W}">{p("Confidential")}</w:hdr>'

    found = read("docx", word(p("text"), footnotes=notes, comments=comments, header1=header))

    assert texts(found) == ["text", "Notes", "[1] see the annex"]
    assert {(one.what, one.where) for one in found.report.skipped} == {
        ("comment", "1 comments"),
        ("header", "Confidential"),
    }


def test_opendocument_text_leaves_deletions_out_and_keeps_lists_and_tables(read: Read) -> None:
    office, text, table = (f"urn:oasis:names:tc:opendocument:xmlns:{name}:1.0" for name in ("office", "text", "table"))
    content = (
        f'<o:document-content xmlns:o="{office}" xmlns:t="{text}" xmlns:b="{table}"><o:body><o:text>'
        "<t:tracked-changes><t:changed-region><t:deletion><t:p>90 dollars</t:p></t:deletion></t:changed-region></t:tracked-changes>"
        '<t:h t:outline-level="1">Prices</t:h><t:p>It costs<t:s t:c="2"/>75<t:tab/>dollars.</t:p>'
        "<t:list><t:list-item><t:p>one</t:p><t:list><t:list-item><t:p>deep</t:p></t:list-item></t:list></t:list-item></t:list>"
        '<b:table><b:table-row><b:table-cell b:number-columns-spanned="2"><t:p>Both</t:p></b:table-cell>'
        "<b:covered-table-cell/></b:table-row><b:table-row><b:table-cell><t:p>1</t:p></b:table-cell>"
        "<b:table-cell><t:p>2</t:p></b:table-cell></b:table-row></b:table></o:text></o:body></o:document-content>"
    )

    found = read("odt", zipped({"content.xml": content}))

    assert texts(found) == [
        "Prices",
        "It costs  75\tdollars.",
        "- one\n  - deep",
        "| Both | Both |\n|---|---|\n| 1 | 2 |",
    ]


def test_an_opendocument_sheet_is_not_as_long_as_it_claims(read: Read) -> None:
    office, text, table = (f"urn:oasis:names:tc:opendocument:xmlns:{name}:1.0" for name in ("office", "text", "table"))
    content = (
        f'<o:document-content xmlns:o="{office}" xmlns:t="{text}" xmlns:b="{table}"><o:body><o:spreadsheet>'
        '<b:table b:name="Stock"><b:table-row><b:table-cell><t:p>Name</t:p></b:table-cell><b:table-cell><t:p>Left</t:p>'
        '</b:table-cell></b:table-row><b:table-row><b:table-cell><t:p>Pen</t:p></b:table-cell><b:table-cell><t:p>4</t:p>'
        '</b:table-cell><b:table-cell b:number-columns-repeated="16000"/></b:table-row>'
        '<b:table-row b:number-rows-repeated="1048570"><b:table-cell b:number-columns-repeated="16384"/></b:table-row>'
        "</b:table></o:spreadsheet></o:body></o:document-content>"
    )  # fmt: skip

    assert texts(read("ods", zipped({"content.xml": content}))) == ["Stock", "| Name | Left |\n|---|---|\n| Pen | 4 |"]


def test_a_book_is_read_in_the_order_of_its_spine(read: Read) -> None:
    opf = (
        '<package xmlns="http://www.idpf.org/2007/opf"><metadata xmlns:dc="http://purl.org/dc/elements/1.1/">'
        '<dc:title>The Book</dc:title></metadata><manifest><item id="b" href="b.xhtml"/><item id="a" href="a%20a.xhtml"/>'
        '<item id="n" href="n.xhtml" properties="nav"/></manifest>'
        '<spine><itemref idref="n"/><itemref idref="a"/><itemref idref="b"/></spine></package>'
    )
    container = (
        '<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles>'
        '<rootfile full-path="in/book.opf"/></rootfiles></container>'
    )
    page = "<html><head><title>x</title></head><body><h1>{0}</h1><p>{0} text</p></body></html>"
    parts = {
        "mimetype": "application/epub+zip",
        "META-INF/container.xml": container,
        "in/book.opf": opf,
        "in/a a.xhtml": page.format("First"),
        "in/b.xhtml": page.format("Second"),
        "in/n.xhtml": page.format("Contents"),
    }

    found = read("epub", zipped(parts, stored_first=True))

    assert texts(found) == ["First", "First text", "Second", "Second text"]
    assert found.title == "The Book"


def test_a_container_that_holds_something_else_is_mislabelled(attempt: Try) -> None:
    for kind in ("docx", "xlsx", "pptx", "odt", "epub"):
        found = attempt(kind, zipped({"readme.txt": "words"}))

        assert isinstance(found, Refused)
        assert found.code == "documents.mislabelled"


def test_a_part_with_entities_is_refused(attempt: Try) -> None:
    bomb = '<!DOCTYPE x [<!ENTITY a "boom">]><x>&a;</x>'
    for kind, name in (("docx", "word/document.xml"), ("xlsx", "xl/workbook.xml"), ("pptx", "ppt/presentation.xml"),
                       ("odt", "content.xml")):  # fmt: skip
        found = attempt(kind, zipped({name: bomb}))

        assert isinstance(found, Refused)
        assert found.code == "documents.broken"
