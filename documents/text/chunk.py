"""Cut a document into pieces: along its structure first, packed to a budget of tokens, with exact offsets."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from documents.text.headings import common
from documents.text.piece import ChunkProfile, Piece
from documents.text.section import Parsed
from documents.text.units import Count, Placed, Unit, cut, tile

# A section below this share of the budget is packed together with its neighbour under the same parent.
_SMALL_SHARE = 0.25
# Title and headings, and a repeated table header, may each take up to this share of the budget.
_LEAD_SHARE = 0.4


@dataclass(frozen=True, slots=True)
class _Group:
    """Sections that may share a piece: a heading (or a chain of them) and what stands under it, on one page."""

    placed: tuple[Placed, ...]
    path: tuple[str, ...]
    page: int | None
    tokens: int
    entry: int = 0

    @property
    def is_headings_only(self) -> bool:
        return all(placed.section.kind == "heading" for placed in self.placed)


def canonical(parsed: Parsed) -> tuple[str, list[Placed]]:
    """Return the canonical text, the sections' texts joined by a blank line, and where each section stands in it."""
    placed: list[Placed] = []
    position = 0
    for section in parsed.sections:
        placed.append(Placed(section, position, position + len(section.text)))
        position += len(section.text) + 2
    return "\n\n".join(section.text for section in parsed.sections), placed


