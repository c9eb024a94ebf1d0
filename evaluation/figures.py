"""Every figure of one answered question. What does not apply is left out."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass

from answers.rules.lost import Gold
from evaluation.golden.item import Item
from evaluation.metrics import answer, ranking, text
from evaluation.metrics.lost import ranked_keys

Quote = tuple[int, int, int]


@dataclass(frozen=True, slots=True)
class Answered:
    """What the walk came to, as ids. `fused` is the whole fused list; `confidence` None when nothing was decided."""

    outcome: str = "refused"
    text: str = ""
    words: tuple[int, ...] | None = None
    meaning: tuple[int, ...] | None = None
    fused: tuple[int, ...] = ()
    kept: tuple[int, ...] = ()
    given: tuple[int, ...] = ()
    quotes: tuple[Quote, ...] = ()
    supports: tuple[str, ...] = ()
    confidence: float | None = None
    total_ms: float = 0.0
    cost_usd: float = 0.0

    @property
    def is_answered(self) -> bool:
        return self.outcome == "answered"


def figures(
    item: Item, answered: Answered, gold: Sequence[Gold], *, document_of: Mapping[int, int] | None = None
) -> dict[str, float]:
    """All figures by name; evaluation/labels.py says in words what each means."""
    found: dict[str, float] = {
        "latency_ms": round(answered.total_ms, 2),
        "cost_usd": round(answered.cost_usd, 8),
        "answered": float(answered.is_answered),
    }
    if answered.confidence is not None:
        found["confidence"] = round(answered.confidence, 6)
    if gold:
        found.update(_retrieval(item, answered, gold, document_of or {}))
        found.update(_evidence(answered, gold))
    if item.expects == "answer":
        found.update(_words(item, answered))
    if answered.supports:
        found["faithfulness"] = answer.faithfulness(answered.supports)
    if item.expects != "open":
        found["abstention_right"] = float(answered.is_answered == (item.expects == "answer"))
        if (right := _right(item, answered, found)) is not None:
            found["right"] = right
    unsupported = answered.is_answered and (
        item.expects == "decline" or any(s != "supported" for s in answered.supports)
    )
    found["unsupported"] = float(unsupported)
    return found


def _retrieval(
    item: Item, answered: Answered, gold: Sequence[Gold], document_of: Mapping[int, int]
) -> dict[str, float]:
    """Whole documents are judged by document, passages by passage."""
    by_document = all(passage.is_document for passage in item.gold)
    ranked = ranked_keys(answered.fused, gold, document_of if by_document else {})
    gains: dict[Hashable, float] = {number: one.gain for number, one in enumerate(gold)}
    return {
        "hit_1": ranking.hit_at(1, ranked, gains),
        "hit_5": ranking.hit_at(5, ranked, gains),
        "mrr": ranking.reciprocal_rank(ranked, gains),
        "ndcg_10": ranking.ndcg_at(10, ranked, gains),
        "recall_10": ranking.recall_at(10, ranked, gains),
        "precision_5": ranking.precision_at(5, ranked, gains),
    }


def _evidence(answered: Answered, gold: Sequence[Gold]) -> dict[str, float]:
    holding = [one.chunk_ids for one in gold]
    relevant = frozenset[int]().union(*holding)
    cited = [chunk_id for chunk_id, _, _ in answered.quotes]
    found = {
        "evidence_given": answer.citation_recall(answered.given, holding),
        "evidence_match": float(not relevant.isdisjoint(cited)),
        "citation_recall": answer.citation_recall(cited, holding),
    }
    return {**found, "citation_precision": answer.citation_precision(cited, relevant)} if cited else found


def _words(item: Item, answered: Answered) -> dict[str, float]:
    found: dict[str, float] = {}
    if item.answers:
        found["exact_match"] = text.exact_match(answered.text, item.answers)
        found["token_f1"] = text.token_f1(answered.text, item.answers)
        found["answer_held"] = answer.holds_any(answered.text, item.answers)
    if item.key_facts:
        found["key_fact_recall"] = answer.key_fact_recall(answered.text, item.key_facts)
    return found


def _right(item: Item, answered: Answered, found: Mapping[str, float]) -> float | None:
    """Declined where that was right; else an answer that states every key fact, or an expected text, or quotes the evidence.

    None where nothing says what would be right.
    """
    if item.expects == "decline":
        return float(not answered.is_answered)
    for name in ("key_fact_recall", "answer_held", "evidence_match"):
        if name in found:
            return float(answered.is_answered and found[name] == 1.0)
    return None
