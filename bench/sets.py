"""Retrieval quality on public sets: each document through the ingest path, each test question through search()."""

from __future__ import annotations

from bench import inside
from bench.registry import Bar, Bench, Figures, measures


@measures(
    Bar("scifact_bm25", ">=", 0.68),
    Bar("scifact_hybrid", ">=", 0.71),
    Bar("scifact_recall_at_10", ">=", 0.99),
    is_long=True,
)
def scifact(bench: Bench) -> Figures:
    """5,183 abstracts, 300 test questions. Embedding them takes some twenty CPU-minutes once."""
    found = ndcg(bench, "scifact")
    return {"scifact_bm25": found["words"], "scifact_hybrid": found["fused"], "scifact_recall_at_10": found["recall"]}


@measures(Bar("xquad_zh_bm25", ">=", 0.95), Bar("xquad_zh_hybrid_minus_bm25", ">=", -0.005), is_long=True)
def xquad_zh(bench: Bench) -> Figures:
    """240 paragraphs, 1,190 questions in Chinese: the default model does not know the language, the words must do."""
    found = ndcg(bench, "xquad/zh")
    return {"xquad_zh_bm25": found["words"], "xquad_zh_hybrid_minus_bm25": found["fused"] - found["words"]}


def ndcg(bench: Bench, name: str) -> dict[str, float]:
    """nDCG@10 by leg, noted and returned."""
    folder = bench.data / "sets" / name
    found: dict[str, float] = inside.beside(
        bench.kept("sets"), "bench.inside_sets:measure", without=("valkey",), folder=str(folder)
    )
    bench.note(
        f"{name}: nDCG@10 words {found['words']:.4f}, meaning {found['meaning']:.4f}, fused {found['fused']:.4f} "
        f"({found['questions']:.0f} questions, {found['chunks']:.0f} chunks)"
    )
    return found
