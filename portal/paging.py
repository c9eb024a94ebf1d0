"""Links between the pages of a list."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from django.core.paginator import Page as Slice


@dataclass(frozen=True, slots=True)
class Page:
    """What _pagination.html shows: "51–100 of 1,284" and the neighbours' addresses, "" at the ends."""

    label: str
    of: str
    previous_url: str = ""
    next_url: str = ""


def page_of(current: Slice[Any], *, url: str, query: dict[str, str], of: str) -> Page | None:
    """The links around `current`; None when everything stands on one page."""
    if current.paginator.num_pages < 2:
        return None

    def address(number: int) -> str:
        return f"{url}?{urlencode({**query, 'page': str(number)})}"

    return Page(
        label=f"{current.start_index():,}–{current.end_index():,} of {current.paginator.count:,}",
        of=of,
        previous_url=address(current.previous_page_number()) if current.has_previous() else "",
        next_url=address(current.next_page_number()) if current.has_next() else "",
    )
