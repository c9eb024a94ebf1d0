"""120 files that mean harm, made here: bombs, entities, cuts, flipped bits, two kinds at once, depth, width, and odd letters."""

from __future__ import annotations

import random
import zlib
from collections.abc import Iterator

from bench.hostile_seeds import SEEDS, W, chunk_of_png, ole_header, pdf_of, zipped

Made = tuple[str, bytes]
_ENTITY = '<?xml version="1.0"?><!DOCTYPE d [{}]><d>{}</d>'
_LAUGHS = "".join(f'<!ENTITY l{n} "{f"&l{n - 1};" * 10}">' for n in range(1, 10))
_ENTITIES = {
    "laughs": _ENTITY.format(f'<!ENTITY l0 "lol">{_LAUGHS}', "&l9;"),
    "quadratic": _ENTITY.format(f'<!ENTITY a "{"x" * 50_000}">', "&a;" * 50_000),
    "file": _ENTITY.format('<!ENTITY e SYSTEM "file:///etc/passwd">', "&e;"),
    "http": _ENTITY.format('<!ENTITY e SYSTEM "http://169.254.169.254/latest/">', "&e;"),
    "parameter": _ENTITY.format('<!ENTITY % p SYSTEM "file:///etc/passwd"> %p;', "x"),
    "deep": "<a>" * 100_000 + "x" + "</a>" * 100_000,
    "wide": "<d " + " ".join(f'a{n}="{n}"' for n in range(100_000)) + "/>",
    "long": f"<d>{'word ' * 2_000_000}</d>",
}
_MAIN_PARTS = {
    "docx": "word/document.xml", "xlsx": "xl/workbook.xml", "pptx": "ppt/presentation.xml", "odt": "content.xml",
    "ods": "content.xml", "epub": "META-INF/container.xml",
}  # fmt: skip


def every() -> Iterator[Made]:
    """Name and content of each file, always the same 120."""
    for make in (_bombs, _entities, _cuts, _flips, _two_at_once, _depths, _widths, _letters, _names, _pdfs, _others):
        yield from make()


def _bombs() -> Iterator[Made]:
    for ending, part in _MAIN_PARTS.items():
        body = f'<w:document xmlns:w="{W}"><w:body><w:p><w:r><w:t>'.encode()
        yield f"one-part.{ending}", zipped({part: body + b"A" * 400_000_000}, level=9)
        yield f"many-parts.{ending}", zipped({part: b"<a/>"} | {f"p/{n}.xml": b"<a/>" for n in range(20_000)})
    inner = zipped({"a.txt": b"0" * 50_000_000}, level=9)
    for _ in range(4):
        inner = zipped({f"{n}.zip": inner for n in range(8)})
    yield "nested.docx", zipped({"word/document.xml": b"<a/>", "word/embeddings/x.zip": inner})
    yield "nested.zip", inner
    yield "lies-about-size.docx", _lying(zipped({"word/document.xml": b"<a>" + b"A" * 50_000_000}, level=9))
    text = (
        f'<w:document xmlns:w="{W}"><w:body>{"<w:p><w:r><w:t>word</w:t></w:r></w:p>" * 900_000}</w:body></w:document>'
    )
    yield "long.docx", zipped({"word/document.xml": text.encode()}, level=1)


def _lying(data: bytes) -> bytes:
    """Write a small size where the directory says how long the part is."""
    at = data.rindex(b"PK\x01\x02")
    return data[: at + 24] + (100).to_bytes(4, "little") + data[at + 28 :]


def _entities() -> Iterator[Made]:
    for name, content in _ENTITIES.items():
        yield f"{name}.xml", content.encode()
    for name in ("laughs", "file"):
        for ending in ("docx", "xlsx", "odt"):
            yield f"{name}.{ending}", zipped({_MAIN_PARTS[ending]: _ENTITIES[name].encode()})


