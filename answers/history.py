"""What is kept of a question: the asker's own row, the answer, its citations and the trace. All under the asker's scope."""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict
from typing import TYPE_CHECKING

from answers import writers
from answers.models import Answer, Citation, LiveAnswer, Question, Trace, WrittenText
from answers.rules import gates, question
from answers.rules.citations import Audit
from answers.rules.fingerprint import q_len
from answers.rules.markers import markers
from answers.trace import trace_of
from portal.scope import Scope, principal
from retrieval.ranking.evidence import Passage

if TYPE_CHECKING:
    from answers.ask import AskSettings, Walk

VERDICTS = {
    "supported": Answer.Verdict.SUPPORTED,
    "partly": Answer.Verdict.PARTLY,
    "not_supported": Answer.Verdict.NOT_SUPPORTED,
}


def keep(walk: Walk, total_ms: int, *, ref: str = "") -> Answer:
    """Write question, answer, citations and trace in one transaction and return the answer; `ref` names it beforehand."""
    named = {"ref": ref} if ref else {}
    with principal(walk.scope):
        asked = Question.objects.create_for(
            walk.scope,
            q_hash=walk.q_hash,
            q_len=q_len(walk.asked.text),
            text=walk.asked.text,
            language=walk.asked.language,
            collection_ids=list(walk.settings.collection_ids or walk.scope.collection_ids),
            conversation=walk.talk.ref,
            typed=walk.typed if walk.completed_by else "",
            completed_by=walk.completed_by,
        )
        answer: Answer = Answer.objects.create_for(
            walk.scope, question=asked, total_ms=total_ms, **named, **outcome_of(walk)
        )
        # Both lock the documents they are drawn from, in order, as deletions do: all that were read first, then the cited.
        if walk.written.mode == "model" and walk.audit and walk.audit.text:
            WrittenText.objects.create_for(walk.scope, answer=answer, **_written(walk, walk.audit))
        cited = sorted(citations_of(walk, answer), key=lambda citation: citation.document_id)
        Citation.objects.using(answer._state.db).bulk_create(cited)
        Trace.objects.create_for(walk.scope, answer=answer, stages=trace_of(walk))
    return answer


def _written(walk: Walk, audit: Audit) -> dict[str, object]:
    """A model's text as it may be shown, and what it was read from."""
    read = walk.evidence[: walk.written.sent]
    return {
        "text": audit.text,
        "sentences": [[s.start, s.end, s.support, list(s.check.faults), list(s.citations)] for s in audit.sentences],
        "collection_ids": sorted({passage.collection_id for passage in read}),
        "document_ids": sorted({passage.document_id for passage in read}),
    }


def outcome_of(walk: Walk) -> dict[str, object]:
    settled = {
        "mode": walk.written.mode,
        "model": walk.written.model[:120],
        "provider": walk.written.provider[:60],
        "prompt_version": walk.written.prompt_version,
        "tokens_in": walk.written.tokens_in,
        "tokens_out": walk.written.tokens_out,
        "cost_usd": walk.written.cost_usd,
        "first_token_ms": walk.written.first_token_ms,
        "config_hash": config_hash(walk.settings),
        "searched_chunks": walk.result.searched_chunks,
        "notes": walk.notes,
        "earlier_at": walk.earlier_at,
    }
    if isinstance(walk.asked, question.SmallTalk):
        return {**settled, "outcome": Answer.Outcome.SMALL_TALK}
    if walk.blocked:
        return {**settled, "outcome": Answer.Outcome.BLOCKED, "reason": "answers.blocked"}
    if isinstance(walk.decision, gates.Declined) or walk.audit is None:
        reason = walk.decision.reason if isinstance(walk.decision, gates.Declined) else ""
        return {**settled, "outcome": Answer.Outcome.DECLINED, "reason": reason, "verdict": Answer.Verdict.NOT_FOUND}
    shown = shown_numbers(walk)
    return {
        **settled,
        "outcome": Answer.Outcome.STOPPED if walk.written.stopped else Answer.Outcome.ANSWERED,
        "verdict": VERDICTS[walk.audit.verdict],
        "quotes": [[shown[quote.passage_no], quote.start, quote.end] for quote in walk.draft.sentences],
        "checks": [] if walk.written.text else [[s.support, list(s.check.faults)] for s in walk.audit.sentences],
        "removed_markers": walk.audit.removed_markers,
    }


def citations_of(walk: Walk, answer: Answer) -> list[Citation]:
    """The answer's citations, not saved."""
    return [_citation(walk.scope, answer, number, role, passage) for number, role, passage in _cited(walk)]


def _cited(walk: Walk) -> list[tuple[int, str, Passage]]:
    """The passages that were quoted, or the nearest ones of a declined question, numbered from 1."""
    if isinstance(walk.decision, gates.Declined):
        return [(number, Citation.Role.NEAREST, passage) for number, passage in enumerate(walk.decision.nearest, 1)]
    return [(number, Citation.Role.CITED, walk.evidence[place - 1]) for place, number in shown_numbers(walk).items()]


def shown_numbers(walk: Walk) -> dict[int, int]:
    """Place in the evidence → the number readers see. A model's own markers keep the numbers it wrote."""
    if walk.written.text and walk.audit:
        texts = [passage.text for passage in walk.evidence[: walk.written.sent]]
        cited = {number for marker in markers(walk.audit.text, texts) for number in marker.numbers}
        return {number: number for number in sorted(cited)}
    return writers.shown_numbers(walk.draft)


def _citation(scope: Scope, answer: Answer, number: int, role: str, passage: Passage) -> Citation:
    return Citation(
        workspace_id=scope.workspace_id,
        user_id=answer.user_id,
        answer=answer,
        role=role,
        number=number,
        collection_id=passage.collection_id,
        document_id=passage.document_id,
        version_id=passage.version_id,
        chunk_id=passage.chunk_id,
        title=passage.title[:500],
        source_url=passage.source_url,
        page=passage.page,
        heading_path=list(passage.heading_path),
        passage=passage.text,
        prefix=passage.prefix,
        kind=passage.kind,
        start=passage.start,
        end=passage.end,
        similarity=passage.similarity,
        bm25=passage.bm25,
        fused=passage.fused,
        dense_rank=passage.dense_rank,
        lexical_rank=passage.lexical_rank,
    )


def clear(scope: Scope) -> None:
    """Forget everything that the scope's person asked. Answers on their way first: one kept meanwhile is then among them."""
    with principal(scope):
        LiveAnswer.objects.visible_to(scope).delete()
        Question.objects.visible_to(scope).delete()


def config_hash(settings: AskSettings) -> str:
    """Names the configuration that gave an answer: equal hashes, equal settings."""
    plain = {**asdict(settings), "collection_ids": None, "gives_again": None}
    return hashlib.sha256(json.dumps(plain, sort_keys=True).encode()).hexdigest()[:16]