def fit_title(title: str, profile: ChunkProfile, count: Count) -> str:
    """Return as much of a title as leaves room for text: at most a quarter of the budget."""
    most = profile.max_tokens // 4
    while title and count(title) > most:
        title = title[: len(title) * 3 // 4].rstrip()
    return title


def chunk(parsed: Parsed, profile: ChunkProfile, count: Count, *, title: str = "") -> list[Piece]:
    """Return the pieces of a document in order; every non-space character of the canonical text lies in at least one.

    `count` gives the size of a text in tokens of the embedding model. No piece is larger than `profile.max_tokens` with
    its title, headings and repeated header, as long as the title is one that `fit_title` gave.
    """
    text, placed = canonical(parsed)
    return _Cutter(text, profile, count, title).pieces(placed)


class _Cutter:
    def __init__(self, text: str, profile: ChunkProfile, count: Count, title: str) -> None:
        self.text = text
        self.profile = profile
        self.title = title
        self._raw_count = count
        self._per_text = count("")  # markers that the model puts around any text
        self._leads: dict[tuple[str, ...], tuple[tuple[str, ...], int]] = {}

    def pieces(self, placed: Sequence[Placed]) -> list[Piece]:
        groups = self._groups(placed)
        if self.profile.splitter == "structure":
            groups = self._merge_small(groups)
        found: list[Piece] = []
        for group in groups:
            for piece in self._pieces_of(group):
                _add(found, piece)
        return [replace(piece, ordinal=ordinal) for ordinal, piece in enumerate(found)]

    def count(self, text: str) -> int:
        return self._raw_count(text) - self._per_text

    def _groups(self, placed: Sequence[Placed]) -> list[_Group]:
        """Split the sections where the splitter lets a piece end at the latest."""
        found: list[_Group] = []
        for one in placed:
            section = one.section
            added = _Group((one,), section.heading_path, section.page, self.count(section.text), section.entry)
            if found and self._belongs(found[-1], added):
                found[-1] = _joined(found[-1], added, path=self._joined_path(found[-1], added))
            else:
                found.append(added)
        return found

    def _belongs(self, group: _Group, added: _Group) -> bool:
        if group.entry != added.entry and (group.entry or not group.is_headings_only):
            return False
        if self.profile.splitter == "window":
            return True
        if self.profile.splitter == "whole":
            return bool(added.entry) or group.is_headings_only or group.path[:1] == added.path[:1]
        if group.is_headings_only:
            return True
        return not added.is_headings_only and group.page == added.page and group.path == added.path

    def _joined_path(self, group: _Group, added: _Group) -> tuple[str, ...]:
        if self.profile.splitter == "window" or group.entry:
            return group.path
        if self.profile.splitter == "whole":
            return (added.path if group.is_headings_only else group.path)[:1]
        return added.path if group.is_headings_only else group.path

    def _merge_small(self, groups: list[_Group]) -> list[_Group]:
        """Pack neighbours under the same parent into one piece where one of them is too small to stand alone."""
        small = self.profile.max_tokens * _SMALL_SHARE
        found: list[_Group] = []
        for group in groups:
            if found and min(found[-1].tokens, group.tokens) < small:
                shared = common(found[-1].path, group.path)
                near = len(shared) >= min(len(found[-1].path), len(group.path)) - 1
                fits = found[-1].tokens + group.tokens <= self._budget(shared)
                if near and fits and found[-1].page == group.page and found[-1].entry == group.entry:
                    found[-1] = _joined(found[-1], group, path=shared)
                    continue
            found.append(group)
        return found

    def _pieces_of(self, group: _Group) -> Iterator[Piece]:
        budget = self._budget(group.path)
        if group.tokens <= budget:
            whole = [Unit(one.start, one.end, 0, one) for one in group.placed]
            piece = self._piece(whole, group)
            if self._fits(piece):
                yield piece
                return
        for units in self._packed(group, budget):
            yield from self._verified(units, group)

    def _packed(self, group: _Group, budget: int) -> Iterator[list[Unit]]:
        """Fill pieces evenly up to the budget, ending at a section where that is near, and overlap inside sections."""
        parts = -(-group.tokens // budget)
        enough = min(budget * 0.9, group.tokens / parts)
        held: list[Unit] = []
        size = 0
        fresh = 0
        for unit in self._units(group, budget):
            ends_section = bool(held) and held[-1].placed is not unit.placed
            is_heading = ends_section and held[-1].placed.section.kind == "heading"
            if fresh and (size + unit.tokens > budget or (ends_section and not is_heading and size >= enough)):
                moved = self._headings_at_end(held, unit)
                moved = moved if len(moved) < fresh else []
                yield held[: len(held) - len(moved)]
                held = moved or self._overlap(held[-fresh:], unit)
                size = sum(one.tokens for one in held) + self._header_tokens([*held, unit])
                if held and size + unit.tokens > budget:
                    if moved:
                        yield moved
                    held, size = [], self._header_tokens([unit])
                fresh = 0
            held.append(unit)
            size += unit.tokens
            fresh += 1
        if fresh:
            yield held

    def _units(self, group: _Group, budget: int) -> Iterator[Unit]:
        for placed in group.placed:
            most = budget
            if placed.section.header:
                most = max(1, budget - self._header_size(placed.section.header))
            yield from tile(self.text, placed, self.count, most)

    def _headings_at_end(self, held: list[Unit], following: Unit) -> list[Unit]:
        """Headings at the end of a full piece, which belong to what follows."""
        kept = len(held)
        while (
            kept and held[kept - 1].placed.section.kind == "heading" and following.placed is not held[kept - 1].placed
        ):
            kept -= 1
        return held[kept:]

    def _overlap(self, held: list[Unit], following: Unit) -> list[Unit]:
        """The last whole sentences of a piece, when the cut falls inside a section of prose."""
        most = 0 if self.profile.splitter == "whole" else self.profile.overlap_tokens
        kept = len(held)
        size = 0
        while kept > 1 and self._may_repeat(held[kept - 1], following) and size + held[kept - 1].tokens <= most:
            kept -= 1
            size += held[kept].tokens
        return held[kept:]

    def _may_repeat(self, unit: Unit, following: Unit) -> bool:
        if self.profile.splitter == "window":
            return unit.placed.section.kind != "table"
        return unit.placed is following.placed and unit.placed.section.kind in ("prose", "list")

    def _verified(self, units: list[Unit], group: _Group) -> Iterator[Piece]:
        """Yield the piece, or halves of it when the parts together are larger than their sum."""
        piece = self._piece(units, group)
        if self._fits(piece):
            yield piece
            return
        if len(units) == 1:
            smaller = max(1, units[0].tokens // 2)
            units = cut(self.text, units[0], self.count, smaller)
            if len(units) == 1:
                yield replace(piece, prefix="", heading_path=())
                return
        middle = len(units) // 2
        yield from self._verified(units[:middle], group)
        yield from self._verified(units[middle:], group)

    def _fits(self, piece: Piece) -> bool:
        return self._raw_count(piece.searchable_text(self.title)) <= self.profile.max_tokens

    def _piece(self, units: list[Unit], group: _Group) -> Piece:
        start, end = units[0].start, units[-1].end
        sections = [unit.placed.section for unit in units]
        bodies = [section for section in sections if section.kind != "heading"] or sections
        kinds = {section.kind for section in bodies}
        path = group.path if self.profile.splitter == "structure" else bodies[0].heading_path
        return Piece(
            ordinal=0,
            start=start,
            end=end,
            text=self.text[start:end],
            heading_path=self._lead(path)[0],
            page=bodies[0].page,
            kind=kinds.pop() if len(kinds) == 1 else "prose",
            prefix=self._prefix(units),
            entry=group.entry,
        )

    def _prefix(self, units: list[Unit]) -> str:
        """The table header, for a piece that starts below it."""
        first = units[0]
        header = first.placed.section.header
        starts_below = first.start >= first.placed.start + len(header)
        return header if header and starts_below and self._header_size(header) else ""

    def _header_tokens(self, units: list[Unit]) -> int:
        header = self._prefix(units)
        return self._header_size(header) if header else 0

    def _header_size(self, header: str) -> int:
        """Tokens of a repeated header, or 0 when it is so large that it is not repeated."""
        size = self.count(header)
        return size if size <= self.profile.max_tokens * _LEAD_SHARE else 0

    def _budget(self, path: tuple[str, ...]) -> int:
        return max(1, self.profile.max_tokens - self._per_text - self._lead(path)[1])

    def _lead(self, path: tuple[str, ...]) -> tuple[tuple[str, ...], int]:
        """The headings that are repeated before a piece, without the outermost when they are absurd; title and all."""
        if path not in self._leads:
            kept = path
            size = self._lead_size(kept)
            while kept and size > self.profile.max_tokens * _LEAD_SHARE:
                kept = kept[1:]
                size = self._lead_size(kept)
            self._leads[path] = kept, size
        return self._leads[path]

    def _lead_size(self, path: tuple[str, ...]) -> int:
        lead = " › ".join(part for part in (self.title, *path) if part)
        return self.count(lead) if lead else 0


def _joined(group: _Group, added: _Group, *, path: tuple[str, ...]) -> _Group:
    page = added.page if group.is_headings_only else group.page
    return _Group(group.placed + added.placed, path, page, group.tokens + added.tokens, added.entry or group.entry)


def _add(found: list[Piece], piece: Piece) -> None:
    """Keep what says something that its neighbour does not: a part cut in halves may leave one that is all overlap."""
    if found and piece.end <= found[-1].end:
        return
    while found and piece.start <= found[-1].start:
        found.pop()
    found.append(piece)
