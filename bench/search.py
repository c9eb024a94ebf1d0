"""Milliseconds of each stage of a search at p50 and p95, over the sets that the bars embedded: `make bench ARGS=search`."""

from __future__ import annotations

from bench import inside
from bench.registry import Bench, say

SETS = ("scifact", "xquad/zh")


def main(bench: Bench) -> None:
    for name in SETS:
        found = inside.beside(
            bench.kept("sets"), "bench.inside_sets:measure", without=("valkey",), folder=str(bench.data / "sets" / name)
        )
        say(f"{name}: {found['questions']:.0f} questions over {found['chunks']:.0f} chunks, times above")
