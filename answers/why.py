"""Why this answer: its stored trace with every label ready, ids turned into words under the reader's own policies."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.urls import reverse

from answers.models import Answer, Citation, Trace
from answers.trace import Listed, Placed, Traced, read
from documents.models import Chunk
from portal.problems import words_for
from portal.scope import Scope

SHOWN = 20
LISTS = {"words": "Words (BM25)", "meaning": "Meaning (cosine)", "fused": "Together", "reranked": "Reranker"}
SEARCH_STAGES = {
    **LISTS,
    "filters": "Filters",
    "phrases": "Exact phrases",
    "passages": "Texts of the best",
    "joined": "Pieces joined",
}
STAGES = {
    "validate": "Checked and counted",
    "guard": "Guard",
    "fingerprint": "Fingerprint",
    "rewrite": "Rewritten as a question of its own",
    "embed": "Question's vector",
    "cache": "Earlier answers looked through",
    "search": "Search",
    "gates": "Gates",
    "write": "Writing",
    "audit": "Citation audit",
    "persist": "Kept",
}


@dataclass(frozen=True, slots=True)
class Timed:
    """A stage with its share of the whole time, in [0, 100]."""

    name: str
    ms_label: str
    note: str
    share: int


@dataclass(frozen=True, slots=True)
class Candidate:
    """A passage with its place in each list; `title` is "" when its document is gone or out of sight."""

    number: int
    title: str
    where: str
    version_label: str
    url: str
    places: tuple[tuple[str, str], ...]
    fate: str


@dataclass(frozen=True, slots=True)
class Why:
    """What answer_why.html shows."""

    ref: str
    question: str
    answered_at: datetime
    timed: tuple[Timed, ...]
    lists: tuple[str, ...]
    candidates: tuple[Candidate, ...]
    gate_label: str
    facts: tuple[tuple[str, str], ...]
    settings: tuple[tuple[str, str], ...]


def show(scope: Scope, answer: Answer) -> Why:
    """Needs an open principal; four queries whatever the trace holds."""
    stages = Trace.objects.visible_to(scope).filter(answer=answer).values_list("stages", flat=True).first()
    traced = read(stages or ())
    return Why(
        ref=answer.ref,
        question=answer.question.text,
        answered_at=answer.created_at,
        timed=tuple(_timed(traced)),
        lists=tuple(LISTS.get(one.name, one.name) for one in _lists(traced)),
        candidates=candidates_of(scope, traced, _quoted(scope, answer)),
        gate_label=_gate_label(answer, traced),
        facts=tuple(_facts(answer)),
        settings=tuple((name.replace("_", " "), _plain(value)) for name, value in traced.configuration.items()),
    )


def _quoted(scope: Scope, answer: Answer) -> dict[int, Placed]:
    """By citation number, what the answer cites."""
    rows = Citation.objects.visible_to(scope).filter(answer=answer, role=Citation.Role.CITED).order_by("number")
    return {n: Placed(*span) for n, *span in rows.values_list("number", "chunk_id", "version_id", "start", "end")}


def _timed(traced: Traced) -> Iterable[Timed]:
    whole = sum(ms for _, ms in traced.walked) or 1.0
    for name, ms in traced.walked:
        yield Timed(STAGES.get(name, name), ms_label(ms), "", round(100 * ms / whole))
        if name == "search":
            yield from (
                Timed(
                    f"… {SEARCH_STAGES.get(one.name, one.name)}",
                    ms_label(one.ms),
                    _note(one),
                    round(100 * one.ms / whole),
                )
                for one in traced.lists
            )


def ms_label(ms: float) -> str:
    return f"{ms:.0f} ms" if ms >= 10 else f"{ms:.1f} ms"


def _note(one: Listed) -> str:
    return words_for(one.note).title if one.note.startswith(("retrieval.", "documents.")) else one.note


def _lists(traced: Traced) -> list[Listed]:
    return [one for one in traced.lists if one.candidates]


def candidates_of(scope: Scope, traced: Traced, quoted: Mapping[int, Placed]) -> tuple[Candidate, ...]:
    """The passages that were kept, then the best of the rest, each with its place in every list and what became of it."""
    fused = traced.listed("fused")
    rest = [chunk for chunk, _, _ in fused.candidates] if fused else []
    chunk_ids = list(dict.fromkeys([*(one.chunk_id for one in traced.kept), *rest]))[:SHOWN]
    chunks = rows_of(scope, chunk_ids)
    return tuple(
        _candidate(number, chunk_id, chunks.get(chunk_id), traced, quoted)
        for number, chunk_id in enumerate(chunk_ids, 1)
    )


def rows_of(scope: Scope, chunk_ids: Sequence[int]) -> dict[int, Chunk]:
    """By id, those of a document that is still there and in sight. One query."""
    rows = Chunk.objects.visible_to(scope).filter(pk__in=chunk_ids, document__deleted_at__isnull=True)
    rows = rows.select_related("document", "version")
    return {row.pk: row for row in rows.defer("text", "version__text", "version__report", "version__boxes")}


def _candidate(
    number: int, chunk_id: int, chunk: Chunk | None, traced: Traced, quoted: Mapping[int, Placed]
) -> Candidate:
    places = tuple((LISTS.get(one.name, one.name), _place(one, chunk_id)) for one in _lists(traced))
    fate = _fate(chunk_id, chunk, traced, quoted)
    if chunk is None:
        return Candidate(number, "", "", "", "", places, fate)
    return Candidate(
        number=number,
        title=chunk.document.title or chunk.document.name,
        where=" › ".join(chunk.heading_path) + (f", page {chunk.page}" if chunk.page else ""),
        version_label=_version_label(chunk),
        url=address_of(chunk),
        places=places,
        fate=fate,
    )


def address_of(chunk: Chunk) -> str:
    old = "" if chunk.document.live_version_id == chunk.version_id else f"&version={chunk.version.ref}"
    return f"{reverse('document', args=[chunk.document.ref])}?chunk={chunk.pk}{old}"


def _version_label(chunk: Chunk) -> str:
    live = chunk.document.live_version_id == chunk.version_id
    return f"version {chunk.version.number}" + ("" if live else ", replaced since")


def _place(one: Listed, chunk_id: int) -> str:
    place = one.place_of(chunk_id)
    return "–" if place is None else f"{place[0]} ({place[1]:.3f})"


def _fate(chunk_id: int, chunk: Chunk | None, traced: Traced, quoted: Mapping[int, Placed]) -> str:
    span = (chunk.version_id, chunk.start, chunk.end) if chunk else (0, 0, 0)
    placed = Placed(chunk_id, *span)
    if number := next((number for number, one in quoted.items() if one.holds(placed)), None):
        return f"quoted as source {number}"
    if any(one.holds(placed) for one in traced.given):
        return "given, not quoted"
    if any(one.holds(placed) for one in traced.kept):
        return "dropped by the budget"
    return "not kept"


def _gate_label(answer: Answer, traced: Traced) -> str:
    sure = "" if traced.gate.confidence is None else f" Confidence {traced.gate.confidence:.2f} in [0, 1]."
    if answer.outcome == Answer.Outcome.DECLINED:
        return f"{words_for(answer.reason).title}{sure}" if answer.reason else f"Declined.{sure}"
    if answer.outcome == Answer.Outcome.ANSWERED:
        return f"The evidence was held to be enough.{sure}"
    return "No gate was reached."


def _facts(answer: Answer) -> Iterable[tuple[str, str]]:
    yield "Outcome", str(Answer.Outcome(answer.outcome).label)
    yield (
        "Written by",
        "quotes from the passages, no model" if answer.mode == "extractive" else answer.model or "a model",
    )
    yield "Prompt version", answer.prompt_version or "–"
    yield "Configuration", answer.config_hash or "–"
    yield "Passages searched", f"{answer.searched_chunks:,}"
    yield "Citations removed", str(answer.removed_markers)
    yield "Time", f"{answer.total_ms:,} ms"


def _plain(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if value is None or value == "":
        return "–"
    if isinstance(value, list | tuple):
        return ", ".join(map(str, value)) or "–"
    return str(value)
