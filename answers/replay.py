"""The same question today, beside what was answered then: what would change, and why. Nothing of it is kept."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from answers import ask as asking
from answers import history
from answers.model_writer import writer_for
from answers.models import Answer, Citation
from answers.quoted import as_text
from answers.shown import verdict_of
from answers.sight import citations_of
from answers.why import address_of, rows_of
from answers.written import text_of, written_of
from documents.models import Chunk
from portal.problems import words_for
from portal.scope import Scope, principal


@dataclass(frozen=True, slots=True)
class Line:
    """A passage of one side; `is_other` when the other side does not cite it."""

    title: str
    url: str
    is_other: bool


@dataclass(frozen=True, slots=True)
class Side:
    label: str
    kind: str
    verdict: str
    text: str
    reason: str
    lines: tuple[Line, ...]
    facts: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Replay:
    """Then and now; `changes` says in sentences what differs, and is empty when nothing does."""

    then: Side
    now: Side
    changes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Unkept:
    """What the walk's last event says of an answer that is not stored."""

    ref: str
    outcome: str
    verdict: str


def replay(scope: Scope, answer: Answer, options: asking.AskSettings, *, now: datetime) -> Replay:
    """Ask again in the collections of then that the scope still sees. Counts as a question; raises RateLimited."""
    walked: list[tuple[asking.Walk, int]] = []

    def keep(walk: asking.Walk, total_ms: int) -> _Unkept:
        walked.append((walk, total_ms))
        outcome = history.outcome_of(walk)
        return _Unkept("", str(outcome["outcome"]), str(outcome.get("verdict", "")))

    text, writer = answer.question.text, writer_for(scope)
    for _ in asking.ask(scope, text, settings=options, now=now, keep=keep, writer=writer):
        pass
    walk, total_ms = walked[0]
    with principal(scope):
        cited = citations_of(scope, answer)
        today = Answer(user_id=answer.user_id, total_ms=total_ms, **history.outcome_of(walk))
        fresh = history.citations_of(walk, today)
        chunks = rows_of(scope, [one.chunk_id for one in (*cited, *fresh)])
        same = {(one.chunk_id, one.role) for one in cited} & {(one.chunk_id, one.role) for one in fresh}
        texts = (_text_then(scope, answer, cited), _text_now(walk, today, fresh))
        then = _side("Then", answer, cited, chunks, same, texts[0])
        after = _side("Today", today, fresh, chunks, same, texts[1])
        return Replay(then, after, tuple(_changes(answer, today, cited, fresh, chunks, is_same=texts[0] == texts[1])))


def _text_then(scope: Scope, answer: Answer, cited: list[Citation]) -> str:
    return text_of(written_of(scope, answer)) if answer.mode == "model" else as_text(answer, cited)


def _text_now(walk: asking.Walk, today: Answer, fresh: list[Citation]) -> str:
    """After the audit, as it would be kept."""
    return walk.audit.text if today.mode == "model" and walk.audit else as_text(today, fresh)


def _side(
    label: str,
    answer: Answer,
    citations: list[Citation],
    chunks: dict[int, Chunk],
    same: set[tuple[int, str]],
    text: str,
) -> Side:
    verdict = verdict_of(answer)
    return Side(
        label=label,
        kind=verdict.kind,
        verdict=verdict.label,
        text=text,
        reason=words_for(answer.reason).title if answer.reason else "",
        lines=tuple(_line(one, chunks.get(one.chunk_id), (one.chunk_id, one.role) not in same) for one in citations),
        facts=(
            ("Written by", "quotes, no model" if answer.mode == "extractive" else answer.model or "a model"),
            ("Prompt version", answer.prompt_version or "–"),
            ("Configuration", answer.config_hash or "–"),
            ("Passages searched", f"{answer.searched_chunks:,}"),
            ("Time", f"{answer.total_ms:,} ms"),
        ),
    )


def _line(citation: Citation, chunk: Chunk | None, is_other: bool) -> Line:
    if citation.redacted or chunk is None:
        return Line(f"[{citation.number}] source removed", "", is_other)
    return Line(f"[{citation.number}] {citation.title}", address_of(chunk), is_other)


def _changes(
    then: Answer,
    now: Answer,
    cited: list[Citation],
    fresh: list[Citation],
    chunks: dict[int, Chunk],
    *,
    is_same: bool,
) -> Iterable[str]:
    if verdict_of(then) != verdict_of(now) or then.outcome != now.outcome:
        yield f"The verdict would be “{verdict_of(now).label}”, it was “{verdict_of(then).label}”."
    if (then.mode, then.model, then.prompt_version) != (now.mode, now.model, now.prompt_version):
        yield "It would be written in another way: see “Written by” and “Prompt version”."
    if then.config_hash != now.config_hash:
        yield "The configuration is another one than then."
    gone = sum(one.redacted or one.chunk_id not in chunks for one in cited)
    if gone:
        yield f"{gone} of the {len(cited)} passages shown then {'is' if gone == 1 else 'are'} gone."
    replaced = {c.document.name for c in chunks.values() if c.document.live_version_id != c.version_id}
    if replaced:
        yield f"Replaced by a newer version since: {', '.join(sorted(replaced))}."
    if now.searched_chunks != then.searched_chunks:
        yield f"{now.searched_chunks:,} passages are searched today, {then.searched_chunks:,} were then."
    before, after = ({(one.role, one.chunk_id) for one in side} for side in (cited, fresh))
    if before != after:
        yield f"Other passages: {len(after - before)} new, {len(before - after)} no longer."
    elif not is_same:
        yield "The same passages, other words of them."
