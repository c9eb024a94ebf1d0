"""The one structured record of a question: numbers, codes, ids, and of the question itself its hash and length alone.

Everything that is counted, traced or sent elsewhere is made of this record (portal/metrics.py, portal/telemetry).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from answers.rules import gates
from answers.rules.fingerprint import q_len
from portal.events import Log

if TYPE_CHECKING:
    from answers.ask import Walk

log = Log("answers.ask")
Value = str | int | float


def tell(walk: Walk, ref: str, outcome: str, total_ms: int) -> None:
    log.info("ask.done", **fields_of(walk, ref, outcome, total_ms))


def fields_of(walk: Walk, ref: str, outcome: str, total_ms: int) -> dict[str, Value]:
    """`…_ms` of every stage that was walked and of every list of the search; tokens and cost are 0 where no model wrote."""
    written = walk.written
    lists = {stage.name: round(stage.ms, 1) for stage in walk.result.stages}
    return {
        "q_hash": walk.q_hash,
        "q_len": q_len(walk.asked.text),
        "answer": ref,
        "outcome": outcome,
        "reason": walk.decision.reason if isinstance(walk.decision, gates.Declined) else "",
        "verdict": walk.audit.verdict if walk.audit else "",
        "mode": written.mode,
        "model": written.model,
        "provider": written.provider,
        "prompt_version": written.prompt_version,
        "embedder": walk.settings.embedder if "embed" in walk.stage_ms else "",
        "passages": len(walk.evidence),
        "searched": walk.result.searched_chunks,
        "tokens_in": written.tokens_in,
        "tokens_out": written.tokens_out,
        "cost_usd": round(written.cost_usd, 6),
        "first_token_ms": written.first_token_ms or 0,
        "guard": ",".join(walk.rule_ids),
        "notes": ",".join(walk.notes),
        "total_ms": total_ms,
        **{f"{name}_ms": round(ms, 1) for name, ms in walk.stage_ms.items()},
        "vector_search_ms": lists.get("meaning", 0.0),
        "word_search_ms": lists.get("words", 0.0),
    }
