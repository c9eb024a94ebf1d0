"""AsciiDoc: headings, delimited blocks, lists and tables by line. Includes are named and not followed."""

from __future__ import annotations

import re
from pathlib import Path

from documents.parsers.builder import Builder
from documents.parsers.lines import Lines
from documents.parsers.outcome import Limits, Refused
from documents.parsers.written import opened
from documents.text.section import Parsed

_HEADING = re.compile(r"^(={1,6}|#{1,6})\s+(\S.*?)(?:\s+=+)?$")
_ATTRIBUTE = re.compile(r"^:!?([\w-]+)!?:(?:\s+(.*))?$")
_LISTING = re.compile(r"^(-{4,}|\.{4,}|`{3,})\s*(\w*)$")
_COMMENT_BLOCK = re.compile(r"^/{4,}$")
_OTHER_BLOCK = re.compile(r"^(?:={4,}|\*{4,}|_{4,}|\+{4,}|--|\+)$")
_TABLE = re.compile(r"^[|,:!]={3,}\s*$")
_BLOCK_ATTRIBUTES = re.compile(r"^\[(.*)\]$")
_CAPTION = re.compile(r"^\.(?![.\s])(\S.*)$")
_ITEM = re.compile(r"^\s*(?:\*{1,5}|-|\.{1,5}|\d+\.)\s+\S")
_MACRO = re.compile(r"^(include|image|video|audio)::([^\[]*)\[([^\]]*)\]\s*$")
_LINK = re.compile(r"(?:link:|xref:|mailto:)?(?:https?://|[\w./#-]+)[^\s\[\]]*\[([^\]]+)\]")
_CROSS = re.compile(r"<<[^,>]*(?:,\s*([^>]+))?>>")
_INLINE_MACRO = re.compile(r"\b(?:btn|kbd|menu|image|icon|footnote|pass):{1,2}[^\[\s]*\[([^\]]*)\]")
_MARK = re.compile(r"(?<![\w*`])([*_`#]{1,2})(\S|\S[^\n]{0,500}?\S)\1(?![\w*`])")
_CELL = re.compile(r"(?:(?<=\s)|^)(?:\d*(?:\.\d+)?[+*])?[<^>]?[a-z]?(?<!\\)\|")


def read(path: Path, *, limits: Limits) -> Parsed | Refused:
    """Read an AsciiDoc file; its attributes that are used as {name} stand for their values."""
    found = opened(path, "AsciiDoc", "asciidoc", limits=limits)
    if isinstance(found, Refused):
        return found
    builder, text = found
    _Reader(builder, text).run()
    return builder.finish()


class _Reader:
    def __init__(self, builder: Builder, text: str) -> None:
        self.builder = builder
        self.attributes: dict[str, str] = {}
        self.language = ""
        self.lines = Lines(builder, text, self.inline)

    def run(self) -> None:
        while not self.lines.at_end:
            line = self.lines.take().rstrip()
            if not (self._block(line) or self._single(line)):
                self._text(line)
        self.lines.flush()

    def _block(self, line: str) -> bool:
        """Lines that reach down to a closing one."""
        if found := _LISTING.match(line):
            body = self.lines.upto(re.compile(rf"^{re.escape(found.group(1))}\s*$"))
            self.lines.code(body, found.group(2) or self.language)
        elif _COMMENT_BLOCK.match(line):
            self.lines.flush()
            self.lines.upto(re.compile(rf"^{re.escape(line)}\s*$"))
        elif _TABLE.match(line):
            self._table(self.lines.upto(re.compile(rf"^{re.escape(line.strip())}\s*$")))
        elif line.startswith("|") and line.rstrip().endswith("|"):
            self.lines.table([line, *self.lines.while_matches(re.compile(r"^\|.*\|\s*$"))])
        else:
            return False
        self.language = ""
        return True

    def _single(self, line: str) -> bool:
        """Lines that are something by themselves."""
        if found := _HEADING.match(line):
            self.lines.heading(len(found.group(1)), found.group(2))
        elif found := _ATTRIBUTE.match(line):
            self.attributes[found.group(1).lower()] = found.group(2) or ""
        elif found := _BLOCK_ATTRIBUTES.match(line):
            parts = [part.strip() for part in found.group(1).split(",")]
            self.language = parts[1] if len(parts) > 1 and parts[0] in ("source", "", "source%linenums") else ""
        elif found := _MACRO.match(line):
            name, target, words = found.groups()
            self.builder.skip("picture" if name != "include" else "include", target, "not read")
            self.lines.words(words.split(",")[0] if "=" not in words.split(",")[0] else "")
        elif found := _CAPTION.match(line):
            self.lines.paragraph([found.group(1)])
        else:
            return bool(_OTHER_BLOCK.match(line)) or line.startswith("//")
        return True

    def _text(self, line: str) -> None:
        if _ITEM.match(line):
            self.lines.item(line)
        else:
            self.lines.words(line.removesuffix(" +"))

    def _table(self, body: list[str]) -> None:
        self.lines.flush()
        rows: list[list[str]] = []
        for line in body:
            cells = [self.inline(cell.strip()) for cell in _CELL.split(line)[1:]]
            if cells:
                rows.append(cells)
            elif line.strip() and rows:
                rows[-1][-1] += " " + self.inline(line.strip())
        width = len(rows[0]) if rows else 0
        if width > 1 and any(len(row) == 1 for row in rows[1:]):  # a cell a line: as many as the first row has
            cells = [cell for row in rows for cell in row]
            rows = [cells[at : at + width] for at in range(0, len(cells), width)]
        self.builder.table(rows, header_rows=1 if len(rows) > 1 else 0)

    def inline(self, text: str) -> str:
        if "{" in text:
            text = re.sub(r"\{([\w-]+)\}", lambda one: self.attributes.get(one.group(1).lower(), one.group(0)), text)
        if "[" in text:
            text = _LINK.sub(r"\1", _INLINE_MACRO.sub(r"\1", text))
        text = _CROSS.sub(lambda one: one.group(1) or "", text)
        return _MARK.sub(r"\2", text)
