"""Quoted phrases of a question: read from it, and looked for in a text as they stand."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

from documents.text.scripts import UNSPACED

_PAIRS = (
    ('"', '"'),
    ("“", "”"),
    ("„", "“"),
    ("„", "”"),
    ("«", "»"),
    ("»", "«"),
    ("「", "」"),
    ("『", "』"),
    ("《", "》"),
)
_QUOTED = re.compile("|".join(f"{re.escape(a)}([^{re.escape(a + b)}]+){re.escape(b)}" for a, b in _PAIRS))
_MARKS = re.compile('["“”„«»「」『』《》]')
_SPACE = re.compile(r"\s+")
_UNSPACED = re.compile(f"[{UNSPACED}]")


@dataclass(frozen=True, slots=True)
class Quoted:
    """`phrases` in their order, each once; `is_unbalanced` when a mark has no partner and was read as nothing."""

    phrases: tuple[str, ...]
    is_unbalanced: bool


def read(question: str) -> Quoted:
    """The phrases between quotation marks; what holds no letter or digit is none."""
    found: dict[str, None] = {}
    for match in _QUOTED.finditer(question):
        phrase = next(group for group in match.groups() if group is not None).strip()
        if any(map(str.isalnum, phrase)):
            found[phrase] = None
    return Quoted(tuple(found), bool(_MARKS.search(_QUOTED.sub(" ", question))))


def plain(text: str) -> str:
    """As phrases are compared: NFKC, case folded, any white space one blank."""
    return _SPACE.sub(" ", unicodedata.normalize("NFKC", text).casefold()).strip()


def holds(text: str, phrase: str) -> bool:
    """True when the phrase stands in the text as whole words; scripts without spaces have no borders to look at."""
    return any(True for _ in _places(plain(text), plain(phrase)))


def holds_all(text: str, phrases: Sequence[str]) -> bool:
    return all(holds(text, phrase) for phrase in phrases)


def _places(text: str, phrase: str) -> list[int]:
    found, at = [], text.find(phrase) if phrase else -1
    while at >= 0:
        if not _joins(text[at - 1 : at], phrase[:1]) and not _joins(phrase[-1:], text[at + len(phrase) :][:1]):
            found.append(at)
        at = text.find(phrase, at + 1)
    return found


def _joins(left: str, right: str) -> bool:
    """True when no word ends between these two characters."""
    return _is_spaced(left) and _is_spaced(right)


def _is_spaced(char: str) -> bool:
    return bool(char) and (char.isalnum() or char == "_") and not _UNSPACED.match(char)
