"""What comes out of the cage: a document ready to be stored, or why there is none."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from documents.parsers.outcome import Refused
from documents.text.blocks import Block
from documents.text.blocks import packed as blocks_packed
from documents.text.links import Link
from documents.text.links import packed as links_packed
from documents.text.piece import Piece
from documents.text.section import Entry, ParseReport

__all__ = ["Failed", "Outcome", "Prepared", "PreparedPiece", "Refused"]


@dataclass(frozen=True, slots=True)
class PreparedPiece:
    """A piece with the term frequencies of its searchable text and their sum, its length for BM25."""

    piece: Piece
    terms: dict[int, int]
    length: int


@dataclass(frozen=True, slots=True)
class Prepared:
    """A document as it will be stored. `title` is the file's own or its name's stem, cut to leave room in every chunk.

    `blocks` are spans of the canonical text, in order and apart; `boxes` says where its words stand on the pages
    (documents.text.boxes), b"" for a format without pages that are drawn. `source_url` is the address that a page gives itself.
    """

    canonical: str
    title: str
    language: str
    report: ParseReport
    pieces: tuple[PreparedPiece, ...]
    blocks: tuple[Block, ...] = ()
    boxes: bytes = b""
    entries: tuple[Entry, ...] = ()
    source_url: str = ""
    links: tuple[Link, ...] = ()

    def as_kept(self) -> dict[str, Any]:
        """What a version keeps of it as JSON: the report, and the blocks, entries and links of its text."""
        return {
            **asdict(self.report),
            "blocks": blocks_packed(self.blocks),
            "entries": [asdict(entry) for entry in self.entries],
            "links": links_packed(self.links),
        }


@dataclass(frozen=True, slots=True)
class Failed:
    """Reading was stopped or broke down; nobody refused the file. `code` names the words for people."""

    code: str
    detail: str = ""


Outcome = Prepared | Refused | Failed
