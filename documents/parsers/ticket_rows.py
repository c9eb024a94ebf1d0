"""Tickets in a sheet, as help desks export their views: told by the header, one row an entry."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from documents.parsers.records import Records, TooMuch
from documents.parsers.ticket import Comment, Ticket, add_ticket

_IDS: Final = (
    "issue key",
    "ticket id",
    "ticket number",
    "ticket #",
    "display id",
    "id",
    "number",
    "key",
    "issue id",
    "#",
)
_TITLES: Final = ("subject", "summary", "title", "raw subject")
_STATES: Final = ("status", "state", "ticket status", "status name")
_URLS: Final = ("url", "html url", "link", "ticket url", "issue url", "permalink")
_BODIES: Final = ("description", "body", "description text", "description html", "details")
_COMMENTS: Final = ("comment", "comments", "notes", "conversation", "conversations", "replies")
_DATES: Final = ("created at", "created time", "created", "createdat", "date created", "opened at")
_PEOPLE: Final = (
    "requester", "requester email", "requester id", "requester name", "reporter", "assignee", "agent", "author", "full name",
    "priority", "group", "labels", "issue type", "ticket type", "via", "source", "tags", "submitter",
)  # fmt: skip
_NOTHING: Final = frozenset(("null", "none", "nil", "n/a", "nan", "-", "\\n"))
_JIRA_COMMENT = re.compile(r"^([^;\n]{6,30});([^;\n]{0,100});(.*)$", re.DOTALL)


class Columns:
    """Where the header says that things stand."""

    def __init__(self, header: Sequence[str]) -> None:
        self.names = [" ".join(name.split()) for name in header]
        self._plain = [name.lower().replace("_", " ") for name in self.names]
        self.ident, self.title, self.state = self._first(_IDS), self._first(_TITLES), self._first(_STATES)
        self.url, self.created = self._first(_URLS), self._first(_DATES)
        self.bodies = [at for at, name in enumerate(self._plain) if name in _BODIES]
        self.comments = [at for at, name in enumerate(self._plain) if name in _COMMENTS]

    @property
    def are_of_tickets(self) -> bool:
        """An identity, a title, a state, and one thing more that only tickets have."""
        more = bool(self.bodies or self.comments or self.created >= 0) or any(name in _PEOPLE for name in self._plain)
        return min(self.ident, self.title, self.state) >= 0 and more and len(self.names) <= 2_000

    def ticket(self, row: Sequence[str]) -> Ticket:
        cells = ["" if cell.strip().lower() in _NOTHING else cell.strip() for cell in row]
        ident, url = _cell(cells, self.ident), _cell(cells, self.url)
        told = {self.ident, self.title, self.url, *self.bodies, *self.comments}
        facts = [(name, _cell(cells, at)) for at, name in enumerate(self.names) if at not in told]
        facts += [(f"Column {at + 1}", cell) for at, cell in enumerate(cells) if at >= len(self.names)]
        created = _cell(cells, self.created)
        return Ticket(
            ident=ident.lstrip("#"),
            name=self._name(ident, url),
            title=_cell(cells, self.title),
            url=url,
            facts=facts,
            words="\n\n".join(filter(None, (_cell(cells, at) for at in self.bodies))),
            comments=[*self._comments(cells)],
            date=created,
        )

    def _first(self, names: Sequence[str]) -> int:
        """The column with the best of these names, -1 for none."""
        return next((self._plain.index(name) for name in names if name in self._plain), -1)

    def _name(self, ident: str, url: str) -> str:
        bare = ident.lstrip("#")
        if not bare.isdecimal():
            return ident
        return f"#{bare}" if "github" in url or self._plain[self.ident] == "number" else f"Ticket {bare}"

    def _comments(self, cells: Sequence[str]) -> Iterator[Comment]:
        """Jira writes `when;who;what` into a column for each comment."""
        for at in self.comments:
            cell = _cell(cells, at)
            if found := _JIRA_COMMENT.match(cell):
                yield Comment(found.group(2), found.group(1), found.group(3))
            elif cell and not cell.isdecimal():
                yield Comment("", "", cell)


def _cell(cells: Sequence[str], at: int) -> str:
    return cells[at] if 0 <= at < len(cells) else ""


def add_ticket_rows(records: Records, columns: Columns, rows: Iterable[Sequence[str]]) -> None:
    """Add each row as a ticket; empty rows go. Raises TooMuch."""
    for row in rows:
        if any(cell.strip() for cell in row):
            if records.builder.characters > records.most_characters:
                raise TooMuch
            add_ticket(records, columns.ticket(row))
