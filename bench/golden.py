"""Evaluation in the product: public sets imported as golden sets and run give the figures of the benchmarks."""

from __future__ import annotations

from bench import inside
from bench.registry import Bar, Bench, Figures, measures

FAULTS = "words=off;threshold_scale=2;shuffle_citations=on"


@measures(Bar("golden_scifact_apart", "<=", 0.002), is_long=True)
def golden_scifact(bench: Bench) -> Figures:
    """Distance of the run's nDCG@10 from that of bench.sets over the same index."""
    found = ran(bench, "scifact")
    return {"golden_scifact_apart": abs(found["ndcg_10"] - found["bench_ndcg_10"])}


@measures(Bar("golden_xquad_apart", "<=", 0.002), Bar("golden_fault_p", "<", 0.05), is_long=True)
def golden_xquad(bench: Bench) -> Figures:
    """The same on XQuAD en; and BM25 off, thresholds doubled and citations shuffled are each called worse (p after Holm)."""
    found = ran(bench, "xquad/en", fault=FAULTS)
    return {"golden_xquad_apart": abs(found["ndcg_10"] - found["bench_ndcg_10"]), "golden_fault_p": found["fault_p"]}


@measures(Bar("golden_squad_held", ">=", 0.80), is_long=True)
def golden_squad(bench: Bench) -> Figures:
    """7,163 questions: of the answerable ones that were answered, the share whose quotes hold an expected text."""
    found = ran(bench, "squad2-open")
    return {"golden_squad_held": found["held_of_answered"]}


@measures(Bar("golden_overhead", "<=", 0.40), is_long=True)
def golden_overhead(bench: Bench) -> Figures:
    """1,000 questions in a run against the same ones asked one by one in a shell."""
    found: dict[str, float] = inside.beside(
        bench.kept("sets"),
        "bench.inside_golden:overhead",
        without=("valkey",),
        folder=str(bench.data / "sets" / "squad2-open"),
    )
    bench.note(f"shell {found['shell_per_s']:.1f} questions/s, run {found['run_per_s']:.1f} questions/s")
    return {"golden_overhead": found["overhead"]}


def ran(bench: Bench, name: str, *, fault: str = "") -> dict[str, float]:
    """The figures of one set's run, noted and returned."""
    folder = str(bench.data / "sets" / name)
    found: dict[str, float] = inside.beside(
        bench.kept("sets"), "bench.inside_golden:measure", without=("valkey",), folder=folder, fault=fault
    )
    bench.note(f"{name}: " + ", ".join(f"{figure} {value:.4f}" for figure, value in sorted(found.items())))
    return found
