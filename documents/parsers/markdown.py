"""Markdown: CommonMark with GitHub's tables, front matter, and the admonitions of MkDocs."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from markdown_it import MarkdownIt
from markdown_it.token import Token

from documents.parsers.builder import Builder, fenced, flow, without_zeros
from documents.parsers.changelog import mark_releases
from documents.parsers.html_text import plain_text
from documents.parsers.outcome import Limits, Refused
from documents.text.normalise import decode, looks_binary
from documents.text.section import Parsed

_FRONT_MATTER = re.compile(r"\A(---|\+\+\+)[ \t]*\n(.*?\n)?\1[ \t]*(?:\n|\Z)", re.DOTALL)
_FIELD = re.compile(
    r"^(title|author|date|description|slug|lang|language)\s*[:=]\s*(.+?)\s*$", re.IGNORECASE | re.MULTILINE
)
_ATTRIBUTES = re.compile(r"(?<![ \t])[ \t]*\{:?[ \t]*[#.][^}\n]*\}[ \t]*$", re.MULTILINE)
_ADMONITION = re.compile(r'^([ \t]*)(?:!!!|\?\?\?\+?|===)[ \t]+(?:[\w-]+[ \t]*)*(?:"([^"\n]*)")?[ \t]*$')
_BLOCK_MARK = re.compile(r"^[ \t]*/{3,}[ \t]*(?:[\w-]+[ \t]*(?:\|[ \t]*(.*?))?)?[ \t]*$")
_INCLUDE = re.compile(r"^[ \t]*(?:\{\*.*?\*\}|--8<--.*|\{!.*?!\})[ \t]*$")
_REFERENCE = re.compile(r"^ {0,3}\[([^\]\n]+)\]:[ \t]*<?([^\s>]+)", re.MULTILINE)
_SEGMENT = 400_000


def read(path: Path, *, limits: Limits) -> Parsed | Refused:
    """Read a Markdown file. Addresses of links and images go, their words stay; raw HTML gives its visible words."""
    data = path.read_bytes()
    if looks_binary(data):
        return Refused("documents.mislabelled", "Its name says Markdown, its content is binary data.")
    decoded = decode(data)
    builder = Builder("markdown-it", encoding=decoded.encoding)
    if decoded.lossy:
        builder.warn("undecodable-bytes")
    add_markdown(builder, decoded.text)
    mark_releases(builder)
    return builder.finish()


def add_markdown(builder: Builder, text: str) -> None:
    """Add a Markdown text to a document."""
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    text = without_zeros(builder, text)
    text = _front_matter(builder, text)
    parser = MarkdownIt("commonmark", {"maxNesting": 100}).enable(["table", "strikethrough"])
    references = {label.upper(): {"href": href, "title": ""} for label, href in _REFERENCE.findall(text)}
    for segment in _segments("\n".join(_plain_lines(builder, text))):
        _Walk(builder, parser.parse(segment, {"references": dict(references)})).blocks()


def _front_matter(builder: Builder, text: str) -> str:
    found = _FRONT_MATTER.match(text.lstrip("\ufeff"))
    if not found:
        return text
    for name, value in _FIELD.findall(found.group(2) or ""):
        builder.metadata[name.lower()] = value.strip("\"'")
    builder.title = builder.metadata.get("title", "")
    return text.lstrip("\ufeff")[found.end() :]


def _plain_lines(builder: Builder, text: str) -> Iterator[str]:
    """Rewrite what MkDocs adds to Markdown: admonitions become a paragraph, block marks and includes go."""
    indent: str | None = None
    fence = ""
    for raw in text.split("\n"):
        if indent is not None and raw.strip() and not raw.startswith(indent + "    "):
            indent = None
        line = raw if indent is None else raw[4:] if raw.strip() else ""
        bare = line.lstrip()
        if bare.startswith(("```", "~~~")):
            fence = "" if fence and bare.startswith(fence) else fence or bare[:3]
        if fence:
            yield line
        elif found := _ADMONITION.match(line):
            indent = found.group(1)
            yield f"{indent}{found.group(2) or ''}\n"
        elif found := _BLOCK_MARK.match(line):
            yield found.group(1) or ""
        elif _INCLUDE.match(line):
            builder.skip("include", bare, "not fetched")
            yield ""
        else:
            yield _ATTRIBUTES.sub("", line) if "{" in line else line


def _segments(text: str) -> Iterator[str]:
    """Cut a very long text before top-level headings, so that memory follows the segment and not the file."""
    start, fence = 0, ""
    position = 0
    for line in text.splitlines(keepends=True):
        if line.startswith(("```", "~~~")):
            fence = "" if fence and line.startswith(fence) else fence or line[:3]
        if line.startswith("#") and not fence and position - start > _SEGMENT:
            yield text[start:position]
            start = position
        position += len(line)
    yield text[start:]


class _Walk:
    """Walks the flat list of block tokens."""

    def __init__(self, builder: Builder, tokens: list[Token]) -> None:
        self.builder = builder
        self.tokens = tokens
        self.at = 0

    def blocks(self) -> None:
        while self.at < len(self.tokens):
            token = self._next()
            if token.type == "heading_open":
                link = self._first_link()
                self.builder.heading(int(token.tag[1:]), self._inline(), link=link)
            elif token.type == "paragraph_open":
                self.builder.prose(self._inline())
            elif token.type in ("bullet_list_open", "ordered_list_open"):
                self.builder.items("\n".join(self._list(token, depth=0)))
            elif token.type == "table_open":
                self._table()
            elif token.type in ("fence", "code_block"):
                self.builder.code(token.content, _info(token))
            elif token.type == "html_block":
                self._html(token.content)

    def _next(self) -> Token:
        token = self.tokens[self.at]
        self.at += 1
        return token

    def _first_link(self) -> str:
        """The address of the first link in the heading that comes next."""
        children = self.tokens[self.at].children or []
        return next((str(child.attrs.get("href", "")) for child in children if child.type == "link_open"), "")

    def _inline(self) -> str:
        token = self._next()
        return self._words(token.children or []) if token.type == "inline" else ""

    def _words(self, children: list[Token]) -> str:
        parts: list[str] = []
        opened: list[tuple[int, str]] = []
        for child in children:
            if child.type == "link_open":
                opened.append((len(parts), str(child.attrs.get("href", ""))))
            elif child.type == "link_close" and opened:
                start, href = opened.pop()
                self.builder.link("".join(parts[start:]), href)
            elif child.type in ("text", "code_inline"):
                parts.append(child.content)
            elif child.type == "softbreak":
                parts.append(" ")
            elif child.type == "hardbreak" or (child.type == "html_inline" and child.content.lower().startswith("<br")):
                parts.append("\n")
            elif child.type == "image":
                parts.append(self._words(child.children or []))
                self.builder.skip("picture", str(child.attrs.get("src", ""))[:120], "not read")
        return "\n".join(flow(line) for line in "".join(parts).split("\n"))

    def _list(self, opening: Token, *, depth: int) -> Iterator[str]:
        """Yield the lines of a list and of the lists in it, items marked and indented by depth."""
        number = int(opening.attrs.get("start", 1))
        closing = opening.type.replace("_open", "_close")
        pad = "  " * depth
        mark = ""
        while (token := self._next()).type != closing or token.level != opening.level:
            if token.type == "list_item_open":
                mark = f"{number}. " if opening.type == "ordered_list_open" else "- "
                number += 1
            elif token.type in ("bullet_list_open", "ordered_list_open"):
                yield from self._list(token, depth=depth + 1)
            elif token.type == "inline":
                for line in self._words(token.children or []).split("\n"):
                    yield f"{pad}{mark or '  '}{line}"
                    mark = ""
            elif token.type in ("fence", "code_block"):
                yield fenced(token.content.rstrip("\n"), _info(token))
            elif token.type == "html_block":
                yield f"{pad}{mark or '  '}{flow(plain_text(token.content).text)}"
                mark = ""

    def _table(self) -> None:
        rows: list[list[str]] = []
        while (token := self._next()).type != "table_close":
            if token.type == "tr_open":
                rows.append([])
            elif token.type == "inline":
                rows[-1].append(self._words(token.children or []))
        self.builder.table(rows)

    def _html(self, source: str) -> None:
        found = plain_text(source)
        self.builder.hidden_characters += found.hidden
        self.builder.prose(found.text)


def _info(token: Token) -> str:
    """The language of a fence: its first word, without the attributes some dialects add."""
    words = token.info.split() if token.type == "fence" else []
    return re.sub(r"[^\w+#.-].*", "", words[0]) if words else ""
