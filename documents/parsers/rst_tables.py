"""The tables of reStructuredText, drawn in characters: grid tables and simple tables as rows of cells."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

GRID_RULE = re.compile(r"^\+(?:[-=]+\+)+\s*$")
SIMPLE_RULE = re.compile(r"^={2,}(?:[ ]+={2,})+\s*$")
_SPAN_RULE = re.compile(r"^-{2,}(?:[ ]+-{2,})*\s*$")


@dataclass(frozen=True, slots=True)
class Drawn:
    """A table as rows of cell texts (not inline-parsed); `lines` is how many lines of the source it took."""

    rows: list[list[str]]
    header_rows: int
    lines: int


def grid_table(lines: Sequence[str]) -> Drawn:
    """Read a grid table that starts at the first line. A cell that spans columns stands in the first of them."""
    height = 0
    while height < len(lines) and lines[height].lstrip()[:1] in ("+", "|"):
        height += 1
    edges = sorted({position for line in lines[:height] if GRID_RULE.match(line) for position in _corners(line)})
    rows: list[list[str]] = []
    current: list[list[str]] = [[] for _ in edges[1:]]
    header_rows = 0
    for line in lines[:height]:
        if GRID_RULE.match(line) or (line.startswith("+") and set(line) <= set("+-=| ")):
            if any(current):
                rows.append(["\n".join(cell).strip() for cell in current])
                current = [[] for _ in edges[1:]]
            if "=" in line:
                header_rows = len(rows)
        else:
            for index, cell in _cut_grid(line, edges):
                current[index].append(cell.strip())
    return Drawn(rows, header_rows, height)


def _corners(line: str) -> list[int]:
    return [position for position, char in enumerate(line) if char == "+"]


def _cut_grid(line: str, edges: Sequence[int]) -> list[tuple[int, str]]:
    """Cut a line at those column edges where a bar really stands."""
    bars = [index for index, edge in enumerate(edges) if edge < len(line) and line[edge] in "|+"]
    return [(left, line[edges[left] + 1 : edges[right]]) for left, right in pairwise(bars)]


def simple_table(lines: Sequence[str]) -> Drawn:
    """Read a simple table that starts at the first line. A row without a first cell goes on the row above."""
    rules = [index for index, line in enumerate(lines) if SIMPLE_RULE.match(line)]
    end = _simple_end(lines, rules)
    spans = [found.span() for found in re.finditer("=+", lines[0])]
    rows: list[list[str]] = []
    header_rows = 0
    for index in range(1, end):
        line = lines[index]
        if SIMPLE_RULE.match(line):
            header_rows = len(rows)
        elif line.strip() and not _SPAN_RULE.match(line):
            cells = _cut_simple(line, spans)
            if rows and not cells[0] and len(rows) > header_rows:
                rows[-1] = ["\n".join(part for part in pair if part) for pair in zip(rows[-1], cells, strict=True)]
            else:
                rows.append(cells)
    return Drawn(rows, header_rows if len(rules) > 2 else 0, end + 1)


def _simple_end(lines: Sequence[str], rules: Sequence[int]) -> int:
    """The closing rule is the first one that a blank line or the end follows, after the second rule at the least."""
    for index in rules[1:]:
        if index + 1 >= len(lines) or not lines[index + 1].strip():
            return index
    return len(lines) - 1


def _cut_simple(line: str, spans: Sequence[tuple[int, int]]) -> list[str]:
    starts = [start for start, _ in spans]
    ends = [*starts[1:], len(line) + 1]
    return [line[start:end].strip() for start, end in zip(starts, ends, strict=True)]
