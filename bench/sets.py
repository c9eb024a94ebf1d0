"""Retrieval quality on public sets: each document through the ingest path, each test question through search()."""

from __future__ import annotations

from bench import inside
from bench.registry import Bar, Bench, Figures, measures


@measures(
    Bar("scifact_bm25", ">=", 0.68),
    Bar("scifact_hybrid", ">=", 0.73),
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


@measures(
    Bar("cranfield_hybrid", ">=", 0.43),
    Bar("faq_django_hybrid", ">=", 0.38),
    Bar("xquad_en_hybrid", ">=", 0.97),
    Bar("xquad_de_hybrid", ">=", 0.93),
    Bar("xquad_zh_hybrid", ">=", 0.96),
    Bar("xquad_ar_hybrid", ">=", 0.89),
    Bar("xquad_ru_hybrid", ">=", 0.88),
    Bar("hybrid_minus_better_leg", ">=", -0.005),
    is_long=True,
)
def hybrid(bench: Bench) -> Figures:
    """Seven sets; the last bar is the least of them and names how far the fused list falls below its better leg."""
    figures: dict[str, float] = {}
    gaps: list[float] = []
    for name in ("cranfield", "faq-django", "xquad/en", "xquad/de", "xquad/zh", "xquad/ar", "xquad/ru"):
        found = ndcg(bench, name)
        figures[f"{name.replace('/', '_').replace('-', '_')}_hybrid"] = found["fused"]
        gaps.append(found["fused"] - max(found["words"], found["meaning"]))
    return {**figures, "hybrid_minus_better_leg": min(gaps)}


@measures(Bar("identifiers_first", ">=", 0.98), is_long=True)
def identifiers(bench: Bench) -> Figures:
    """300 codes, settings, paths, versions and functions of the Django documentation, each held by one chunk of 9,819."""
    found: dict[str, float] = inside.beside(
        bench.kept("sets"),
        "bench.inside_identifiers:measure",
        without=("valkey",),
        folder=str(bench.data / "sets" / "faq-django"),
        count=300,
    )
    return {"identifiers_first": found["first"]}


@measures(
    Bar("vector_p95_to_bare_sql", "<=", 1.3),
    Bar("list_p95_to_bare_sql", "<=", 1.3),
    Bar("hybrid_p95_to_vector_p95", "<=", 1.5),
    is_long=True,
    needs=("linux",),
)
def speed(bench: Bench) -> Figures:
    """300 questions over SciFact, in CPU time; wall times are noted.

    A whole vector search beside its two statements as the tables' owner, without row security and with nothing around them; the
    list by meaning beside its one; hybrid beside vector search.
    """
    found: dict[str, float] = inside.beside(
        bench.kept("sets"),
        "bench.inside_speed:measure",
        without=("valkey",),
        folder=str(bench.data / "sets" / "scifact"),
        count=300,
    )
    vector = found["vector search p95 cpu"]
    return {
        "vector_p95_to_bare_sql": vector / found["bare SQL with passages p95 cpu"],
        "list_p95_to_bare_sql": found["list by meaning p95 cpu"] / found["bare SQL p95 cpu"],
        "hybrid_p95_to_vector_p95": found["hybrid search p95 cpu"] / vector,
    }


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
