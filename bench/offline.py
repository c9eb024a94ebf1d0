"""Search with no embedder running: TF-IDF and BM25 over the words, the same sets, through search()."""

from __future__ import annotations

from bench import inside
from bench.registry import Bar, Bench, Figures, measures

SETTINGS = {"SEARCH_MODE": "words", "SEARCH_RANKER": "tfidf"}


@measures(
    Bar("tfidf_xquad_en", ">=", 0.90),
    Bar("tfidf_xquad_de", ">=", 0.88),
    Bar("tfidf_xquad_zh", ">=", 0.90),
    is_long=True,
)
def offline(bench: Bench) -> Figures:
    """XQuAD's 240 paragraphs in three languages; the thresholds are what was measured, rounded down."""
    return {f"tfidf_xquad_{language}": by_words(bench, f"xquad/{language}") for language in ("en", "de", "zh")}


@measures(Bar("tfidf_scifact", ">=", 0.58), Bar("tfidf_cranfield", ">=", 0.36), is_long=True)
def larger(bench: Bench) -> Figures:
    """Thousands of abstracts, with stemming and long passages."""
    return {f"tfidf_{name}": by_words(bench, name) for name in ("scifact", "cranfield")}


def by_words(bench: Bench, name: str) -> float:
    found: dict[str, float] = inside.beside(
        bench.kept("sets-words"),
        "bench.inside_offline:measure",
        without=("valkey", "embedder"),
        settings=SETTINGS,
        folder=str(bench.data / "sets" / name),
    )
    bench.note(
        f"{name}, no embedder: nDCG@10 BM25 {found['bm25']:.4f}, TF-IDF {found['tfidf']:.4f} ({found['questions']:.0f} questions)"
    )
    return found["tfidf"]
