"""Take a file that is marked up line by line apart: what waits for its end becomes a paragraph, a list, a table."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from documents.parsers.builder import Builder

_RULE = re.compile(r"^\s*\|[-+|:=\s]+\|?\s*$")


class Lines:
    """The lines of a file from top to bottom, and the paragraph or list that is open.

    `inline` gives the words of a line without its marks.
    """

    def __init__(self, builder: Builder, text: str, inline: Callable[[str], str]) -> None:
        self._builder = builder
        self._lines = text.split("\n")
        self._inline = inline
        self._at = 0
        self._open: list[str] = []
        self._is_list = False

    @property
    def at_end(self) -> bool:
        return self._at >= len(self._lines)

    def take(self) -> str:
        """The next line."""
        self._at += 1
        return self._lines[self._at - 1]

    def upto(self, end: re.Pattern[str]) -> list[str]:
        """The lines before the first that matches; that one is taken too. All that are left when none does."""
        first = self._at
        while not self.at_end:
            if end.match(self.take()):
                return self._lines[first : self._at - 1]
        return self._lines[first:]

    def while_matches(self, pattern: re.Pattern[str]) -> list[str]:
        first = self._at
        while not self.at_end and pattern.match(self._lines[self._at]):
            self._at += 1
        return self._lines[first : self._at]

    def heading(self, level: int, text: str) -> None:
        self.flush()
        self._builder.heading(level, self._inline(text))

    def code(self, body: Sequence[str], language: str = "") -> None:
        self.flush()
        self._builder.code("\n".join(body), language)

    def paragraph(self, body: Sequence[str]) -> None:
        """Words that stand by themselves."""
        self.flush()
        for line in body:
            self.words(line)
        self.flush()

    def item(self, line: str) -> None:
        """The first line of an item, with its mark."""
        if not self._is_list:
            self.flush()
            self._is_list = True
        self._open.append(self._inline(line).rstrip())

    def words(self, line: str) -> None:
        """A line of the paragraph or item that is open; an empty one ends it."""
        if not line.strip():
            self.flush()
        elif self._is_list and self._open:
            self._open[-1] += " " + self._inline(line.strip())
        else:
            self._open.append(self._inline(line.strip()))

    def table(self, drawn: Sequence[str]) -> None:
        """A table drawn with bars; a line that is a rule only parts the header from the rest."""
        self.flush()
        rows = [[self._inline(cell.strip()) for cell in line.strip().strip("|").split("|")]
                for line in drawn if not _RULE.match(line)]  # fmt: skip
        self._builder.table(rows, header_rows=1 if len(rows) > 1 else 0)

    def flush(self) -> None:
        if self._open and self._is_list:
            self._builder.items("\n".join(self._open))
        elif self._open:
            self._builder.prose("\n".join(self._open))
        self._open = []
        self._is_list = False
