"""Small documents in zip containers, written part by part."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Mapping

RELS = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_PACKAGE = "http://schemas.openxmlformats.org/package/2006/relationships"
_MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
_HIDDEN = ' state="hidden"'
W = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
A = "http://schemas.openxmlformats.org/drawingml/2006/main"
P = "http://schemas.openxmlformats.org/presentationml/2006/main"


def zipped(parts: Mapping[str, str | bytes], *, stored_first: bool = False) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as target:
        for number, (name, content) in enumerate(parts.items()):
            how = zipfile.ZIP_STORED if stored_first and number == 0 else zipfile.ZIP_DEFLATED
            target.writestr(name, content, compress_type=how)
    return out.getvalue()


def relations(**targets: str) -> str:
    """`name_type="target"`, the id is the whole name and the type what stands after its last underscore."""
    inner = "".join(
        f'<Relationship Id="{name}" Type="{RELS}/{name.rpartition("_")[2]}" Target="{target}"/>'
        for name, target in targets.items()
    )
    return f'<Relationships xmlns="{_PACKAGE}">{inner}</Relationships>'


def workbook(sheets: Mapping[str, str], *, strings: str = "", styles: str = "", hidden: tuple[str, ...] = ()) -> bytes:
    """A workbook of sheets whose sheetData (and what follows it) is given as XML."""
    names = list(sheets)
    listed = "".join(
        f'<sheet name="{name}" sheetId="{at}" r:id="s{at}_worksheet"{_HIDDEN if name in hidden else ""}/>'
        for at, name in enumerate(names, 1)
    )
    rels = {f"s{at}_worksheet": f"worksheets/sheet{at}.xml" for at in range(1, len(names) + 1)}
    parts = {
        "_rels/.rels": relations(a_officeDocument="xl/workbook.xml"),
        "xl/workbook.xml": f'<workbook xmlns="{_MAIN}" xmlns:r="{RELS}"><sheets>{listed}</sheets></workbook>',
        "xl/_rels/workbook.xml.rels": relations(**rels, x_sharedStrings="sharedStrings.xml", y_styles="styles.xml"),
        "xl/sharedStrings.xml": f'<sst xmlns="{_MAIN}">{strings}</sst>',
        "xl/styles.xml": f'<styleSheet xmlns="{_MAIN}">{styles}</styleSheet>',
    }
    for at, name in enumerate(names, 1):
        parts[f"xl/worksheets/sheet{at}.xml"] = f'<worksheet xmlns="{_MAIN}">{sheets[name]}</worksheet>'
    return zipped(parts)


def word(body: str, **parts: str) -> bytes:
    """A Word document; further parts by their name without folder and ending."""
    named = {f"word/{name}.xml": content for name, content in parts.items()}
    return zipped({"word/document.xml": f'<w:document xmlns:w="{W}"><w:body>{body}</w:body></w:document>', **named})


def slide(*shapes: str, show: str = "1") -> str:
    return (
        f'<p:sld xmlns:p="{P}" xmlns:a="{A}" xmlns:r="{RELS}" show="{show}"><p:cSld><p:spTree>{"".join(shapes)}'
        "</p:spTree></p:cSld></p:sld>"
    )


def shape(*paragraphs: str, placeholder: str = "") -> str:
    mark = f'<p:nvSpPr><p:nvPr><p:ph type="{placeholder}"/></p:nvPr></p:nvSpPr>' if placeholder else ""
    words = "".join(f"<a:p><a:r><a:t>{one}</a:t></a:r></a:p>" for one in paragraphs)
    return f"<p:sp>{mark}<p:txBody>{words}</p:txBody></p:sp>"


def slides(*found: str, notes: str = "") -> bytes:
    rels = {f"s{at}_slide": f"slides/slide{at}.xml" for at in range(1, len(found) + 1)}
    order = "".join(f'<p:sldId r:id="{name}"/>' for name in rels)
    parts = {
        "ppt/presentation.xml": f'<p:presentation xmlns:p="{P}" xmlns:r="{RELS}"><p:sldIdLst>{order}</p:sldIdLst></p:presentation>',
        "ppt/_rels/presentation.xml.rels": relations(**rels),
    }
    parts |= {f"ppt/slides/slide{at}.xml": content for at, content in enumerate(found, 1)}
    if notes:
        parts["ppt/slides/_rels/slide1.xml.rels"] = relations(n_notesSlide="../notesSlides/n1.xml")
        parts["ppt/notesSlides/n1.xml"] = notes
    return zipped(parts)
