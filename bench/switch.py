"""Another embedding model on 20,000 chunks: filled, switched to and back while questions go on."""

from __future__ import annotations

from bench import inside
from bench.registry import Bar, Bench, Figures, measures

CHUNKS = 20_000


@measures(Bar("switch_bad_questions", "=", 0), Bar("switch_missing_vectors", "=", 0), Bar("switch_rolled_back", "=", 1))
def switch(bench: Bench) -> Figures:
    """Questions that failed or came back short during fill, three switches and three ways back."""
    found: dict[str, float] = inside.beside(
        bench.kept("switch"), "bench.inside_switch:measure", without=("valkey", "embedder"), chunks=CHUNKS
    )
    return {
        "switch_bad_questions": found["bad"],
        "switch_missing_vectors": found["missing"],
        "switch_rolled_back": found["back"],
    }
