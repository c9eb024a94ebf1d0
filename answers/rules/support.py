"""Whether a passage supports a sentence: words, numbers, names and negation, with no model."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, Literal

from answers.rules.words import content_terms
from documents.text.analyse import identifiers

Support = Literal["supported", "partly", "not_supported"]
Fault = Literal["number", "entity", "negation", "words", "uncited", "offsets"]

FULL: Final = 0.6
"""The share of a sentence's terms in its passages that counts as supported; under PART it does not at all."""
PART: Final = 0.4
SAME: Final = 0.8
"""The share of a sentence's terms in one part of the evidence from which on the numbers must stand in that part."""

_COUNTING: Final = (
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
    "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen", "twenty",
)  # fmt: skip
_NUMBER_WORDS: Final = {word: str(value) for value, word in enumerate(_COUNTING)} | {
    "first": "1", "second": "2", "third": "3", "twice": "2", "dozen": "12", "thirty": "30", "forty": "40",
    "fifty": "50",
}  # fmt: skip
_NUMBER: Final = re.compile(r"(?<![\w.])[vV]?(\d+(?:[.,]\d+)*)")
_NAME: Final = re.compile(r"\b[A-ZÀ-ÞА-Я][\w’'&-]*\w")
_NEGATION: Final = re.compile(
    r"\b(?:not|no|never|none|nobody|nothing|neither|nor|without|cannot|can't|\w+n't|\w+n’t|unable|fails? to|failed to"
    r"|lacks?|nicht|kein\w*|nie|ohne|pas|jamais|sans|aucun\w*|nunca|sin|ningun\w*|не|нет|без|никогда)\b|[不没沒無]|ない|ません|없|않",
    re.IGNORECASE,
)
_REACH: Final = 3


@dataclass(frozen=True, slots=True)
class Check:
    """The verdict on one sentence, the share of its terms that the evidence holds, and what was wrong."""

    support: Support
    share: float
    faults: tuple[Fault, ...] = ()


def check(sentence: str, evidence: Iterable[str], language: str = "en") -> Check:
    """Compare one sentence (markers taken out) with the passages it cites, joined.

    A number or name that the passages lack, or a negation that turns their nearest sentence round, is never supported.
    """
    held = "\n".join(evidence)
    if (plain := _plain_text(sentence)) and plain in _plain_text(held):
        return Check("supported", 1.0)
    terms = frozenset(content_terms(sentence, language))
    share = len(terms & _terms(held, language)) / len(terms) if terms else float(bool(held))
    faults: list[Fault] = []
    if not numbers(sentence) <= numbers_of(_told_of(sentence, held, terms, language)):
        faults.append("number")
    if any(name not in held.casefold() for name in names(sentence)):
        faults.append("entity")
    if share >= PART and _turned_round(sentence, held, terms, language):
        faults.append("negation")
    if share < FULL:
        faults.append("words")
    if set(faults) - {"words"} or share < PART:
        return Check("not_supported", round(share, 3), tuple(faults))
    return Check("partly" if faults else "supported", round(share, 3), tuple(faults))


def numbers(text: str) -> frozenset[str]:
    """The numbers in a text in one form: `1,000` and `1000`, `v2.0` and `2.0`, `three` and `3` are the same."""
    digits = (_plain(match[1]) for match in _NUMBER.finditer(text))
    return frozenset(digits)


def spelled_numbers(text: str) -> frozenset[str]:
    """The numbers that are written as English words, in digits."""
    words = re.findall(r"[a-z]+", text.casefold())
    return frozenset(_NUMBER_WORDS[word] for word in words if word in _NUMBER_WORDS)


def names(text: str) -> frozenset[str]:
    """Case-folded proper names and identifiers; a capital at the start of a sentence alone does not make a name.

    An identifier of digits alone is left to the numbers, which may be written in more than one way.
    """
    found = {name for name in identifiers(text) if any(map(str.isalpha, name))}
    for match in _NAME.finditer(text):
        before = text[: match.start()].rstrip(" \"'“‘(*_")
        is_inside = bool(before) and before[-1] not in ".!?:…\n-•"
        if is_inside or match[0][1:] != match[0][1:].lower():
            found.add(match[0].casefold().removesuffix("'s").removesuffix("’s"))
    return frozenset(found)


def is_negated(text: str) -> bool:
    return bool(_NEGATION.search(text))


def negated(text: str, language: str = "en") -> frozenset[str]:
    """The terms that a negation in the text reaches: the three after it."""
    return frozenset(
        term
        for match in _NEGATION.finditer(text)
        for term in content_terms(text[match.end() :][:120], language)[:_REACH]
    )


def _plain(number: str) -> str:
    if re.fullmatch(r"\d{1,3}(,\d{3})+(\.\d+)?", number):
        number = number.replace(",", "")
    return number.rstrip(".,")


def _plain_text(text: str) -> str:
    return " ".join(text.split()).strip(" .*_")


@lru_cache(maxsize=256)
def numbers_of(text: str) -> frozenset[str]:
    """In digits, whether they are written in digits or as English words."""
    return numbers(text) | spelled_numbers(text)


@lru_cache(maxsize=256)
def _terms(text: str, language: str) -> frozenset[str]:
    return frozenset(content_terms(text, language))


def _told_of(sentence: str, held: str, terms: frozenset[str], language: str) -> str:
    """Where a sentence's numbers must stand: the one part of the evidence that says the same, else all of it."""
    near = _nearest(held, terms, language)
    same = len(terms & _terms(near, language)) >= SAME * len(terms) if near else False
    return near if same and numbers(near) else held


def _nearest(held: str, terms: frozenset[str], language: str) -> str:
    parts = [part for part in re.split(r"(?<=[.!?。！？])\s+|(?<=[。！？])|\n\s*\n", held) if part.strip()]
    if not parts or not terms:
        return ""
    return max(parts, key=lambda part: len(terms & _terms(part, language)) / (8 + len(_terms(part, language))))


def _turned_round(sentence: str, held: str, terms: frozenset[str], language: str) -> bool:
    """The part of the evidence nearest in words says the same thing with the other sign."""
    nearest = _nearest(held, terms, language)
    if not nearest or not terms:
        return False
    if len(terms & _terms(nearest, language)) < FULL * len(terms):
        return False
    said, meant = negated(sentence, language), negated(nearest, language)
    return bool(((said & _terms(nearest, language)) - meant) | ((meant & terms) - said))
