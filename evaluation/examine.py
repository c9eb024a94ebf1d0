"""One golden question asked as a member would ask it, and what it came to: figures, the stage that lost it, the trace."""

from __future__ import annotations

import random
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from answers import ask as asking
from answers import history
from answers.rules import citations, extract, gates
from answers.rules.lost import Gold, Passed, lost_at
from answers.trace import stages_of
from documents.embedding.client import Embedder
from documents.embedding.transport import Priority
from documents.embedding.vector import Vector
from evaluation.configuration import Configuration
from evaluation.figures import Answered, figures
from evaluation.gold import Shelves
from evaluation.golden.item import Item
from evaluation.golden.store import item_of
from evaluation.models import GoldenQuestion
from portal.limits import admit_freely
from portal.scope import Scope

ERROR = "error"
REFUSED = "refused"
_MARKER = re.compile(r"\s*\[\d+\]")


class Patient:
    """An embedder that lets members' questions go first."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder

    @property
    def model(self) -> str:
        return self._embedder.model

    @property
    def dims(self) -> int:
        return self._embedder.dims

    def embed(self, texts: Sequence[str], *, priority: Priority) -> list[Vector]:
        return self._embedder.embed(texts, priority="questions")


@dataclass(frozen=True, slots=True)
class Kept:
    """What the walk's last event says; nothing is written to anyone's history."""

    ref: str
    outcome: str
    verdict: str


@dataclass(frozen=True, slots=True)
class Examiner:
    """Everything that stays the same over a run's questions."""

    scope: Scope
    configuration: Configuration
    collection_ids: tuple[int, ...]
    shelves: Shelves
    embedder: Embedder
    seed: int = 1
    shown_to: tuple[int, ...] = ()
    """The collections that a viewer of the results must see, where others than `collection_ids`."""

    def examine(self, question: GoldenQuestion, *, now: datetime) -> dict[str, Any]:
        """The fields of a Result. Never raises for what the question itself does; a database that is down does."""
        item = item_of(question)
        gold = [self.shelves.locate(passage) for passage in item.gold]
        walk, total_ms, refused = self._ask(question.text, now)
        if walk is None:
            fields = figures(item, Answered(total_ms=total_ms), gold)
            return self._result(question, REFUSED, refused, REFUSED, fields, {"gold": _plain(gold)}, total_ms)
        if self.configuration.shuffle_citations:
            _shuffle(walk, random.Random(f"{self.seed}:{question.key}"))  # noqa: S311 a planted fault, not a secret
        outcome = history.outcome_of(walk)
        answered = self._answered(walk, str(outcome["outcome"]), total_ms)
        lost = self._lost(item.expects, gold, answered, str(outcome.get("reason", "")))
        found = figures(item, answered, gold, document_of=self.shelves.documents_of(answered.fused) if gold else {})
        trace = {
            "stages": stages_of(walk.result.stages, walk.stage_ms),
            "evidence": [passage.chunk_id for passage in walk.evidence],
            "quotes": [list(quote) for quote in answered.quotes],
            "sentences": list(answered.supports),
            "gold": _plain(gold),
            "notes": walk.notes,
            "writer": {"model": walk.written.model, "prompt": walk.written.prompt_version},
            "confidence": answered.confidence,
            **self._judged(item, answered),
        }
        return self._result(
            question,
            answered.outcome,
            str(outcome.get("reason", "")),
            lost,
            found,
            trace,
            total_ms,
            str(outcome.get("verdict", "")),
        )

    def _judged(self, item: Item, answered: Answered) -> dict[str, Any]:
        """What the judge says, for the trace alone: it never becomes a figure."""
        if not self.configuration.judge:
            return {}
        from evaluation.judge import Judge

        said = Judge.of_settings(self.scope).judge(item, answered.text if answered.is_answered else "")
        return {"judge": said.plain()} if said else {}

    def _ask(self, text: str, now: datetime) -> tuple[asking.Walk | None, float, str]:
        """The finished walk and its ms, or the code of its refusal."""
        caught: list[tuple[asking.Walk, int]] = []

        def keep(walk: asking.Walk, total_ms: int) -> Kept:
            caught.append((walk, total_ms))
            outcome = history.outcome_of(walk)
            return Kept("", str(outcome["outcome"]), str(outcome.get("verdict", "")))

        settings = self.configuration.settings(self.collection_ids)
        refused = ""
        events = asking.ask(
            self.scope,
            text,
            settings=settings,
            now=now,
            embedder=self.embedder,
            keep=keep,
            writer=self.configuration.answering(),
            admit=admit_freely,
        )
        for event in events:
            refused = event.code if isinstance(event, asking.Refused) else refused
        return (caught[0][0], sum(caught[0][0].stage_ms.values()), "") if caught else (None, 0.0, refused)

    def _answered(self, walk: asking.Walk, outcome: str, total_ms: float) -> Answered:
        stages = {stage.name: [c.chunk_id for c in stage.candidates] for stage in walk.result.stages}
        quotes = _quotes_of(walk)
        return Answered(
            outcome=outcome,
            text=_text_of(walk),
            words=tuple(stages.get("words", ())) if self.configuration.words else None,
            meaning=tuple(stages["meaning"]) if stages.get("meaning") else None,
            fused=tuple(stages.get("fused", ())),
            kept=tuple(passage.chunk_id for passage in walk.result.passages),
            given=tuple(passage.chunk_id for passage in walk.evidence),
            quotes=quotes,
            supports=_supports_of(walk, outcome),
            confidence=walk.decision.confidence if walk.decision else None,
            total_ms=total_ms,
            cost_usd=walk.written.cost_usd,
        )

    @staticmethod
    def _lost(expects: str, gold: Sequence[Gold], answered: Answered, reason: str) -> str:
        if expects == "decline":
            return "answered" if answered.outcome == "answered" else ""
        declined_by = "" if answered.outcome == "answered" else reason or answered.outcome
        quoted = {chunk_id for chunk_id, _, _ in answered.quotes}
        passed = Passed(answered.words, answered.meaning, answered.kept, answered.given, quoted, declined_by)
        return lost_at(gold, passed)

    def _result(
        self,
        question: GoldenQuestion,
        outcome: str,
        reason: str,
        lost: str,
        found: dict[str, float],
        trace: dict[str, Any],
        total_ms: float,
        verdict: str = "",
    ) -> dict[str, Any]:
        return {
            "question": question,
            "collection_ids": list(self.shown_to or self.collection_ids),
            "outcome": outcome,
            "reason": reason,
            "verdict": verdict,
            "lost_at": lost[:40],
            "figures": found,
            "trace": trace,
            "total_ms": total_ms,
            "cost_usd": found.get("cost_usd", 0.0),
        }

    def failed(self, question: GoldenQuestion, code: str) -> dict[str, Any]:
        """The fields of a question that ended with an error: wrong, and said so."""
        found = figures(item_of(question), Answered(outcome=ERROR), [])
        return self._result(question, ERROR, code, ERROR, found, {}, 0.0)


