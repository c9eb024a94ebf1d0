"""Walk a cleaned HTML tree and hand its blocks to a builder: headings, paragraphs, lists, tables, code."""

from __future__ import annotations

import re
from collections.abc import Iterator

from selectolax.lexbor import LexborNode

from documents.parsers.builder import Builder, fenced, flow, table_text

_HEADINGS = {f"h{level}": level for level in range(1, 7)}
_LISTS = frozenset(("ul", "ol", "menu", "dir"))
_BLOCKS = frozenset((
    "address", "article", "aside", "blockquote", "body", "caption", "center", "dd", "details", "dialog", "div", "dl", "dt",
    "fieldset", "figcaption", "figure", "footer", "form", "header", "hgroup", "hr", "html", "legend", "li", "main", "nav", "p",
    "section", "summary", "tbody", "td", "tfoot", "th", "thead", "tr", "h1", "h2", "h3", "h4", "h5", "h6", "ul", "ol", "menu",
    "dir", "table", "pre", "listing", "xmp", "plaintext",
))  # fmt: skip
_CODE_LANGUAGE = re.compile(r"(?:language|lang|highlight|brush|source)[-: ]+([\w+#-]+)")
_PERMALINK = re.compile(r"[¶🔗§#]\s*$")
_DEEPEST = 60
_WIDEST_SPAN = 50
_MENU_SHARE = 0.8


class Walk:
    """Collects the inline text between blocks as paragraphs; gives up structure, never words, when nested too deeply."""

    def __init__(self, builder: Builder) -> None:
        self.builder = builder
        self.seen_heading = False

    def block(self, node: LexborNode, depth: int = 0) -> None:
        """Add what an element holds."""
        if depth > _DEEPEST:
            self._prose([node.text(deep=True, separator=" ")])
            return
        run: list[str] = []
        child = node.child
        while child is not None:
            if child.tag in _BLOCKS or self._holds_blocks(child):
                self._prose(run)
                self._take(child, depth)
            else:
                run += self._inline(child)
            child = child.next
        self._prose(run)

    def _take(self, node: LexborNode, depth: int) -> None:
        tag = node.tag or ""
        if tag in _HEADINGS:
            self.seen_heading = True
            self.builder.heading(
                _HEADINGS[tag], _PERMALINK.sub("", flow("".join(self._inline(node)).replace("\x0b", " ")))
            )
        elif tag in ("pre", "listing", "xmp", "plaintext"):
            self.builder.code(_code(node), _language(node))
        elif tag in _LISTS:
            if not self._is_menu(node):
                self.builder.items("\n".join(self._list(node, 0)))
        elif tag == "table" and not _is_layout(node):
            self._table(node)
        elif tag == "dl":
            self._definitions(node, depth)
        else:
            self.block(node, depth + 1)

    def _prose(self, run: list[str]) -> None:
        text = "".join(run)
        run.clear()
        if text.strip():
            self.builder.prose("\n".join(line for part in text.split("\x0b") if (line := flow(part))))

    def _inline(self, node: LexborNode) -> Iterator[str]:
        """The words of inline content; a forced break is a vertical tab until the paragraph is put together."""
        if node.is_text_node:
            yield node.text_content or ""
            return
        tag = node.tag or ""
        if tag == "a" or not self._is_taken_apart(node):
            self._note_links(node)
        if tag == "br":
            yield "\x0b"
        elif tag == "img":
            attributes = node.attributes
            yield f" {attributes.get('alt') or ''} "
            self.builder.skip("picture", (attributes.get("src") or "")[:120], "not read")
        elif tag in ("sup", "sub") and node.css_first("a"):
            yield f" {node.text(deep=True)} "
        elif self._is_taken_apart(node):
            child = node.child
            while child is not None:
                yield from self._inline(child)
                child = child.next
        elif not node.is_comment_node:
            yield node.text(deep=True)

    @staticmethod
    def _is_taken_apart(node: LexborNode) -> bool:
        """Its children are looked at one by one."""
        is_note = node.tag in ("sup", "sub") and node.css_first("a") is not None
        return not is_note and node.child is not None and node.css_first("img,br") is not None

    def _note_links(self, node: LexborNode) -> None:
        """Where the words of inline content, or of a table, lead."""
        if node.child is None:
            return
        for link in [node] if node.tag == "a" else node.css("a[href]"):
            self.builder.link(link.text(deep=True), link.attributes.get("href") or "")

    @staticmethod
    def _holds_blocks(node: LexborNode) -> bool:
        if node.is_text_node or node.is_comment_node or node.child is None:
            return False
        return any(inner.tag in _BLOCKS and inner.mem_id != node.mem_id for inner in node.traverse())

    def _is_menu(self, node: LexborNode) -> bool:
        """A list before any heading that is nothing but links is the way around the site."""
        links = node.css("a")
        if self.seen_heading or len(links) < 3:
            return False
        words = len("".join(node.text(deep=True).split()))
        return sum(len("".join(link.text(deep=True).split())) for link in links) > words * _MENU_SHARE

    def _list(self, node: LexborNode, depth: int) -> Iterator[str]:
        number = _whole(node.attributes.get("start"), 1) if node.tag == "ol" else 0
        child = node.child
        while child is not None:
            if depth > _DEEPEST:
                yield from ("- " + text for _, text in _words([child.text(deep=True, separator=" ")]))
            elif child.tag in _LISTS:
                yield from self._list(child, depth + 1)
            elif not child.is_comment_node:
                mark = f"{number}." if node.tag == "ol" else "-"
                lines = list(self._item(child, mark, depth))
                number += bool(lines) and child.tag == "li"
                yield from lines
            child = child.next

    def _item(self, item: LexborNode, mark: str, depth: int) -> Iterator[str]:
        """The lines of one item: its own words after the mark, then the lists, code and tables in it."""
        pad = "  " * min(depth, 12)
        lead = f"{pad}{mark} "
        for kind, text in self._parts(item, depth):
            if kind == "words":
                yield f"{lead}{text}"
                lead = pad + "  "
            else:
                yield text

    def _parts(self, node: LexborNode, depth: int) -> Iterator[tuple[str, str]]:
        run: list[str] = []
        child = node if node.is_text_node else node.child
        while child is not None:
            tag = child.tag or ""
            if tag in _BLOCKS or self._holds_blocks(child):
                yield from _words(run)
                if tag in _LISTS:
                    yield from (("raw", line) for line in self._list(child, depth + 1))
                elif tag == "pre":
                    yield "raw", fenced(_code(child).strip("\n"), _language(child))
                elif tag == "table":
                    self._note_links(child)
                    rows, header_rows = grid(child)
                    yield "raw", table_text(rows, header_rows=header_rows)[0]
                elif depth < _DEEPEST:
                    yield from self._parts(child, depth + 1)
                else:
                    run.append(child.text(deep=True, separator=" "))
            else:
                run += self._inline(child)
            child = None if child is node else child.next
        yield from _words(run)

    def _definitions(self, node: LexborNode, depth: int) -> None:
        """A term goes before the first words of what it means."""
        terms: list[str] = []
        for child in node.iter():
            if child.tag == "dt":
                self._note_links(child)
                terms.append(flow(_PERMALINK.sub("", child.text(deep=True).strip())))
            elif child.tag == "dd" and not self._holds_blocks(child):
                self._prose([*(f"{term}\x0b" for term in terms), *self._inline(child)])
                terms = []
            else:
                self._prose(["\x0b".join(terms)])
                terms = []
                self.block(child, depth + 1)
        self._prose(["\x0b".join(terms)])

    def _table(self, node: LexborNode) -> None:
        caption = node.css_first("caption")
        if caption is not None:
            self.builder.prose(flow(caption.text(deep=True)))
        self._note_links(node)
        rows, header_rows = grid(node)
        self.builder.table(rows, header_rows=header_rows)


