"""Forgetting is proved and finished by parts that the one who forgets may not import: `portal` owns the calls, they register.

settings.RETRIEVAL_PROBE, settings.REDACTORS and settings.SWEEPERS name the functions.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol, cast

from django.conf import settings
from django.utils.module_loading import import_string

from portal.scope import Scope


@dataclass(frozen=True, slots=True)
class Sample:
    """A passage to look for once it is gone: a sentence of it, and its vector under the live model ([] when it had none)."""

    chunk_id: int
    sentence: str
    vector: Sequence[float]


@dataclass(frozen=True, slots=True)
class Found:
    """Which passages of the document a search still gave, by chunk id. All empty is what a deletion promises."""

    by_id: frozenset[int] = frozenset()
    by_sentence: frozenset[int] = frozenset()
    by_neighbours: frozenset[int] = frozenset()

    @property
    def any(self) -> frozenset[int]:
        return self.by_id | self.by_sentence | self.by_neighbours


class Probe(Protocol):
    """Look for a document as a question would, through the read walk, as `scope`. Opens its own principal on `serve`."""

    def __call__(
        self, scope: Scope, document_id: int, *, chunk_ids: Sequence[int], samples: Sequence[Sample]
    ) -> Found: ...


class Redactor(Protocol):
    """Blank what this part keeps of a deleted document, or of one version that answers no more, for everybody.

    Returns how many of what. Needs an open principal.
    """

    def __call__(self, scope: Scope, document_id: int, *, version_id: int | None = None) -> Mapping[str, int]: ...


class Sweeper(Protocol):
    """Remove what this part keeps no longer than it is of use; returns how many rows. Opens its own connection."""

    def __call__(self) -> int: ...


def probe() -> Probe:
    return cast("Probe", import_string(settings.RETRIEVAL_PROBE))


def redact(scope: Scope, document_id: int, *, version_id: int | None = None) -> dict[str, int]:
    """Every registered part's counts, in one mapping."""
    counts: dict[str, int] = {}
    for path in settings.REDACTORS:
        counts |= cast("Redactor", import_string(path))(scope, document_id, version_id=version_id)
    return counts


def sweep() -> int:
    """What every registered part keeps no longer than it is of use, removed through the worker's role; how many rows."""
    return sum(cast("Sweeper", import_string(path))() for path in settings.SWEEPERS)
