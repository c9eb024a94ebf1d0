"""What became of an answer's sources since: replaced by a newer version, switched off, or gone. Computed when read."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from answers.models import Answer, Citation
from documents.models import Document
from portal.scope import Scope

FOR_STANDING = ("answer_id", "document_id", "version_id", "role", "redacted")
"""The columns of the citations that are looked at."""
Fate = Literal["current", "changed", "disabled", "removed"]


@dataclass(frozen=True, slots=True)
class Standing:
    """Of the passages that an answer cites, how many are no longer what they were. All zero while nothing changed."""

    cited: int = 0
    changed: int = 0
    disabled: int = 0
    removed: int = 0

    @property
    def is_stale(self) -> bool:
        return bool(self.changed or self.disabled or self.removed)

    @property
    def label(self) -> str:
        """For a line of the history, the gravest first; "" while nothing changed."""
        if self.removed:
            return "Source removed"
        if self.disabled:
            return "Source switched off"
        return "Source changed since" if self.changed else ""

    @property
    def sentence(self) -> str:
        """For the answer's page, "" while nothing changed."""
        said = [
            _said(self.changed, "has a newer version", "have a newer version"),
            _said(self.disabled, "is switched off", "are switched off"),
            _said(self.removed, "was removed or is out of your sight", "were removed or are out of your sight"),
        ]
        parts = [part for part in said if part]
        return f"Since this answer, of its {_count(self.cited)}: {'; '.join(parts)}." if parts else ""


def _said(count: int, one: str, many: str) -> str:
    return "" if not count else f"{count} {one if count == 1 else many}"


def _count(cited: int) -> str:
    return f"{cited} cited passage" + ("" if cited == 1 else "s")


@dataclass(frozen=True, slots=True)
class _Held:
    live_version_id: int | None
    is_disabled: bool


def standings(scope: Scope, answers: Iterable[Answer], citations: Iterable[Citation]) -> dict[int, Standing]:
    """By answer id, from rows already read. Needs an open principal; one query however many there are.

    A source that the scope no longer sees counts as removed: which of the two it is, is not told.
    """
    rows = [row for row in citations if row.role == Citation.Role.CITED]
    held = _held(scope, rows)
    fates: dict[int, Counter[Fate]] = {}
    for row in rows:
        fates.setdefault(row.answer_id, Counter())[_fate(row, held)] += 1
    return {answer.pk: _standing(answer, fates.get(answer.pk, Counter())) for answer in answers}


def _held(scope: Scope, citations: Sequence[Citation]) -> dict[int, _Held]:
    documents = Document.objects.visible_to(scope).filter(
        pk__in={row.document_id for row in citations}, deleted_at__isnull=True
    )
    values = documents.values_list("pk", "live_version_id", "disabled_at")
    return {pk: _Held(live, disabled is not None) for pk, live, disabled in values}


def _fate(citation: Citation, held: Mapping[int, _Held]) -> Fate:
    document = held.get(citation.document_id)
    if document is None:
        return "removed"
    if document.is_disabled:
        return "disabled"
    if citation.redacted:
        return "removed"
    return "current" if document.live_version_id == citation.version_id else "changed"


def _standing(answer: Answer, fates: Counter[Fate]) -> Standing:
    """Citations that the policies hide leave their numbers in the quotes: those are counted as removed too."""
    seen = fates.total()
    cited = max(seen, len({number for number, *_ in answer.quotes}))
    removed = fates["removed"] + cited - seen
    return Standing(cited, fates["changed"], fates["disabled"], removed)