def _words(run: list[str]) -> Iterator[tuple[str, str]]:
    for part in "".join(run).split("\x0b"):
        if line := flow(part):
            yield "words", line
    run.clear()


def grid(table: LexborNode) -> tuple[list[list[str]], int]:
    """The cells of a table as a true grid, a merged cell in every place it covers, and how many rows are headers."""
    rows: list[list[str]] = []
    above: dict[int, tuple[int, str]] = {}
    header_rows = 0
    for line in table.css("tr"):
        cells = [cell for cell in line.iter() if cell.tag in ("td", "th")]
        row, above = _row(cells, above)
        in_head = line.parent is not None and line.parent.tag == "thead"
        if header_rows == len(rows) and cells and (in_head or all(cell.tag == "th" for cell in cells)):
            header_rows += 1
        rows.append(row)
    return rows, min(header_rows, max(len(rows) - 1, 0))


def _row(cells: list[LexborNode], above: dict[int, tuple[int, str]]) -> tuple[list[str], dict[int, tuple[int, str]]]:
    """One row of the grid, and which of its columns reach how far down with what."""
    row: list[str] = []
    below: dict[int, tuple[int, str]] = {}

    def put(text: str, rows_left: int) -> None:
        if rows_left > 0:
            below[len(row)] = (rows_left, text)
        row.append(text)

    def fill_from_above() -> None:
        while len(row) in above:
            rows_left, text = above[len(row)]
            put(text, rows_left - 1)

    for cell in cells:
        fill_from_above()
        text = flow(cell.text(deep=True, separator=" "))
        rows_left = min(_whole(cell.attributes.get("rowspan"), 1), _WIDEST_SPAN) - 1
        for _ in range(min(_whole(cell.attributes.get("colspan"), 1), _WIDEST_SPAN)):
            put(text, rows_left)
    fill_from_above()
    return row, below


def _is_layout(table: LexborNode) -> bool:
    """A table that arranges the page: it holds tables or headings, or has one cell a row and no header."""
    if table.css_first("td table, td h1, td h2, td h3, td ul") is not None:
        return True
    return table.css_first("th") is None and all(len(row.css("td")) < 2 for row in table.css("tr"))


def _code(node: LexborNode) -> str:
    for line_break in node.css("br"):
        line_break.replace_with("\n")
    return node.text(deep=True)


def _language(node: LexborNode) -> str:
    inner = node.css_first("code")
    parent = node.parent
    for one in (node, inner, parent, parent.parent if parent is not None else None):
        if one is not None and (found := _CODE_LANGUAGE.search(one.attributes.get("class") or "")):
            return found.group(1) if found.group(1) not in ("none", "default", "source", "text") else ""
    return ""


def _whole(value: str | None, default: int) -> int:
    return int(value) if value and value.isdecimal() and len(value) < 7 else default
