"""A small collection beside a large one: all its rows come back, and the right ones."""

from __future__ import annotations

from bench import inside
from bench.registry import Bar, Bench, Figures, measures

SMALL, LARGE = 50, 20_000


@measures(Bar("small_beside_large", ">=", 10), Bar("recall_at_10", ">=", 0.99))
def neighbours(bench: Bench) -> Figures:
    """Rows for k=10 at both sizes (the least of all questions), and the lower recall@10 of both, on topical vectors."""
    found: dict[str, float] = inside.beside(
        bench.kept("neighbours"),
        "bench.inside_neighbours:measure",
        without=("valkey", "embedder"),
        small=SMALL,
        large=LARGE,
    )
    return {
        "small_beside_large": min(found["topics_small_rows"], found["topics_large_rows"]),
        "recall_at_10": min(found["topics_small_recall"], found["topics_large_recall"]),
    }