def _plain(gold: Sequence[Gold]) -> list[dict[str, Any]]:
    return [{"document": g.document, "chunks": sorted(g.chunk_ids)[:50], "state": g.state} for g in gold]


def _quotes_of(walk: asking.Walk) -> tuple[tuple[int, int, int], ...]:
    """What is cited, as (chunk id, start, end): the quoted words, or the whole passages behind a model's sentences."""
    if walk.written.text and walk.audit:
        cited = dict.fromkeys(number for sentence in walk.audit.sentences for number in sentence.citations)
        passages = [walk.evidence[number - 1] for number in cited]
        return tuple((passage.chunk_id, 0, len(passage.text)) for passage in passages)
    return tuple((walk.evidence[q.passage_no - 1].chunk_id, q.start, q.end) for q in walk.draft.sentences)


def _text_of(walk: asking.Walk) -> str:
    if walk.written.text and walk.audit:
        return _MARKER.sub("", walk.audit.text)
    return " ".join(quote.text for quote in walk.draft.sentences)


def _supports_of(walk: asking.Walk, outcome: str) -> tuple[str, ...]:
    """How far each sentence of an answer is held by what it cites."""
    if walk.audit is None or outcome != "answered":
        return ()
    return tuple(sentence.support for sentence in walk.audit.sentences)


def _shuffle(walk: asking.Walk, draw: random.Random) -> None:
    """Give every quote the number of another passage, and audit again."""
    count = len(walk.evidence)
    if not walk.draft.sentences or isinstance(walk.decision, gates.Declined):
        return
    moved = [
        replace(quote, passage_no=draw.choice([n for n in range(1, count + 1) if n != quote.passage_no] or [1]))
        for quote in walk.draft.sentences
    ]
    walk.draft = extract.Draft(tuple(moved))
    walk.audit = citations.audit(walk.draft, walk.evidence)
