"""What growth does: recall and rows at every size, latency and memory in Zipf-sized collections, and what other workspaces cost."""

from __future__ import annotations

from bench import inside
from bench.registry import Bar, Bench, Figures, measures

RECALL_SIZES = (10, 200, 2_000, 20_000, 200_000)
TOTALS = ((1_000, 1.0), (20_000, 1.0), (200_000, 1.6))
"""(chunks in all, Zipf exponent of 20 collections): at the last one the largest collection holds 100,000."""
MILLION = 1_000_000
NEEDED = ("valkey", "embedder")


@measures(
    Bar("recall_on_topic", ">=", 0.99),
    Bar("recall_off_topic", ">=", 0.99),
    Bar("rows_at_every_size", "=", 1),
    is_long=True,
    needs=("linux",),
)
def recall(bench: Bench) -> Figures:
    """The least recall@10 of five sizes from 10 to 200,000 chunks, and whether min(k, visible) rows always came."""
    found: dict[str, float] = inside.beside(
        bench.kept("sizes"), "bench.inside_sizes:recall", without=NEEDED, sizes=RECALL_SIZES
    )
    return {
        "recall_on_topic": min(found[f"on_{size}"] for size in RECALL_SIZES),
        "recall_off_topic": min(found[f"off_{size}"] for size in RECALL_SIZES),
        "rows_at_every_size": min(value for name, value in found.items() if name.endswith("_rows")),
    }


@measures(
    Bar("vector_p95_ms_at_100k", "<=", 60),
    Bar("hybrid_p95_ms_at_100k", "<=", 60),
    Bar("vector_p95_to_bare_sql_at_100k", "<=", 1.3),
    Bar("hybrid_p95_to_vector_p95_at_100k", "<=", 1.5),
    is_long=True,
    needs=("linux",),
)
def latency(bench: Bench) -> Figures:
    """1,000, 20,000 and 200,000 chunks in 20 Zipf-sized collections; the bars are of the one that holds 100,000, in CPU time.

    Wall times are noted beside; on two idle cores they are the same (bench/inside_speed.py).
    """
    found: dict[str, float] = {}
    for total, exponent in TOTALS:
        found = inside.beside(
            bench.kept("sizes"),
            "bench.inside_sizes:latency",
            without=NEEDED,
            total=total,
            exponent=exponent,
            questions=150,
        )
        bench.note(f"{total} chunks: " + ", ".join(f"{name} {value:.1f}" for name, value in found.items()))
    vector, hybrid = found["vector search p95 cpu"], found["hybrid search p95 cpu"]
    return {
        "vector_p95_ms_at_100k": vector,
        "hybrid_p95_ms_at_100k": hybrid,
        "vector_p95_to_bare_sql_at_100k": vector / found["bare SQL with passages p95 cpu"],
        "hybrid_p95_to_vector_p95_at_100k": hybrid / vector,
    }


@measures(Bar("recall_at_a_million", ">=", 0.99), is_long=True, needs=("linux",))
def million(bench: Bench) -> Figures:
    """A million vectors, no words, in 20 Zipf-sized collections, searched one by one and all at once."""
    found: dict[str, float] = inside.beside(
        bench.kept("million"),
        "bench.inside_sizes:latency",
        without=NEEDED,
        total=MILLION,
        exponent=1.0,
        questions=40,
        words=False,
    )
    bench.note(f"{MILLION} vectors: " + ", ".join(f"{name} {value:.1f}" for name, value in found.items()))
    return {"recall_at_a_million": found["recall over all"]}


@measures(Bar("cpu_1000_tenants_to_10", "<=", 1.1), is_long=True, needs=("linux",))
def tenants(bench: Bench) -> Figures:
    """CPU of a hybrid search over 2,000 chunks beside 1,000 other workspaces of 50 chunks, against beside 10."""
    found: dict[str, float] = inside.beside(
        bench.kept("sizes"),
        "bench.inside_sizes:tenants",
        without=NEEDED,
        own=2_000,
        others=[10, 1_000],
        chunks=50,
        questions=200,
    )
    return {"cpu_1000_tenants_to_10": found["1000"] / found["10"]}


@measures(
    Bar("index_p95_to_scan_p95_at_100k", "<=", 1),
    Bar("index_recall_at_100k", ">=", 0.99),
    is_long=True,
    needs=("linux",),
)
def promoted(bench: Bench) -> Figures:
    """From which size on an index of its own is worth a collection's while."""
    found: dict[str, float] = inside.beside(
        bench.kept("sizes"), "bench.inside_sizes:promoted", without=NEEDED, sizes=[5_000, 20_000, 100_000]
    )
    return {
        "index_p95_to_scan_p95_at_100k": found["on_index_p95_100000"] / found["on_flat_p95_100000"],
        "index_recall_at_100k": min(found["on_index_recall_100000"], found["off_index_recall_100000"]),
    }
