"""The multilingual model (the extra `multilingual`) in place of the default one, through the ingest path and search()."""

from __future__ import annotations

from bench import inside
from bench.registry import Bar, Bench, Figures, measures

LANGUAGES = ("en", "de", "zh", "ar", "ru")
SETTINGS = {"EMBEDDER_MODEL": "multilingual-e5-small"}


@measures(
    Bar("multilingual_xquad_en", ">=", 0.98),
    Bar("multilingual_xquad_de", ">=", 0.97),
    Bar("multilingual_xquad_zh", ">=", 0.975),
    Bar("multilingual_xquad_ar", ">=", 0.95),
    Bar("multilingual_xquad_ru", ">=", 0.95),
    Bar("multilingual_de_over_en", ">=", 0.90),
    Bar("multilingual_hybrid_minus_better_leg", ">=", -0.005),
    is_long=True,
)
def multilingual(bench: Bench) -> Figures:
    """XQuAD: 240 paragraphs and 1,190 questions in each language, then the German questions over the English paragraphs."""
    figures: dict[str, float] = {}
    gaps: list[float] = []
    for language in LANGUAGES:
        found = ndcg(bench, language, language)
        figures[f"multilingual_xquad_{language}"] = found["fused"]
        gaps.append(found["fused"] - max(found["words"], found["meaning"]))
    across = ndcg(bench, "en", "de")
    gaps.append(across["fused"] - max(across["words"], across["meaning"]))
    figures["multilingual_de_over_en"] = across["fused"]
    return {**figures, "multilingual_hybrid_minus_better_leg": min(gaps)}


def ndcg(bench: Bench, language: str, asked_in: str) -> dict[str, float]:
    """nDCG@10 by leg, noted and returned."""
    sets = bench.data / "sets" / "xquad"
    found: dict[str, float] = inside.beside(
        bench.kept("sets-multilingual"),
        "bench.inside_sets:measure",
        without=("valkey",),
        settings=SETTINGS,
        folder=str(sets / language),
        questions=str(sets / asked_in),
    )
    bench.note(
        f"{asked_in} over {language}: nDCG@10 words {found['words']:.4f}, meaning {found['meaning']:.4f}, "
        f"fused {found['fused']:.4f} ({found['questions']:.0f} questions, {found['chunks']:.0f} chunks)"
    )
    return found
