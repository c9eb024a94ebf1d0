"""Tables with merged cells as true grids: a merged cell stands in every place it covers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

_WIDEST_SPAN = 200


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell and how many columns and rows it covers. `continues` says that it belongs to the one above (Word)."""

    text: str
    columns: int = 1
    rows: int = 1
    continues: bool = False


def grid(lines: Sequence[Sequence[Cell]]) -> list[list[str]]:
    """Return the texts of a table place by place."""
    found: list[list[str]] = []
    reaching: dict[int, tuple[int, str]] = {}
    for cells in lines:
        row: list[str] = []
        below: dict[int, tuple[int, str]] = {}
        for cell in cells:
            _from_above(row, reaching, below)
            text = found[-1][len(row)] if cell.continues and found and len(row) < len(found[-1]) else cell.text
            for _ in range(min(max(cell.columns, 1), _WIDEST_SPAN)):
                if cell.rows > 1:
                    below[len(row)] = (min(cell.rows, 10_000) - 1, text)
                row.append(text)
        _from_above(row, reaching, below)
        reaching = below
        found.append(row)
    return found


def _from_above(row: list[str], reaching: dict[int, tuple[int, str]], below: dict[int, tuple[int, str]]) -> None:
    while len(row) in reaching:
        left, text = reaching[len(row)]
        if left > 1:
            below[len(row)] = (left - 1, text)
        row.append(text)
