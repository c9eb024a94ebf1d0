"""The figures in words: what each is called and what it means."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

LOWER_IS_BETTER = frozenset({"unsupported", "calibration_error", "latency_ms", "cost_usd"})

COMPARED = (
    "right",
    "abstention_right",
    "unsupported",
    "evidence_match",
    "ndcg_10",
    "key_fact_recall",
    "answer_held",
    "citation_precision",
    "faithfulness",
)
"""What two runs are compared by. Few on purpose: Holm makes every further metric cost evidence of the others."""


@dataclass(frozen=True, slots=True)
class Label:
    name: str
    meaning: str


LABELS: Mapping[str, Label] = {
    "right": Label(
        "Right", "Declined where that was right; else states every key fact, an expected text, or quotes the evidence."
    ),
    "answered": Label("Answered", "Share of questions that got an answer (coverage)."),
    "abstention_right": Label(
        "Answer or decline right", "Answered what should be answered, declined what should be declined."
    ),
    "unsupported": Label(
        "Unsupported", "Answers with a sentence that its citation does not hold, or where declining was right."
    ),
    "evidence_match": Label("Evidence match", "The answer quotes a gold passage."),
    "evidence_given": Label("Evidence given", "Share of gold passages that reached the writer."),
    "hit_1": Label("Hit@1", "A gold passage is first in the fused list."),
    "hit_5": Label("Hit@5", "A gold passage is among the first five."),
    "mrr": Label("MRR", "1 / place of the first gold passage."),
    "ndcg_10": Label("nDCG@10", "Order of the first ten against the best possible one."),
    "recall_10": Label("Recall@10", "Share of gold passages among the first ten."),
    "precision_5": Label("Precision@5", "Gold passages among the first five, divided by five."),
    "exact_match": Label("Exact match", "The answer equals an expected text, as SQuAD counts it."),
    "token_f1": Label(
        "Token F1", "Words shared with the best expected text. Low for quotes, which are whole sentences."
    ),
    "answer_held": Label("Answer held", "An expected text stands in the quotes."),
    "key_fact_recall": Label("Key facts", "Share of the key facts that stand in the answer."),
    "citation_precision": Label("Citation precision", "Share of the cited passages that hold gold."),
    "citation_recall": Label("Citation recall", "Share of the gold passages that are cited."),
    "faithfulness": Label("Faithfulness", "Sentences that their citation holds; partly counts half."),
    "confidence": Label("Confidence", "What the gates gave the best passage."),
    "calibration_error": Label("Calibration error", "How far confidence and being right lie apart, over answers."),
    "latency_ms": Label("Time (ms)", "From the question to its answer."),
    "cost_usd": Label("Cost (USD)", "What a model was paid; nothing in extractive mode."),
}


def label_of(name: str) -> str:
    return LABELS[name].name if name in LABELS else name


def shown(name: str, value: float) -> str:
    """A figure as pages print it."""
    if name == "latency_ms":
        return f"{value:,.0f}"
    if name == "cost_usd":
        return f"{value:.4f}"
    return f"{value:.3f}"
