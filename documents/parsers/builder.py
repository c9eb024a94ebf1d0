"""Collect the sections of a file while it is read: cleaning, counting and heading paths in one place."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import takewhile

from documents.text.addresses import web_address
from documents.text.boxes import PageWords
from documents.text.headings import short
from documents.text.links import link_target
from documents.text.normalise import clean_counted
from documents.text.scripts import CHINESE_JAPANESE
from documents.text.section import Entry, Kind, Parsed, ParseReport, Section, Skipped

_WIDE_WRAP = re.compile(f"(?<=[{CHINESE_JAPANESE}，。、；：！？]) (?=[{CHINESE_JAPANESE}，。、；：！？])")
_BLANK_LINES = re.compile(r"\n[ \t]*(?:\n[ \t]*)+")
_SKIPPED_MOST = 200
_LINKS_MOST = 500

Path = tuple[tuple[int, str], ...]


def flow(text: str) -> str:
    """Return prose on one line: a line break in the source is a space to the reader, and nothing between ideographs."""
    joined = " ".join(text.split())
    return _WIDE_WRAP.sub("", joined) if not joined.isascii() else joined


def table_text(rows: Sequence[Sequence[str]], *, header_rows: int = 1) -> tuple[str, str]:
    """Return (table, header) as a Markdown table; the header is its first rows with the rule line, "" for no rows.

    Without a header row the columns stay unnamed. Short rows are filled up; cells are put on one line.
    """
    width = max((len(row) for row in rows), default=0)
    if not width:
        return "", ""
    lines = ["| " + " | ".join(_cell(cell) for cell in [*row, *[""] * (width - len(row))]) + " |" for row in rows]
    if not header_rows:
        return "\n".join(lines), ""
    head = [*lines[:header_rows], "|" + "---|" * width]
    return "\n".join([*head, *lines[header_rows:]]), "\n".join(head)


def _cell(cell: str) -> str:
    return flow(cell).replace("|", "\\|")


@dataclass(slots=True)
class _Draft:
    text: str
    kind: Kind
    path: Path
    page: int | None
    header: str = ""
    entry: int = 0
    level: int = 0
    link: str = ""
    links: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading that was added: its place among the parts, and the address that it leads to, if any."""

    place: int
    level: int
    text: str
    link: str = ""


