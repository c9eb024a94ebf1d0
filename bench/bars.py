"""Measure the bars: `make bars`, `make bars BARS=questions_first3,questions_first`, `python -m bench.bars --list`.

One line a bar: `bar <name> <figure> <threshold> ok|short`. Lines that begin with # say how a figure came about.
Exit code 0 when every bar held.
"""

from __future__ import annotations

import argparse
import platform
import signal
import subprocess
import sys
import time
import traceback
from collections.abc import Sequence
from pathlib import Path

from bench.registry import Bench, Measurement, every, pick, say
from portal import env


def main(arguments: Sequence[str]) -> int:
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, interrupted)
    options = parse(arguments)
    if options.list:
        show()
        return 0
    names = [name for part in options.names for name in part.split(",") if name]
    try:
        chosen = pick(names, quick=options.quick)
    except KeyError as unknown:
        say(f"# There is no bar named {unknown.args[0]}. These exist:")
        show()
        return 2
    bench = bench_of(options)
    bench.note(where())
    short = [name for measurement, wanted in chosen for name in settle(bench, measurement, wanted)]
    bench.note(f"short: {', '.join(short)}" if short else "every bar held")
    return 1 if short else 0


def parse(arguments: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench.bars")
    parser.add_argument("names", nargs="*", help="bars to measure, all when none is named")
    parser.add_argument(
        "--data", type=Path, default=env.ROOT.parent / "shared" / "data", help="where docs/ and sets/ are"
    )
    parser.add_argument(
        "--state", type=Path, default=env.ROOT / ".state" / "bench", help="kept between runs: embedded corpora"
    )
    parser.add_argument("--quick", action="store_true", help="leave out the long ones")
    parser.add_argument("--list", action="store_true", help="name the bars and measure nothing")
    return parser.parse_args(arguments)


def bench_of(options: argparse.Namespace) -> Bench:
    options.state.mkdir(parents=True, exist_ok=True)
    return Bench(options.data.absolute(), options.state.absolute())


def interrupted(number: int, frame: object) -> None:
    """Leave through every `finally`: the stacks that were started are stopped."""
    raise SystemExit(128 + number)


def show() -> None:
    for measurement in every():
        for bar in measurement.bars:
            say(f"{bar.name:<28}{bar.sign}{bar.threshold:<8g}{'long' if measurement.is_long else ''}")


def where() -> str:
    """The machine and the commit, since a figure without them says little."""
    commit = subprocess.run(
        ["git", "rev-parse", "--short", "HEAD"], cwd=env.ROOT, capture_output=True, text=True, check=False
    )
    load = Path("/proc/loadavg").read_text().split()[0] if sys.platform == "linux" else "?"
    return (
        f"commit {commit.stdout.strip() or 'unknown'}, Python {platform.python_version()}, {platform.machine()}, "
        f"load {load} at the start"
    )


def settle(bench: Bench, measurement: Measurement, wanted: frozenset[str]) -> list[str]:
    """Run one measurement, print its bars, and return the names of those that were short."""
    started = time.monotonic()
    if missing := measurement.missing():
        bench.note(f"{', '.join(sorted(wanted))}: not measured, this machine lacks {', '.join(missing)}")
        figures = {}
    else:
        try:
            figures = dict(measurement.run(bench))
        except Exception:  # noqa: BLE001 (one measurement that breaks must not hide the others)
            for line in traceback.format_exc().splitlines():
                bench.note(line)
            figures = {}
    bench.note(f"{time.monotonic() - started:.0f} s for {', '.join(sorted(wanted))}")
    lines = [bar.line(figures.get(bar.name)) for bar in measurement.bars if bar.name in wanted]
    for line in lines:
        say(line)
    return [line.split()[1] for line in lines if line.endswith("short")]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
