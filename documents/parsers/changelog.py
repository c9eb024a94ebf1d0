"""Changelogs: told by their headings, one release an entry with its version and its date."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from typing import Literal

from documents.parsers.builder import Builder, Heading
from documents.text.section import Entry

Dialect = Literal["rst", "markdown", "plain", ""]

_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_MONTH = r"(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.?"
_DATES = (
    re.compile(r"(?P<y>(?:19|20)\d\d)[-./](?P<m>\d\d?)[-./](?P<d>\d\d?)(?!\d)"),
    re.compile(
        r"(?<!\d)(?P<d>\d\d?)(?:st|nd|rd|th)?[ -](?P<name>" + _MONTH + r"),?[ -](?P<y>(?:19|20)\d\d)", re.IGNORECASE
    ),
    re.compile(r"(?P<name>" + _MONTH + r") (?P<d>\d\d?)(?:st|nd|rd|th)?,? (?P<y>(?:19|20)\d\d)", re.IGNORECASE),
    re.compile(r"(?<!\d)(?P<d>\d\d?)/(?P<name>" + _MONTH + r")/(?P<short>\d\d)(?!\d)", re.IGNORECASE),
    re.compile(r"(?<!\d)(?P<d>\d\d?)\.(?P<m>\d\d?)\.(?P<y>(?:19|20)\d\d)"),
    re.compile(r"(?<!\d)(?P<unsure>\d\d?/\d\d?/(?:19|20)\d\d)"),
    re.compile(r"(?P<unsure>(?:[x?]{2}[./-]){2}[x?]{4}|(?:19|20)\d\d-[x?]{2}-[x?]{2})", re.IGNORECASE),
)
_VERSION = re.compile(
    r"^[\[(\"'*`@]*(?:(?P<product>[A-Za-z][\w+-]*(?:[ /@][A-Za-z][\w+-]*){0,3})[ @/]+)??"
    r"(?P<mark>version |release |v\. ?|v)?"
    r"(?P<version>\d+(?:\.(?:\d+|x))+(?:[-._]?(?:alpha|beta|rc|dev|post|pre|preview|final|snapshot|build|[abcmpr])[-.]?\d*)*"
    r"(?:[-+][0-9A-Za-z.-]*[0-9A-Za-z])?)(?![\w])",
    re.IGNORECASE,
)
_NEXT = re.compile(
    r"^[\[(]?(?:unreleased|latest changes|upcoming(?: release)?|next(?: release| version)?|in development|development"
    r"|work in progress|main|master|trunk|head)[\])]?(?: changes)?(?:\s*[-–—(].*)?$",
    re.IGNORECASE,
)
_FILLING = re.compile(
    r"\b(?:lts|unreleased|in|under|development|yanked|released?|notes?|latest|stable|final|beta|alpha|pre|version|date|on|the"
    r"|changes|changelog|security|maintenance|hotfix|patch|major|minor|bugfix|preview|draft|not|yet|tba|tbd)\b",
    re.IGNORECASE,
)
_NUMBERED = frozenset(("chapter", "section", "part", "step", "appendix", "figure", "table", "article", "annex", "clause",
                       "question", "exercise", "lesson", "unit", "page", "item", "paragraph", "level", "phase"))  # fmt: skip
_DATE_LINE = re.compile(r"^[\W_]*(?:(?:release )?date|released?)?(?: on)?[\s:*_-]*", re.IGNORECASE)
_UNDERLINED = re.compile(r"^([^\n]+)\n([=~^\"'`#*+-])\2{2,}[ \t]*$", re.MULTILINE)
_HASHED = re.compile(r"^#{1,4}[ \t]+([^\n]+?)[ \t#]*$", re.MULTILINE)
_ALONE = re.compile(r"(?:\A|\n[ \t]*\n)(\S[^\n]{0,120})(?=\n|\Z)")
_SHARE = 0.6
_LOOKED_AT = 4


@dataclass(frozen=True, slots=True)
class _Release:
    version: str
    date: str
    is_sure: bool
    """The heading says more than a number that a chapter could have too."""


def mark_releases(builder: Builder) -> None:
    """Make each release of a changelog an entry; a document that is none stays as it is.

    A changelog has two releases or more at one level, and they are most of the headings there. Another heading at that level
    belongs to the release above it.
    """
    headings = builder.headings()
    level = _level(headings)
    if not level:
        return
    begins: dict[int, Entry] = {}
    for one in headings:
        if one.level == level and (found := release_of(one.text)):
            begins[one.place] = _entry(builder, one, found)
        elif one.level == level and _NEXT.match(one.text):
            begins[one.place] = Entry("release", one.text.strip("[]() "), one.text, one.link)
    builder.divide(begins, level)


def _level(headings: Sequence[Heading]) -> int:
    """The level at which the releases stand, the outermost if there are several; 0 in a document that is no changelog."""
    all_at = Counter(one.level for one in headings if not _NEXT.match(one.text))
    found = [(one.level, release) for one in headings if (release := release_of(one.text))]
    at = Counter(level for level, _ in found)
    sure = {level for level, release in found if release.is_sure}
    fits = [level for level, count in at.items() if count >= 2 and count >= all_at[level] * _SHARE and level in sure]
    return min(fits, default=0)


def _entry(builder: Builder, heading: Heading, found: _Release) -> Entry:
    below = (part.partition("\n")[0] for part in builder.below(heading.place, _LOOKED_AT))
    day = found.date or next((day for line in below if len(line) <= 60 and (day := _alone(line))), "")
    return Entry("release", found.version, heading.text, heading.link, day)


def _alone(line: str) -> str:
    """The date of a line that holds nothing else."""
    day, rest = date_in(line)
    return day if day and not _DATE_LINE.sub("", rest).strip(" .*_:-") else ""


def is_release(line: str) -> bool:
    return release_of(line) is not None


def release_of(heading: str) -> _Release | None:
    """The release that a heading names; None when it says anything else."""
    text = " ".join(heading.split())
    day, without = date_in(text)
    found = _VERSION.match(without)
    if not found or len(text) > 120:
        return None
    product = (found.group("product") or "").lower()
    rest = _FILLING.sub("", without[found.end() :])
    if product.split(" ")[-1] in _NUMBERED or re.search(r"\w", rest.replace("()", "")):
        return None
    version = found.group("version")
    is_sure = bool(day or product or found.group("mark") or re.search(r"\d\.[\dx]+\.", version))
    return _Release(version, day, is_sure)


def date_in(text: str) -> tuple[str, str]:
    """The first date in a text, in ISO where that is certain, and the text without it."""
    for pattern in _DATES:
        if found := pattern.search(text):
            return _iso(found), text[: found.start()] + text[found.end() :]
    return "", text


def _iso(found: re.Match[str]) -> str:
    named = found.groupdict()
    if named.get("unsure"):
        return found.group(0)
    month = int(named["m"]) if named.get("m") else _MONTHS.index(named["name"][:3].lower()) + 1
    try:
        return date(int(named.get("y") or f"20{named['short']}"), month, int(named["d"])).isoformat()
    except ValueError:
        return found.group(0)


def dialect(text: str) -> Dialect:
    """How the headings of a changelog in plain text are written; "" for a text that is none."""
    ways: tuple[tuple[Dialect, re.Pattern[str]], ...] = (("rst", _UNDERLINED), ("markdown", _HASHED), ("plain", _ALONE))
    for name, pattern in ways:
        found = [release for one in pattern.finditer(text) if (release := release_of(one.group(1)))]
        if len(found) >= 2 and any(release.is_sure for release in found):
            return name
    return ""
