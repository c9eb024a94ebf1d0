"""Who writes an answer. Quotes are the default and need nothing; a model (answers/router) is chosen by whoever asks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final, Literal, Protocol

from answers.rules import extract
from answers.rules.question import Question
from portal.scope import Scope
from retrieval.ranking.evidence import Passage

Mode = Literal["extractive", "model"]
EXTRACTIVE_VERSION: Final = "extractive-1"


@dataclass(frozen=True, slots=True)
class Written:
    """What a writer made of the evidence, its last word.

    Quotes stand in `draft`, a model's own words in `text`; one of them is empty. `sent` is how many of the passages the
    writer read, from the first: only those may be cited. `notes` are codes for the asker. `found_nothing` says that the
    writer read the passages and holds that they do not answer. `stopped` that somebody ended it early.
    """

    draft: extract.Draft = field(default_factory=extract.Draft)
    text: str = ""
    sent: int = 0
    mode: Mode = "extractive"
    model: str = ""
    provider: str = ""
    prompt_version: str = EXTRACTIVE_VERSION
    tokens_in: int = 0
    tokens_out: int = 0
    cost_usd: float = 0.0
    first_token_ms: int | None = None
    notes: tuple[str, ...] = ()
    found_nothing: bool = False
    stopped: bool = False


class Void:
    """What was written so far is void, and the text begins anew: a model broke off, and somebody else goes on."""


VOID: Final = Void()
Piece = str | Void


class Writer(Protocol):
    def write(self, scope: Scope, asked: Question, passages: Sequence[Passage]) -> Iterator[Piece | Written]:
        """Pieces of the answer in reading order, then exactly one Written. Never raises for a model that fails.

        No database transaction is open while it runs.
        """
        ...


class ExtractiveWriter:
    """The sentences that answer, quoted exactly; numbered as readers will see them."""

    def write(self, scope: Scope, asked: Question, passages: Sequence[Passage]) -> Iterator[Piece | Written]:
        draft = extract.write(asked, passages)
        yield from shown_pieces(draft)
        yield Written(draft, sent=len(passages))


def shown_pieces(draft: extract.Draft) -> Iterator[str]:
    """The quotes, one to a line, numbered as readers will see them."""
    shown = shown_numbers(draft)
    for place, (quote, line) in enumerate(draft.lines):
        words = line.removesuffix(f" [{quote.passage_no}]")
        yield ("\n" if place else "") + f"{words} [{shown[quote.passage_no]}]"


def shown_numbers(draft: extract.Draft) -> dict[int, int]:
    """Place in the evidence → the number readers see: 1 for the first passage quoted, 2 for the next."""
    shown: dict[int, int] = {}
    for quote in draft.sentences:
        shown.setdefault(quote.passage_no, len(shown) + 1)
    return shown
