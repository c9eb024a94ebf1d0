"""PowerPoint: a slide is a page with its title, its texts in their order, its tables and the speaker's notes."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from lxml import etree

from documents.parsers.builder import Builder
from documents.parsers.grid import Cell, grid
from documents.parsers.outcome import Limits, Refused
from documents.parsers.parts import BROKEN, Parts, broken, opened
from documents.text.section import Parsed

_ID = ("{http://schemas.openxmlformats.org/officeDocument/2006/relationships}id",
       "{http://purl.oclc.org/ooxml/officeDocument/relationships}id")  # fmt: skip
_TITLES = ("title", "ctrTitle")
_FURNITURE = ("sldNum", "dt", "ftr", "hdr", "sldImg")
_SHAPES = ("sp", "grpSp", "graphicFrame", "pic", "cxnSp", "AlternateContent", "contentPart")
_DEEPEST = 40


def read(path: Path, *, limits: Limits) -> Parsed | Refused:
    """Read a presentation. Hidden slides are left out and reported, as are pictures, charts and comments."""
    parts = opened(path, limits)
    if isinstance(parts, Refused):
        return parts
    with parts:
        try:
            return _read(parts, limits)
        except BROKEN:
            return broken()


def _read(parts: Parts, limits: Limits) -> Parsed | Refused:
    main = next(
        (name for kind, name in parts.relations("").values() if kind == "officeDocument"), "ppt/presentation.xml"
    )
    root = parts.xml(main)
    if root is None or _local(root) != "presentation":
        return Refused("documents.mislabelled", "Its name says PowerPoint (.pptx), but it holds no presentation.")
    related = parts.relations(main)
    order = [
        next((found for key in _ID if (found := one.get(key))), "") for one in root.iter() if _local(one) == "sldId"
    ]
    slides = [related[one][1] for one in order if one in related and related[one][1] in parts.names]
    if len(slides) > limits.pages:
        return Refused("documents.too_much_text", f"It has {len(slides):,} slides; the limit is {limits.pages:,}.")
    builder = Builder("pptx")
    builder.title = parts.title()
    builder.pages = len(slides)
    for number, name in enumerate(slides, 1):
        builder.page = number
        before = builder.characters
        _slide(builder, parts, name, number)
        if builder.characters == before:
            builder.pages_without_text.append(number)
    _report(builder, parts)
    return builder.finish()


def _slide(builder: Builder, parts: Parts, name: str, number: int) -> None:
    root = parts.xml(name)
    if root is None:
        return
    if root.get("show") in ("0", "false"):
        builder.skip("hidden-slide", f"slide {number}", "hidden by its author")
        return
    shapes = list(_shapes(root, 0))
    title = next((shape for shape in shapes if _placeholder(shape) in _TITLES and _lines(shape)), None)
    if title is not None:
        builder.heading(1, " ".join(text for _, text in _lines(title)))
    for shape in shapes:
        if shape is not title:
            _shape(builder, parts, name, shape)
    for kind, target in parts.relations(name).values():
        if kind == "notesSlide" and target in parts.names:
            _notes(builder, parts, target)


def _shapes(element: etree._Element, depth: int) -> Iterator[etree._Element]:
    """The shapes of a slide in the order they are drawn, groups taken apart; of two forms of one shape the first."""
    if depth > _DEEPEST:
        return
    for child in element:
        kind = _local(child)
        if kind == "AlternateContent":
            yield from _shapes(child[0], depth + 1) if len(child) else ()
        elif kind in ("sp", "graphicFrame", "pic"):
            yield child
        elif kind in ("cSld", "spTree", "grpSp"):
            yield from _shapes(child, depth + 1)


def _shape(builder: Builder, parts: Parts, slide: str, shape: etree._Element) -> None:
    if _placeholder(shape) in _FURNITURE:
        return
    table = next((one for one in shape.iter() if _local(one) == "tbl"), None)
    if table is not None:
        rows = grid(
            [
                [_cell(cell) for cell in row if _local(cell) == "tc" and not _is_covered(cell)]
                for row in table
                if _local(row) == "tr"
            ]
        )
        builder.table(rows, header_rows=1 if len(rows) > 1 else 0)
        return
    if _local(shape) == "graphicFrame":
        _diagram(builder, parts, slide, shape)
        return
    lines = _lines(shape)
    if len(lines) > 1 and _placeholder(shape) not in ("subTitle", *_TITLES):
        builder.items("\n".join("  " * level + "- " + text for level, text in lines))
    else:
        builder.prose("\n".join(text for _, text in lines))


def _is_covered(cell: etree._Element) -> bool:
    return cell.get("hMerge") in ("1", "true")


def _cell(cell: etree._Element) -> Cell:
    text = "\n".join(text for _, text in _lines(cell))
    columns = int(found) if (found := cell.get("gridSpan", "1")).isdigit() and len(found) < 5 else 1
    if cell.get("vMerge") in ("1", "true"):
        return Cell("", columns, continues=True)
    return Cell(text, columns)


def _diagram(builder: Builder, parts: Parts, slide: str, frame: etree._Element) -> None:
    """SmartArt keeps its words in a part of its own; a chart keeps its values in one."""
    related = parts.relations(slide)
    for one in frame.iter():
        for value in one.attrib.values():
            kind, target = related.get(str(value), ("", ""))
            if target in parts.names and kind == "diagramData":
                root = parts.xml(target)
                points = [one for one in root.iter() if _local(one) == "pt"] if root is not None else []
                builder.items("\n".join(f"- {text}" for point in points for _, text in _lines(point)))
            elif target in parts.names and kind == "chart":
                _chart(builder, parts, target)


def _chart(builder: Builder, parts: Parts, name: str) -> None:
    root = parts.xml(name)
    if root is None:
        return
    builder.prose(" ".join(text for one in root.iter() if _local(one) == "title" for _, text in _lines(one)))
    series = [one for one in root.iter() if _local(one) == "ser"]
    columns = [_points(one, "cat") for one in series[:1]] + [_points(one, "val") for one in series]
    names = ["", *(" ".join(_points(one, "tx")) for one in series)]
    if any(columns):
        height = max(len(column) for column in columns)
        rows = [[column[at] if at < len(column) else "" for column in columns] for at in range(height)]
        builder.table([names, *rows])


def _points(series: etree._Element, part: str) -> list[str]:
    return [value.text or "" for one in series if _local(one) == part for value in one.iter() if _local(value) == "v"]


def _notes(builder: Builder, parts: Parts, name: str) -> None:
    root = parts.xml(name)
    lines = [
        text
        for shape in (_shapes(root, 0) if root is not None else ())
        if _placeholder(shape) not in _FURNITURE
        for _, text in _lines(shape)
    ]
    if lines:
        builder.prose("Notes: " + "\n".join(lines))


def _placeholder(shape: etree._Element) -> str:
    """The kind of a placeholder, "body" when it does not say, "" for a shape that is none."""
    for one in shape.iter():
        if _local(one) == "ph":
            return one.get("type", "body")
        if _local(one) in ("txBody", "tbl"):
            break
    return ""


def _lines(element: etree._Element) -> list[tuple[int, str]]:
    """The paragraphs of a shape that have words, with their levels from 0."""
    found = []
    for paragraph in element.iter():
        if _local(paragraph) != "p":
            continue
        text = "".join(_run(one) for one in paragraph.iter()).strip()
        level = next((one.get("lvl", "0") for one in paragraph if _local(one) == "pPr"), "0")
        if text:
            found.append((int(level) if level.isdigit() and len(level) == 1 else 0, text))
    return found


def _run(element: etree._Element) -> str:
    kind = _local(element)
    return (element.text or "") if kind == "t" else {"br": "\n", "tab": "\t"}.get(kind, "")


def _local(element: etree._Element) -> str:
    return element.tag.rpartition("}")[2]


def _report(builder: Builder, parts: Parts) -> None:
    for name in sorted(parts.names):
        if name.startswith(("ppt/media/", "ppt/embeddings/", "ppt/comments/")):
            what = {"media": "picture", "embeddings": "embedded-file"}.get(name.split("/")[1], "comment")
            builder.skip(what, name.rpartition("/")[2], "not read")
