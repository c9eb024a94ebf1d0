"""A question's trace: what each stage saw, let through and took in time, as it is stored and as it is read again.

It holds ids, numbers, codes and settings, never text: what the ids stand for is read under the reader's own policies.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from answers.rules import gates
from answers.rules.lost import Passed
from retrieval.ranking.evidence import Passage, StageTrace

if TYPE_CHECKING:
    from answers.ask import AskSettings, Walk

SEARCH = "search."
KEPT, GIVEN = "kept", "given"
"""Passages as [chunk id, version id, start, end]. A purge takes the rows of its chunks out of every `candidates` (sql/0005)."""
CANDIDATES_KEPT = 100
"""As many as a list of the search has: "not in the list" can then be told from "not among those that were written down"."""


@dataclass(frozen=True, slots=True)
class Listed:
    """One list of the search: (chunk id, rank from 1, score) best first."""

    name: str
    ms: float
    note: str
    candidates: tuple[tuple[int, int, float], ...]

    def place_of(self, chunk_id: int) -> tuple[int, float] | None:
        return next(((rank, score) for chunk, rank, score in self.candidates if chunk == chunk_id), None)

    @property
    def chunk_ids(self) -> frozenset[int]:
        return frozenset(chunk for chunk, _, _ in self.candidates)


@dataclass(frozen=True, slots=True)
class Gate:
    """What the gates decided; `confidence` in [0, 1], None where no gate was reached."""

    reason: str = ""
    confidence: float | None = None


@dataclass(frozen=True, slots=True)
class Placed:
    """A passage by its chunk and its span in the version, which is wider where pieces were joined."""

    chunk_id: int
    version_id: int
    start: int
    end: int

    def holds(self, other: Placed) -> bool:
        inside = self.version_id == other.version_id and self.start <= other.start and other.end <= self.end
        return self.chunk_id == other.chunk_id or inside


@dataclass(frozen=True, slots=True)
class Traced:
    """A stored trace. `kept` are the passages of the search, `given` those of them that the writer got."""

    walked: tuple[tuple[str, float], ...]
    lists: tuple[Listed, ...]
    kept: tuple[Placed, ...]
    given: tuple[Placed, ...]
    gate: Gate
    configuration: Mapping[str, Any]

    def listed(self, name: str) -> Listed | None:
        return next((one for one in self.lists if one.name == name), None)

    def saw(self, chunk_id: int) -> bool:
        """Whether any list of the search had it."""
        return any(chunk_id in one.chunk_ids for one in self.lists)

    def passed(self, marked: Iterable[Placed], *, quoted: Iterable[Placed], declined_by: str) -> Passed:
        """What each stage let through, as the debugger's verdict on the marked chunks wants it.

        A list that was left out, and says why, counts as switched off.
        """
        own = tuple(marked)
        words, meaning, reranked = (self.listed(name) for name in ("words", "meaning", "reranked"))
        return Passed(
            words=words.chunk_ids if words and (words.candidates or not words.note) else None,
            meaning=meaning.chunk_ids if meaning and (meaning.candidates or not meaning.note) else None,
            kept=_among(own, self.kept),
            given=_among(own, self.given),
            quoted=_among(own, quoted),
            declined_by=declined_by,
            reranked=reranked.chunk_ids if reranked and reranked.candidates else None,
        )


def _among(marked: Iterable[Placed], passages: Iterable[Placed]) -> frozenset[int]:
    """The marked chunks that one of the passages holds."""
    found = tuple(passages)
    return frozenset(one.chunk_id for one in marked if any(passage.holds(one) for passage in found))


def trace_of(walk: Walk) -> list[dict[str, object]]:
    """What is stored of a finished walk."""
    decision = walk.decision
    gate: dict[str, object] = {
        "name": "gate",
        "reason": decision.reason if isinstance(decision, gates.Declined) else "",
        "confidence": round(decision.confidence, 4) if decision else None,
    }
    return [
        *stages_of(walk.result.stages, walk.stage_ms),
        {"name": KEPT, "candidates": [_span(passage) for passage in walk.result.passages]},
        {"name": GIVEN, "candidates": [_span(passage) for passage in walk.evidence]},
        gate,
        {"name": "configuration", "values": configuration_of(walk.settings)},
    ]


def _span(passage: Passage) -> list[int]:
    return [passage.chunk_id, passage.version_id, passage.start, passage.end]


def stages_of(stages: Sequence[StageTrace], stage_ms: Mapping[str, float]) -> list[dict[str, object]]:
    walked: list[dict[str, object]] = [{"name": name, "ms": round(ms, 2)} for name, ms in stage_ms.items()]
    searched = [
        {
            "name": SEARCH + stage.name,
            "ms": round(stage.ms, 2),
            "note": stage.note,
            "candidates": [
                [item.chunk_id, item.rank, round(item.score, 5)] for item in stage.candidates[:CANDIDATES_KEPT]
            ],
        }
        for stage in stages
    ]
    return walked + searched


def configuration_of(settings: AskSettings) -> dict[str, Any]:
    """What the config hash is made of, and the embedding model beside it."""
    plain = {
        name: value
        for name, value in asdict(settings).items()
        if name not in ("collection_ids", "thresholds", "embedder")
    }
    return {**plain, **asdict(settings.thresholds), "model": settings.embedder}


def read(stages: Sequence[Mapping[str, Any]]) -> Traced:
    """The stored trace. One of an older release has no `kept` and `given`: both are then empty."""
    named = {str(stage["name"]): stage for stage in stages}
    gate = named.get("gate", {})
    return Traced(
        walked=tuple(
            (name, float(stage["ms"])) for name, stage in named.items() if "ms" in stage and not name.startswith(SEARCH)
        ),
        lists=tuple(_listed(name, stage) for name, stage in named.items() if name.startswith(SEARCH)),
        kept=tuple(Placed(*span) for span in named.get(KEPT, {}).get("candidates", ())),
        given=tuple(Placed(*span) for span in named.get(GIVEN, {}).get("candidates", ())),
        gate=Gate(str(gate.get("reason", "")), gate.get("confidence")),
        configuration=named.get("configuration", {}).get("values", {}),
    )


def _listed(name: str, stage: Mapping[str, Any]) -> Listed:
    rows = tuple((int(chunk), int(rank), float(score)) for chunk, rank, score in stage.get("candidates", ()))
    return Listed(name.removeprefix(SEARCH), float(stage.get("ms", 0.0)), str(stage.get("note", "")), rows)
