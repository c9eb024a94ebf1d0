"""Time the parts that the bars rest on: `make bench`, `make bench ARGS=ingest`."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence

from bench import ingest, search
from bench.bars import bench_of, parse
from bench.registry import Bench, say

BENCHES: Mapping[str, Callable[[Bench], None]] = {"ingest": ingest.main, "search": search.main}


def main(arguments: Sequence[str]) -> int:
    options = parse(arguments)
    if unknown := [name for name in options.names if name not in BENCHES]:
        say(f"There is no bench named {', '.join(unknown)}. There are: {', '.join(BENCHES)}")
        return 2
    for name in options.names or BENCHES:
        BENCHES[name](bench_of(options))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