def _cuts() -> Iterator[Made]:
    for ending, data in SEEDS.items():
        yield f"cut-head.{ending}", data[:64]
        yield f"cut-half.{ending}", data[: len(data) // 2]
        yield f"cut-end.{ending}", data[: len(data) - len(data) // 50 - 3]


def _flips() -> Iterator[Made]:
    for ending, data in SEEDS.items():
        chance = random.Random(f"flips {ending}")
        changed = bytearray(data)
        for _ in range(max(4, len(data) // 200)):
            changed[chance.randrange(8, len(data))] ^= 1 << chance.randrange(8)
        yield f"flipped.{ending}", bytes(changed)


def _two_at_once() -> Iterator[Made]:
    pdf, docx = SEEDS["pdf"], SEEDS["docx"]
    yield "pdf-and-zip.pdf", pdf + docx
    yield "zip-and-pdf.docx", docx + pdf
    yield "gif-and-page.gif", b"GIF89a/*" + b"<html><script>alert(1)</script>" * 10 + b"*/"
    yield "picture-as-pdf.pdf", b"\x89PNG\r\n\x1a\n" + pdf
    yield "page-as-text.txt", b"<html><script>alert(1)</script><p>words</p>"
    yield "word-as-sheet.xlsx", docx
    yield "old-as-new.docx", ole_header()


def _depths() -> Iterator[Made]:
    deep = 60_000
    yield "deep.json", b"[" * deep + b"]" * deep
    yield "deep-objects.json", b'{"a":' * deep + b"1" + b"}" * deep
    yield "deep.yaml", b"- " * deep + b"x"
    yield "deep.html", b"<div>" * deep + b"words"
    yield "deep.md", b"> " * deep + b"words"
    yield "deep-list.md", b"".join(b" " * 2 * n + b"- x\n" for n in range(1_500))
    yield "deep.rst", b"".join(b" " * n + b"* x\n\n" for n in range(1_500))
    yield "deep.rtf", b"{\\rtf1 " + b"{" * deep + b"words" + b"}" * deep + b"}"
    yield "deep.tex", b"\\textbf{" * deep + b"words" + b"}" * deep
    yield "deep.eml", _mime(300)


def _mime(depth: int) -> bytes:
    head = b"From: a@b\nSubject: s\n"
    parts = [head]
    parts += [b'Content-Type: multipart/mixed; boundary="b%d"\n\n--b%d\n' % (level, level) for level in range(depth)]
    return b"".join([*parts, b"Content-Type: text/plain\n\nwords\n"])


def _widths() -> Iterator[Made]:
    yield "rows.csv", b"id,name,town\n" + b"".join(b"%d,person %d,town %d\n" % (n, n, n % 97) for n in range(100_000))
    yield "columns.csv", b",".join(b"c%d" % n for n in range(1_000_000)) + b"\n" + b",".join([b"1"] * 1_000_000)
    line = b"word " * 2_000_000
    for ending in ("txt", "md", "html", "csv", "json", "py", "rst"):
        yield f"line.{ending}", b'"' + line + b'"' if ending == "json" else line
    yield "open-marks.md", b"[" * 50_000 + b"*a _b `c " * 20_000
    yield "open-tags.html", b"<" * 200_000 + b"<a href=" * 20_000
    yield "open-braces.tex", b"{" * 200_000 + b"$" * 9_999
    yield "open-quote.csv", b'a,b\n"' + b"x,y\n" * 200_000


def _letters() -> Iterator[Made]:
    yield "surrogates.txt", b"before \xed\xa0\x80 between \xed\xb0\x80 after " * 500
    yield "surrogates.json", b'["\\ud800 words", "\\udc00\\ud800"]'
    yield "surrogates-wide.txt", "words ".encode("utf-16-le") * 50 + b"\x00\xd8" * 20
    yield "zeros.txt", b"wo\x00rds in a li\x00ne " * 30 + b"plain words without any " * 200
    yield "zeros.md", b"# he\x00ading\n\nwords and more words\n" * 40
    yield "zeros.csv", b"a\x00,b\n1,2\x00\n" + b"words,words and words\n" * 500
    yield "only-zeros.txt", b"\x00" * 100_000
    yield "directions.txt", "\u202ewords\u2066 and \u200b\u200d more\ufeff ".encode() * 100


def _names() -> Iterator[Made]:
    for ending in ("docx", "epub", "odt"):
        climbing = {
            _MAIN_PARTS[ending]: b"<a/>",
            "../../../../tmp/climbed": b"x",
            "/etc/climbed": b"x",
            "C:\\climbed": b"x",
        }
        yield f"climbing.{ending}", zipped(climbing)
    yield "../../../etc/passwd.txt", b"only words"


def _pdfs() -> Iterator[Made]:
    loop = b"<< /Type /Pages /Count 9 /Kids [2 0 R 2 0 R] >>"
    yield "pages-of-themselves.pdf", pdf_of({1: b"<< /Type /Catalog /Pages 2 0 R >>", 2: loop})
    squeezed = zlib.compress(b"q " * 100_000_000, 9)
    stream = b"<< /Length %d /Filter /FlateDecode >>\nstream\n" % len(squeezed) + squeezed + b"\nendstream"
    page = b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 99999999 99999999] /Contents 4 0 R >>"
    kids = b"<< /Type /Pages /Count 1 /Kids [3 0 R] >>"
    yield "squeezed.pdf", pdf_of({1: b"<< /Type /Catalog /Pages 2 0 R >>", 2: kids, 3: page, 4: stream})
    yield "many-objects.pdf", pdf_of(dict.fromkeys(range(1, 200_000), b"<< /Type /Catalog /Pages 2 0 R >>"))
    many = b"<< /Type /Pages /Count 100000 /Kids [" + b"3 0 R " * 100_000 + b"] >>"
    yield "many-pages.pdf", pdf_of({1: b"<< /Type /Catalog /Pages 2 0 R >>", 2: many, 3: page})


def _others() -> Iterator[Made]:
    header = (40_000).to_bytes(4, "big") * 2 + b"\x08\x06\x00\x00\x00"
    rows = zlib.compress(b"\x00" * 200_000_000, 9)
    bomb = chunk_of_png(b"IHDR", header) + chunk_of_png(b"IDAT", rows) + chunk_of_png(b"IEND", b"")
    yield "bomb.png", b"\x89PNG\r\n\x1a\n" + bomb
    yield "garbage.doc", ole_header() + random.Random(1).randbytes(40_000)
    yield "garbage.msg", ole_header() + random.Random(2).randbytes(40_000)
    yield "bytes-to-come.rtf", b"{\\rtf1 words \\bin999999999 more}"
