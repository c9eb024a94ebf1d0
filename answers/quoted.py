"""What an answer quotes, read from its passages: one quote, or rows of one table that follow each other, at a time."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from answers.models import Answer, Citation
from documents.models import Version
from documents.text.blocks import Block, passage_blocks, unpacked, within
from documents.text.layout import Part, lay_out, plain, rows_in, table_of
from portal.scope import Scope

Span = tuple[int, int]


def cited_of(citations: Iterable[Citation]) -> dict[int, Citation]:
    return {citation.number: citation for citation in citations if citation.role == Citation.Role.CITED}


def blocks_of(scope: Scope, citations: Iterable[Citation]) -> dict[int, tuple[Block, ...]]:
    """By citation id, what its passage holds besides prose. Needs an open principal; one query."""
    cited = list(citations)
    stored = dict(
        Version.objects.visible_to(scope)
        .filter(pk__in={citation.version_id for citation in cited})
        .values_list("pk", "report__blocks")
    )
    whole = {pk: unpacked(blocks or ()) for pk, blocks in stored.items()}
    return {
        citation.pk: passage_blocks(
            within(whole.get(citation.version_id, ()), citation.start, citation.end), citation.kind, citation.passage
        )
        for citation in cited
    }


@dataclass(frozen=True, slots=True)
class Group:
    """What is shown as one quote: one span of a passage, or rows of one table that follow each other."""

    number: int
    citation: Citation | None
    spans: tuple[Span, ...]
    blocks: tuple[Block, ...]
    support: str = ""

    @property
    def is_gone(self) -> bool:
        return self.citation is None or self.citation.redacted

    @property
    def rows(self) -> tuple[Span, ...]:
        """The rows of a table that it quotes, when it quotes nothing else."""
        if self.citation is None or self.is_gone:
            return ()
        found = [rows_in(self.citation.passage, span) for span in self.spans]
        return tuple(row for rows in found for row in rows) if all(found) else ()


def groups_of(
    answer: Answer, cited: Mapping[int, Citation], blocks: Mapping[int, tuple[Block, ...]]
) -> tuple[Group, ...]:
    """Quotes stay apart, each its own words with its own marker; rows of a table are read together under its header."""
    groups: list[Group] = []
    checks = iter(answer.checks)
    for number, start, end in answer.quotes:
        citation = cited.get(number)
        support = next(checks, ("", []))[0]
        group = Group(number, citation, ((start, end),), blocks.get(citation.pk, ()) if citation else (), support)
        before = groups[-1] if groups else None
        if before and before.number == number and _same_table(before, group):
            worse = group.support if before.support == "supported" else before.support
            groups[-1] = replace(before, spans=(*before.spans, *group.spans), support=worse)
        else:
            groups.append(group)
    return tuple(groups)


def _same_table(before: Group, group: Group) -> bool:
    if group.citation is None or not (before.rows and group.rows):
        return False
    between = group.citation.passage[before.spans[-1][1] : group.spans[0][0]]
    return "\n\n" not in between


def parts_of(group: Group) -> tuple[Part, ...]:
    citation = group.citation
    if citation is None or group.is_gone:
        return ()
    if group.rows:
        return (table_of(citation.passage, group.rows, prefix=citation.prefix),)
    [(start, end)] = group.spans
    return lay_out(citation.passage[start:end], within(group.blocks, start, end))


def as_text(answer: Answer, citations: Sequence[Citation]) -> str:
    """The answer in plain text with its markers, as programs get it."""
    lines = []
    for group in groups_of(answer, cited_of(citations), {}):
        words = "(source removed)" if group.is_gone else plain(parts_of(group))
        lines.append(f"{words}\n[{group.number}]" if "\n" in words else f"{words} [{group.number}]")
    return "\n".join(lines)
