"""Tags: short words that members sort documents by. Small letters, so that one tag is one tag however it was typed."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable
from typing import Final

from portal.problems import UserProblem

MOST: Final = 20
LONGEST: Final = 40


def read_tags(given: Iterable[str]) -> list[str]:
    """The tags in order, each once: NFKC, small letters, single spaces. Empty ones are left out.

    Raises UserProblem documents.bad_tags for more than MOST, one longer than LONGEST, and one without a letter or digit or with a
    comma or control character.
    """
    tags = {cleaned(tag) for tag in given} - {""}
    if len(tags) > MOST:
        raise UserProblem("documents.bad_tags", f"There are {len(tags)}.")
    for tag in tags:
        if len(tag) > LONGEST or not any(map(str.isalnum, tag)) or any(map(_is_foreign, tag)):
            raise UserProblem("documents.bad_tags", f"“{tag[:LONGEST]}” is none.")
    return sorted(tags)


def cleaned(tag: str) -> str:
    """As a tag is stored, so that what is asked for is compared with what is stored."""
    return " ".join(unicodedata.normalize("NFKC", tag).lower().split())


def _is_foreign(character: str) -> bool:
    return character == "," or unicodedata.category(character).startswith("C")
