"""reStructuredText by its structure: titles, paragraphs, lists, literal blocks, tables, and directives as their content.

Nothing is executed, included or fetched. docutils is not used: docs/adr/0006-readers.md has the comparison.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from documents.parsers.builder import Builder, fenced, flow, table_text
from documents.parsers.changelog import mark_releases
from documents.parsers.outcome import Limits, Refused
from documents.parsers.rst_inline import inline
from documents.parsers.rst_lines import bulleted, csv_rows, dedented, indented, item_mark, item_start, parts, quoted
from documents.parsers.rst_tables import GRID_RULE, SIMPLE_RULE, Drawn, grid_table, simple_table
from documents.text.normalise import decode, looks_binary
from documents.text.section import Parsed

_ADORNMENT = re.compile(r"^([!-/:-@\[-`{-~])\1+\s*$")
_DIRECTIVE = re.compile(r"^\.\. +(?:\|([^|]+)\| +)?([\w:+.-]+?) ?::(?: +(.*))?$")
_TARGET = re.compile(r"^(?:\.\. +_|__ )")
_NOTE = re.compile(r"^\.\. +\[([^\]]+)\] *(.*)$")
_FIELD = re.compile(r"^:(?![\s:])([^:\n`]*(?:`[^`\n]*`[^:\n`]*)*)(?<!\s):(?:\s+(.*))?$")
_LINE_BLOCK = re.compile(r"^\|(?: |$)")
_OPTION_ITEM = re.compile(r"^(?:--?|/)[\w?][^\n]*?(?:\s{2,}\S|$)")

_CODE = {"code-block", "code", "sourcecode", "parsed-literal", "console", "prompt", "doctest", "testcode", "testoutput",
         "testsetup", "math", "snippet", "productionlist", "ipython", "graphviz", "digraph", "mermaid"}  # fmt: skip
_DROPPED = {"toctree", "contents", "index", "meta", "currentmodule", "module", "default-domain", "highlight", "sectnum",
            "rst-class", "class-of", "default-role", "role", "title", "highlightlang", "py:currentmodule", "py:module",
            "tabularcolumns", "header", "footer", "program", "target-notes", "cssclass", "unicode"}  # fmt: skip
_INCLUDED = {"include", "literalinclude", "raw", "download", "automodule", "autoclass", "autofunction", "automethod",
             "autoexception", "autodata", "autoattribute", "automodsumm", "autosummary", "click"}  # fmt: skip
_PICTURES = {"image", "figure", "video", "youtube"}
_VERSIONS = {
    "versionadded": "New in version",
    "versionchanged": "Changed in version",
    "deprecated": "Deprecated since version",
    "versionremoved": "Removed in version",
}
_DEEPEST = 40


@dataclass(slots=True)
class _Node:
    kind: Literal["heading", "prose", "list", "code", "table"]
    text: str = ""
    level: int = 0
    language: str = ""
    rows: list[list[str]] = field(default_factory=list)
    header_rows: int = 0


def read(path: Path, *, limits: Limits) -> Parsed | Refused:
    """Read a reStructuredText file."""
    data = path.read_bytes()
    if looks_binary(data):
        return Refused("documents.mislabelled", "Its name says reStructuredText, its content is binary data.")
    decoded = decode(data)
    builder = Builder("rst", encoding=decoded.encoding)
    if decoded.lossy:
        builder.warn("undecodable-bytes")
    add_rst(builder, decoded.text.replace("\r\n", "\n").replace("\r", "\n").replace("\x00", "").lstrip("\ufeff"))
    mark_releases(builder)
    return builder.finish()


def add_rst(builder: Builder, text: str) -> None:
    """Add a text with LF line ends to a document."""
    reader = _Reader(builder)
    for node in reader.blocks([line.expandtabs(8).rstrip() for line in text.split("\n")]):
        _add(builder, node)


def _add(builder: Builder, node: _Node) -> None:
    if node.kind == "heading":
        builder.heading(node.level, node.text)
    elif node.kind == "code":
        builder.code(node.text, node.language)
    elif node.kind == "table":
        builder.table(node.rows, header_rows=node.header_rows)
    elif node.kind == "list":
        builder.items(node.text)
    else:
        builder.prose(node.text)


class _Reader:
    def __init__(self, builder: Builder) -> None:
        self.builder = builder
        self.styles: list[str] = []
        self.substitutions: dict[str, str] = {}

    def blocks(self, lines: Sequence[str], depth: int = 0) -> Iterator[_Node]:
        """Yield what the lines hold; they share one indentation, which is taken off."""
        lines = dedented(lines)
        at = 0
        while at < len(lines):
            if not lines[at]:
                at += 1
                continue
            nodes, taken = self._block(lines, at, depth)
            yield from nodes
            at += max(taken, 1)

    def _block(self, lines: Sequence[str], at: int, depth: int) -> tuple[list[_Node], int]:
        line = lines[at]
        if depth >= _DEEPEST:
            return [_Node("prose", flow("\n".join(lines[at:])))], len(lines) - at
        if line.startswith(" "):
            quote = indented(lines, at, 1)
            return list(self.blocks(quote, depth + 1)), len(quote)
        if line.startswith("..") and (len(line) == 2 or line[2] == " "):
            return self._explicit(lines, at, depth)
        if line.startswith("__ "):
            return [], 1
        for attempt in (self._title, self._table, self._list, self._fields, self._lines_kept):
            if found := attempt(lines, at, depth):
                return found
        return self._paragraph(lines, at, depth)

    def _title(self, lines: Sequence[str], at: int, depth: int) -> tuple[list[_Node], int] | None:
        line, below = lines[at], lines[at + 1] if at + 1 < len(lines) else ""
        adorned = _ADORNMENT.match(line)
        under = lines[at + 2] if at + 2 < len(lines) else ""
        if adorned and below and _ADORNMENT.match(under) and under[0] == line[0] and not SIMPLE_RULE.match(line):
            return [self._heading(below.strip(), line[0] * 2)], 3
        if adorned:
            return ([], 1) if not below and len(line) >= 4 else None
        if (
            below
            and _ADORNMENT.match(below)
            and (len(below) >= len(line) or len(below) >= 4)
            and below not in ("::", "...")
        ):
            return [self._heading(line, below[0])], 2
        return None

    def _heading(self, text: str, style: str) -> _Node:
        if style not in self.styles:
            self.styles.append(style)
        return _Node("heading", self._words(text), level=self.styles.index(style) + 1)

    def _table(self, lines: Sequence[str], at: int, depth: int) -> tuple[list[_Node], int] | None:
        if GRID_RULE.match(lines[at]):
            drawn = grid_table(lines[at:])
        elif SIMPLE_RULE.match(lines[at]):
            drawn = simple_table(lines[at:])
        else:
            return None
        return [self._table_node(drawn)], drawn.lines

    def _table_node(self, drawn: Drawn) -> _Node:
        rows = [[self._words(cell) for cell in row] for row in drawn.rows]
        return _Node("table", rows=rows, header_rows=drawn.header_rows)

    def _list(self, lines: Sequence[str], at: int, depth: int) -> tuple[list[_Node], int] | None:
        start = at
        found: list[str] = []
        number = 0
        while at < len(lines) and (mark := item_start(lines[at])):
            width = len(mark)
            body = [lines[at][width:], *indented(lines, at + 1, 1)]
            number += 1
            found += self._item(item_mark(mark.strip(), number), body, depth)
            at += len(body)
            blank = at
            while blank < len(lines) and not lines[blank]:
                blank += 1
            if blank < len(lines) and item_start(lines[blank]):
                at = blank
        return ([_Node("list", "\n".join(found))], at - start) if found else None

    def _item(self, mark: str, body: Sequence[str], depth: int) -> Iterator[str]:
        first, rest = body[0], dedented(body[1:])
        if rest and rest[0] and not first.endswith("::"):
            lines = [first, *rest]
        else:
            lines = [first, *body[1:]] if first.endswith("::") else [first, *rest]
        lead = f"{mark} "
        for node in self.blocks(lines, depth + 1):
            for line in _rendered(node):
                if node.kind in ("code", "table"):
                    yield line
                else:
                    yield f"{lead}{line}"
                    lead = "  "

    def _fields(self, lines: Sequence[str], at: int, depth: int) -> tuple[list[_Node], int] | None:
        start = at
        found: list[str] = []
        while at < len(lines) and (mark := _FIELD.match(lines[at])):
            body = [mark.group(2) or "", *indented(lines, at + 1, 1)]
            at += len(body)
            value = flow(
                self._words(" ".join(dedented(body[1:])) if not body[0] else " ".join(part.strip() for part in body))
            )
            if value and not (start == 0 and depth == 0 and mark.group(1) in ("orphan", "tocdepth", "nosearch")):
                found.append(f"{self._words(mark.group(1))}: {value}")
            while at + 1 < len(lines) and not lines[at] and _FIELD.match(lines[at + 1]):
                at += 1
        return ([_Node("prose", "\n".join(found))] if found else [], at - start) if at > start else None

    def _lines_kept(self, lines: Sequence[str], at: int, depth: int) -> tuple[list[_Node], int] | None:
        """Doctest blocks and line blocks: every line counts."""
        end = at
        while end < len(lines) and lines[end]:
            end += 1
        if lines[at].startswith(">>> "):
            return [_Node("code", "\n".join(lines[at:end]), language="pycon")], end - at
        if _LINE_BLOCK.match(lines[at]):
            text = "\n".join(self._words(line.lstrip("| ")) for line in lines[at:end])
            return [_Node("prose", text)], end - at
        return None

    def _paragraph(self, lines: Sequence[str], at: int, depth: int) -> tuple[list[_Node], int]:
        end = at + 1
        while end < len(lines) and lines[end] and not lines[end].startswith(" "):
            end += 1
        text = "\n".join(lines[at:end])
        if end < len(lines) and lines[end] and end == at + 1 and not text.endswith("::"):
            return self._definition(lines, at, depth)
        taken = end - at
        nodes: list[_Node] = []
        if not text.endswith("::"):
            return [_Node("prose", self._words(text))], taken
        if lead := text[:-2].rstrip():
            nodes.append(_Node("prose", self._words(lead if text[-3] == " " else lead + ":")))
        literal = indented(lines, end, 1) or quoted(lines, end)
        if any(literal):
            nodes.append(_Node("code", "\n".join(dedented(literal))))
        return nodes, taken + len(literal)

    def _definition(self, lines: Sequence[str], at: int, depth: int) -> tuple[list[_Node], int]:
        """A term and what stands indented under it; the first paragraph keeps the term before it."""
        body = indented(lines, at + 1, 1)
        term = self._words(lines[at])
        nodes = list(self.blocks(body, depth + 1))
        if nodes and nodes[0].kind == "prose":
            nodes[0].text = f"{term}\n{nodes[0].text}"
        else:
            nodes.insert(0, _Node("prose", term))
        return nodes, 1 + len(body)

    def _explicit(self, lines: Sequence[str], at: int, depth: int) -> tuple[list[_Node], int]:
        """Directives, targets, footnotes, substitutions, comments: everything that starts with two dots."""
        line = lines[at]
        body = indented(lines, at + 1, 1)
        taken = 1 + len(body)
        if found := _DIRECTIVE.match(line):
            substitution, name, argument = found.groups()
            if substitution:
                self.substitutions[substitution] = self._words(argument or "") if name in ("replace", "unicode") else ""
                return [], taken
            return self._directive(name.lower(), argument or "", body, depth), taken
        if _TARGET.match(line):
            return [], taken
        if found := _NOTE.match(line):
            text = "\n".join([found.group(2), *dedented(body)])
            return [_Node("prose", f"[{found.group(1)}] {self._words(text)}")], taken
        return [], taken

    def _directive(self, name: str, argument: str, body: Sequence[str], depth: int) -> list[_Node]:
        more, options, content = parts(body)
        if name in _DROPPED:
            return []
        if name in _INCLUDED:
            self.builder.skip("include", f"{name} {argument}", "not read")
            return []
        if name in _CODE:
            code = "\n".join(dedented([*more, *content] if argument else content or more))
            return [_Node("code", code, language=argument if re.fullmatch(r"[\w+#.-]+", argument) else "")]
        if name in ("list-table", "csv-table", "table"):
            return self._table_directive(name, argument, options, [*more, *content], depth)
        nodes: list[_Node] = []
        if name in _PICTURES:
            self.builder.skip("picture", argument, "not read")
            nodes += [_Node("prose", options["alt"])] if options.get("alt") else []
        elif lead := self._lead(name, argument, more, has_content=any(content)):
            nodes.append(_Node("prose", lead))
        return [*nodes, *self.blocks(content, depth + 1)]

    def _lead(self, name: str, argument: str, more: Sequence[str], *, has_content: bool) -> str:
        """The words before a directive's content: the start of a note, a version, or the signatures of what is described."""
        lines = [argument, *more] if argument else list(more)
        if name in _VERSIONS:
            version, _, words = " ".join(line.strip() for line in lines).partition(" ")
            return flow(f"{_VERSIONS[name]} {version}. {self._words(words)}")
        if name in (
            "only",
            "container",
            "ifconfig",
            "tab-set",
            "tabs",
            "grid",
            "card-carousel",
            "glossary",
            "epigraph",
        ):
            return ""
        if not has_content and (
            ":" in name or name in ("setting", "django-admin", "templatetag", "templatefilter", "fieldlookup")
        ):
            return ""
        return "\n".join(self._words(line.strip()) for line in lines if line.strip())

    def _table_directive(
        self, name: str, argument: str, options: dict[str, str], content: Sequence[str], depth: int
    ) -> list[_Node]:
        caption = [_Node("prose", self._words(argument))] if argument else []
        header_rows = int(options["header-rows"]) if options.get("header-rows", "").isdigit() else 0
        if name == "table":
            return [*caption, *self.blocks(content, depth + 1)]
        if "file" in options or "url" in options:
            self.builder.skip("include", name, "not read")
            return caption
        rows = csv_rows("\n".join(dedented(content))) if name == "csv-table" else self._list_rows(content, depth)
        if "header" in options:
            rows, header_rows = [*csv_rows(options["header"]), *rows], header_rows + 1
        rows = [[self._words(cell) for cell in row] for row in rows] if name == "csv-table" else rows
        return [*caption, _Node("table", rows=rows, header_rows=header_rows)]

    def _list_rows(self, content: Sequence[str], depth: int) -> list[list[str]]:
        """Rows of a list-table: a bullet a row, and in it a bullet a cell."""
        rows: list[list[str]] = []
        for row in bulleted(dedented(content)):
            cells = (self.blocks(cell, depth + 1) for cell in bulleted(dedented(row)))
            rows.append([" ".join(line for node in cell for line in _rendered(node)) for cell in cells])
        return rows

    def _words(self, text: str) -> str:
        return flow(inline(text, self.substitutions))


def _rendered(node: _Node) -> list[str]:
    if node.kind == "code":
        return fenced(node.text.strip("\n"), node.language).split("\n") if node.text.strip() else []
    if node.kind == "table":
        return table_text(node.rows, header_rows=node.header_rows)[0].split("\n")
    return node.text.split("\n")
