"""What a parser hands over: the readable parts of one file, in document order, and a report of what was not read."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, Literal

if TYPE_CHECKING:
    from documents.text.boxes import PageWords

Kind = Literal["prose", "heading", "list", "table", "code"]
EntryKind = Literal["release", "operation", "ticket"]
ENTRY_KINDS: Final[tuple[EntryKind, ...]] = ("release", "operation", "ticket")


@dataclass(frozen=True, slots=True)
class Entry:
    """One thing of many that a file holds: a release of a changelog, an operation of an API, a ticket of an export.

    `ident` is what people call it by: a version, an operationId (or method and path), a ticket's number or key. `date` is
    ISO where that is certain, else as it is written. `source_url` is a web address of its own (documents.text.addresses), or "".
    """

    kind: EntryKind
    ident: str
    title: str
    source_url: str = ""
    date: str = ""


@dataclass(frozen=True, slots=True)
class Section:
    """One readable part of a file.

    `text` is clean (documents.text.normalise.clean) and never empty. `heading_path` names the headings above it,
    outermost first, without the document's title. `page` counts from 1 where the format has pages.
    `header` is set on tables alone: the header row (and rule line) that every piece cut from it repeats.
    `entry` is the number of the file's entry that it belongs to, from 1; 0 for what belongs to none. `links` are words in it
    and where they lead, in order (documents.text.links).
    """

    text: str
    kind: Kind = "prose"
    heading_path: tuple[str, ...] = ()
    page: int | None = None
    header: str = ""
    entry: int = 0
    links: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Skipped:
    """A part that was seen and not read. `what` is a stable word: picture, attachment, hidden-text, embedded-file."""

    what: str
    where: str
    why: str


@dataclass(frozen=True, slots=True)
class ParseReport:
    """What was read and what was not. Pages are counted from 1; `pages` is None where the format has none.

    `pages_by_ocr` were pictures whose text a program guessed.
    """

    parser: str
    pages: int | None = None
    pages_without_text: tuple[int, ...] = ()
    skipped: tuple[Skipped, ...] = ()
    hidden_characters: int = 0
    encoding: str = ""
    warnings: tuple[str, ...] = ()
    pages_by_ocr: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Parsed:
    """One file as sections in document order. `title` is the document's own (first heading, metadata) or empty."""

    sections: tuple[Section, ...]
    report: ParseReport
    title: str = ""
    language: str = ""
    metadata: dict[str, str] = field(default_factory=dict)
    page_words: tuple[PageWords, ...] = ()
    entries: tuple[Entry, ...] = ()