class Builder:
    """Takes what a reader finds in document order and gives a Parsed. Empty parts are left out."""

    def __init__(self, parser: str, *, encoding: str = "") -> None:
        self.parser = parser
        self.encoding = encoding
        self.page: int | None = None
        self.title = ""
        self.metadata: dict[str, str] = {}
        self.hidden_characters = 0
        self.skipped: list[Skipped] = []
        self.warnings: list[str] = []
        self.pages: int | None = None
        self.pages_without_text: list[int] = []
        self.pages_by_ocr: list[int] = []
        self.characters = 0
        self.page_words: list[PageWords] = []
        self.entries: list[Entry] = []
        self._entry = 0
        self._links: list[tuple[str, str]] = []
        self._drafts: list[_Draft] = []
        self._open: list[tuple[int, str]] = []
        self._levels: list[tuple[int, str]] = []

    def heading(self, level: int, text: str, *, link: str = "") -> None:
        """Add a heading; what follows stands under it until one of its level or above comes."""
        text = self._clean(flow(text))
        if not text:
            return
        while self._open and self._open[-1][0] >= level:
            self._open.pop()
        self._add(text, "heading", level=level, link=link)
        self._open.append((level, short(text)))
        self._levels.append((level, short(text)))

    def prose(self, text: str) -> None:
        """Add a paragraph, its line breaks as they are."""
        self._add(_BLANK_LINES.sub("\n", self._clean(text)).strip(), "prose")

    def items(self, text: str) -> None:
        """Add a list, an item a line with its bullet."""
        self._add(_BLANK_LINES.sub("\n", self._clean(text)).strip("\n").rstrip(), "list")

    def code(self, text: str, language: str = "") -> None:
        """Add a code block between fences, so that code can be told from prose wherever the text goes."""
        body = self._clean(text).strip("\n").rstrip()
        if body.strip():
            self._add(fenced(body, language), "code")

    def table(self, rows: Sequence[Sequence[str]], *, header_rows: int = 1) -> None:
        """Add a table from its rows of cells."""
        cleaned = [[self._clean(cell) for cell in row] for row in rows]
        cleaned = [row for row in cleaned if any(cell.strip() for cell in row)]
        text, header = table_text(cleaned, header_rows=min(header_rows, len(cleaned)))
        if len(cleaned) > header_rows:
            self._add(text, "table", header)
        elif text:
            self._add(text, "table")

    def stream_table(self, rows: Iterable[Sequence[str]], *, header_rows: int = 1) -> None:
        """Add a table of any length without holding its cells: each row becomes its line at once; empty rows go.

        The first row gives the width: shorter ones are filled up, longer ones keep what they have.
        """
        lines: list[str] = []
        width = 0
        header = ""
        for row in rows:
            cells = [self._clean(cell) for cell in row]
            if not any(cell.strip() for cell in cells):
                continue
            width = width or len(cells)
            lines.append("| " + " | ".join(_cell(cell) for cell in [*cells, *[""] * (width - len(cells))]) + " |")
            if len(lines) == header_rows:
                lines.append("|" + "---|" * width)
                header = "\n".join(lines)
        if lines:
            self._add("\n".join(lines), "table", header if len(lines) > header_rows + 1 else "")

    def link(self, words: str, href: str) -> None:
        """Note where words of the part that is added next lead."""
        label, target = flow(self._clean(words)), link_target(href)
        if label and target and len(self._links) < _LINKS_MOST:
            self._links.append((label, target))

    def begin(self, entry: Entry) -> None:
        """What is added from now on belongs to this entry, until another one begins or it is left."""
        self.entries.append(self._cleaned(entry))
        self._entry = len(self.entries)

    def leave(self) -> None:
        """What is added from now on belongs to no entry."""
        self._entry = 0

    def headings(self) -> list[Heading]:
        """The headings that were added so far, in order."""
        return [
            Heading(place, draft.level, draft.text, draft.link)
            for place, draft in enumerate(self._drafts)
            if draft.kind == "heading"
        ]

    def below(self, place: int, most: int) -> list[str]:
        """The texts of at most so many parts after this one, up to the next heading."""
        return [one.text for one in takewhile(_is_no_heading, self._drafts[place + 1 : place + 1 + most])]

    def divide(self, begins: Mapping[int, Entry], level: int) -> None:
        """Give parts that were added to entries: one begins at each of these places, a heading above `level` ends it."""
        for place, draft in enumerate(self._drafts):
            if place in begins:
                self.begin(begins[place])
            elif draft.kind == "heading" and draft.level < level:
                self.leave()
            draft.entry = self._entry
        self.leave()

    def absorb(self, inner: Builder) -> None:
        """Add what another one holds; its headings are paragraphs here, and what it left out is left out here."""
        for draft in inner._drafts:
            kind: Kind = "prose" if draft.kind == "heading" else draft.kind
            self._links += draft.links
            self._add(draft.text, kind, draft.header)
        self.hidden_characters += inner.hidden_characters
        for one in inner.skipped:
            self.skip(one.what, one.where, one.why)
        for word in inner.warnings:
            self.warn(word)

    def skip(self, what: str, where: str, why: str) -> None:
        """Report a part that was seen and not read."""
        if len(self.skipped) < _SKIPPED_MOST:
            self.skipped.append(Skipped(what, clean_counted(where).text[:200], why))

    def warn(self, word: str) -> None:
        """Report something about the whole file, once."""
        if word not in self.warnings:
            self.warnings.append(word)

    def finish(self) -> Parsed:
        """Return what was collected. The title is the file's own, else its only top heading; that heading leaves the paths."""
        top = self._top_heading()
        title = short(self._clean(self.title)) or (top[1] if top else "")
        if top and top[1] != title:
            top = None
        sections = tuple(
            Section(
                draft.text, draft.kind, self._path(draft.path, top), draft.page, draft.header, draft.entry, draft.links
            )
            for draft in self._drafts
        )
        report = ParseReport(
            parser=self.parser,
            pages=self.pages,
            pages_without_text=tuple(self.pages_without_text),
            skipped=tuple(self.skipped),
            hidden_characters=self.hidden_characters,
            encoding=self.encoding,
            warnings=tuple(self.warnings),
            pages_by_ocr=tuple(self.pages_by_ocr),
        )
        metadata = {key: clean_counted(value).text[:500] for key, value in self.metadata.items() if value}
        return Parsed(
            sections,
            report,
            title=title,
            metadata=metadata,
            page_words=tuple(self.page_words),
            entries=tuple(self.entries),
        )

    def _top_heading(self) -> tuple[int, str] | None:
        """The one heading of the highest level, when it comes first."""
        if not self._levels:
            return None
        highest = min(level for level, _ in self._levels)
        tops = [heading for heading in self._levels if heading[0] == highest]
        return tops[0] if len(tops) == 1 and self._levels[0] == tops[0] else None

    @staticmethod
    def _path(path: Path, top: tuple[int, str] | None) -> tuple[str, ...]:
        return tuple(text for level, text in path if (level, text) != top)

    def _clean(self, text: str) -> str:
        cleaned = clean_counted(text)
        self.hidden_characters += cleaned.removed
        return cleaned.text

    @staticmethod
    def _cleaned(entry: Entry) -> Entry:
        return replace(
            entry,
            ident=short(clean_counted(entry.ident).text),
            title=short(clean_counted(entry.title).text),
            source_url=web_address(entry.source_url),
            date=clean_counted(entry.date).text[:40].strip(),
        )

    def _add(self, text: str, kind: Kind, header: str = "", *, level: int = 0, link: str = "") -> None:
        if text.strip():
            self.characters += len(text)
            place = (tuple(self._open), self.page)
            self._drafts.append(_Draft(text, kind, *place, header, self._entry, level, link, tuple(self._links)))
            self._links.clear()


def _is_no_heading(draft: _Draft) -> bool:
    return draft.kind != "heading"


def without_zeros(builder: Builder, text: str) -> str:
    """Take zero bytes out before a parser sees them, and count them as hidden."""
    zeros = text.count("\x00")
    builder.hidden_characters += zeros
    return text.replace("\x00", "") if zeros else text


def fenced(body: str, language: str = "") -> str:
    """Put code between fences that are longer than any in it."""
    longest = max((len(run) for run in re.findall("`{3,}", body)), default=2)
    fence = "`" * (longest + 1)
    return f"{fence}{language}\n{body}\n{fence}"
