"""Where the words of a text lead: links as spans of the canonical text, their targets as the file gives them."""

from __future__ import annotations

import posixpath
import re
from bisect import bisect_left
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from urllib.parse import unquote, urljoin

from documents.text.addresses import LONGEST, UNSEEN, web_address
from documents.text.units import Placed

MOST = 5_000
_SCHEME = re.compile(r"^[a-zA-Z][a-zA-Z0-9+.-]*:")


@dataclass(frozen=True, slots=True)
class Link:
    """`canonical[start:end]` leads to `target`: a web address, or a path relative to the file."""

    start: int
    end: int
    target: str


def link_target(href: str) -> str:
    """Return what a link leads to, "" for a place on the same page, a script, a mail address and what hides where it leads."""
    text = href.strip()
    if _SCHEME.match(text):
        return web_address(text)
    is_path = text and text[0] not in "#\\" and not text.startswith("//") and len(text) <= LONGEST
    return text if is_path and not UNSEEN.search(text) else ""


def links_of(placed: Sequence[Placed]) -> tuple[Link, ...]:
    """The links of sections where their words stand, in order and apart; one whose words cannot be located is left out."""
    found: list[Link] = []
    for one in placed:
        at = 0
        for words, target in one.section.links:
            where = one.section.text.find(words, at)
            if where >= 0 and len(found) < MOST:
                at = where + len(words)
                found.append(Link(one.start + where, one.start + at, target))
    return tuple(found)


def within(links: Sequence[Link], start: int, end: int) -> tuple[Link, ...]:
    """The links whose words lie in canonical[start:end], counted from `start`."""
    first = bisect_left(links, start, key=lambda link: link.start)
    return tuple(Link(one.start - start, one.end - start, one.target) for one in _until(links[first:], end))


def _until(links: Sequence[Link], end: int) -> Iterable[Link]:
    for one in links:
        if one.end > end:
            return
        yield one


def resolved(target: str, base: str) -> str:
    """The web address of a target on a page at `base`; "" for a relative one without a base."""
    if _SCHEME.match(target):
        return web_address(target)
    return web_address(urljoin(base, target)) if base else ""


def path_beside(target: str, name: str) -> str:
    """The name of the file that a relative target leads to from the file `name`; "" when it leads out of the folder."""
    if _SCHEME.match(target) or target.startswith("/"):
        return ""
    bare = unquote(target.partition("#")[0].partition("?")[0])
    path = posixpath.normpath(posixpath.join(posixpath.dirname(name), bare)) if bare else ""
    return "" if path.startswith("..") or path == "." else path


def packed(links: Iterable[Link]) -> list[list[int | str]]:
    """As JSON keeps them: [start, end, target]."""
    return [[one.start, one.end, one.target] for one in links]


def unpacked(stored: Iterable[Sequence[object]]) -> tuple[Link, ...]:
    """The links that `packed` wrote, or an older version's none. Raises ValueError or TypeError for anything else."""
    found = []
    before = 0
    for start, end, target in stored:
        if type(start) is not int or type(end) is not int or not isinstance(target, str):
            raise ValueError("not a link")
        if not before <= start < end or link_target(target) != target or not target:
            raise ValueError("not a link")
        found.append(Link(start, end, target))
        before = end
    return tuple(found)
