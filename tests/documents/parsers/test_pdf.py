from __future__ import annotations

import io
from collections.abc import Sequence

import pypdfium2 as pdfium
import pytest

from documents.parsers.outcome import Refused
from documents.parsers.pdf_layout import joined
from documents.text.boxes import tied
from documents.text.chunk import canonical
from tests.documents.parsers.conftest import Read, Try

Words = tuple[int, int, str]  # size, height on the page, text


def pdf(pages: Sequence[Sequence[Words]], *, title: str = "", extra: str = "") -> bytes:
    """A PDF made by hand, as small as they get."""
    objects = ["<< /Type /Catalog /Pages 2 0 R >>", "", "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>"]
    kids = []
    for lines in pages:
        content = " ".join(f"BT /F1 {size} Tf 72 {height} Td ({text}) Tj ET" for size, height, text in lines)
        objects.append(f"<< /Length {len(content)} >>\nstream\n{content}\nendstream")
        objects.append(
            f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents {len(objects)} 0 R "
            "/Resources << /Font << /F1 3 0 R >> >> >>"
        )
        kids.append(f"{len(objects)} 0 R")
    objects[1] = f"<< /Type /Pages /Kids [{' '.join(kids)}] /Count {len(kids)} >>"
    objects.append(f"<< /Title ({title}) >>")
    out, offsets = b"%PDF-1.4\n", []
    for number, body in enumerate(objects, 1):
        offsets.append(len(out))
        out += f"{number} 0 obj\n{body}\nendobj\n".encode("latin-1")
    table = "".join(f"{offset:010d} 00000 n \n" for offset in offsets)
    size = len(objects) + 1
    trailer = f"trailer << /Size {size} /Root 1 0 R /Info {size - 1} 0 R {extra} >>\nstartxref\n{len(out)}\n%%EOF"
    return out + f"xref\n0 {size}\n0000000000 65535 f \n{table}{trailer}".encode("latin-1")


def test_pages_headings_and_paragraphs_are_told_by_size_and_place(read: Read) -> None:
    lines = [
        (20, 600, "Installing"),
        (11, 570, "The port is 8443 and it is set in the con-"),
        (11, 557, "figuration file of the server."),
        (11, 530, "A second paragraph."),
    ]

    found = read("pdf", pdf([lines, [(11, 600, "Next page.")]]))

    assert [(section.kind, section.page, section.text) for section in found.sections] == [
        ("heading", 1, "Installing"),
        ("prose", 1, "The port is 8443 and it is set in the configuration file of the server."),
        ("prose", 1, "A second paragraph."),
        ("prose", 2, "Next page."),
    ]
    assert found.title == "Installing"


def test_running_lines_go_and_what_repeats_in_the_text_stays(read: Read) -> None:
    pages = [
        [
            (9, 760, f"The Company - page {n}"),
            (11, 500, f"Words of page {n}."),
            (11, 400, "Same words."),
            (9, 30, str(n)),
        ]
        for n in range(1, 6)
    ]

    found = read("pdf", pdf(pages))

    assert [section.text for section in found.sections if section.page == 3] == ["Words of page 3.", "Same words."]


def test_pages_without_text_are_listed(read: Read) -> None:
    found = read("pdf", pdf([[(11, 600, "Words here.")], [], []]))

    assert (found.report.pages, found.report.pages_without_text) == (3, (2, 3))


def test_a_pdf_of_pictures_is_refused_with_its_pages(attempt: Try) -> None:
    assert attempt("pdf", pdf([[], []])) == Refused("documents.no_text", "2 pages without text.")


def test_metadata_with_zero_bytes_is_cleaned_and_junk_titles_are_not_used(read: Read) -> None:
    page = [(11, 600, "Words here.")]

    assert read("pdf", pdf([page], title="The\\000 Handbook")).title == "The Handbook"
    assert read("pdf", pdf([page], title="Microsoft Word - draft.doc")).title == ""


def test_a_damaged_pdf_is_refused_and_one_cut_short_is_still_read(attempt: Try, read: Read) -> None:
    whole = pdf([[(11, 600, "Words here.")]])

    assert attempt("pdf", b"%PDF-1.7 and no more") == Refused("documents.broken", "It does not open as a PDF.")
    assert [section.text for section in read("pdf", whole[: whole.rindex(b"xref")]).sections] == ["Words here."]


def test_words_cut_at_the_end_of_a_line_become_whole() -> None:
    assert joined(["exam-", "ple of well-", "Known words", "中文", "字"]) == "example of well- Known words 中文字"


@pytest.mark.parametrize("turned", [0, 90, 180, 270])
def test_a_box_is_on_its_word_however_the_page_is_turned_and_cropped(read: Read, turned: int) -> None:
    document = pdfium.PdfDocument(pdf([[(20, 700, "Alpha Beta")]]))
    page = document[0]
    page.set_rotation(turned)
    page.set_cropbox(50, 300, 500, 800)
    out = io.BytesIO()
    document.save(out)
    drawn = page.render(scale=1, grayscale=True)
    stride, grey = drawn.stride, bytes(drawn.buffer)
    document.close()

    parsed = read("pdf", out.getvalue())
    text, placed = canonical(parsed)
    (box,) = tied(parsed.page_words, placed).within(text.index("Beta"), text.index("Beta") + 4)

    ink = [(at % stride * 10, at // stride * 10) for at, value in enumerate(grey) if value < 128]
    inside = [1 for x, y in ink if box.left - 20 <= x <= box.right + 20 and box.top - 20 <= y <= box.bottom + 20]
    assert 0.25 < len(inside) / len(ink) < 0.65  # one of two words
