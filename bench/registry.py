"""The bars: what is measured, what it must come to, and the function that measures it.

    @measures(Bar("questions_first3", ">=", 18), Bar("questions_first", ">=", 14), is_long=True, needs=("chromium",))
    def questions(bench: Bench) -> Figures: ...

One run may settle several bars. A bar that a run gives no figure for, or that could not be run, is short.
"""

from __future__ import annotations

import operator
import os
import shutil
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Final, Literal

from bench import pipeline

Sign = Literal["<", "<=", ">=", "="]
Figures = Mapping[str, float]
COMPARE: Final[Mapping[str, Callable[[float, float], bool]]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">=": operator.ge,
    "=": operator.eq,
}
# Modules that register bars; a later issue adds a line.
MODULES: Final = (
    "bench.start",
    "bench.proofs",
    "bench.mutants",
    "bench.neighbours",
    "bench.switch",
    "bench.sets",
    "bench.sizes",
    "bench.against",
    "bench.multilingual",
    "bench.offline",
    "bench.cases",
    "bench.golden",
    "bench.declining",
    "bench.audit",
    "bench.guarding",
    "bench.again",
    "bench.corpus",
    "bench.crash",
    "bench.faults",
    "bench.throughput",
    "bench.memory",
    "bench.zoo",
    "bench.entries",
    "bench.hostile",
    "bench.clients",
    "bench.contract",
    "bench.programs",
    "bench.canary",
    "bench.completing",
    "bench.llm_faults",
    "bench.local_model",
    "bench.streams",
    "bench.webhooks",
)


@dataclass(frozen=True, slots=True)
class Bar:
    """A promise in one number: `figure sign threshold` must hold."""

    name: str
    sign: Sign
    threshold: float

    def line(self, figure: float | None) -> str:
        """`bar <name> <figure> <threshold> ok|short`; a figure that is missing is short."""
        holds = figure is not None and COMPARE[self.sign](figure, self.threshold)
        shown = "-" if figure is None else plain(figure)
        return f"bar {self.name} {shown} {self.sign}{plain(self.threshold)} {'ok' if holds else 'short'}"


def plain(figure: float) -> str:
    """At most four digits after the point, none that say nothing."""
    return f"{figure:.4f}".rstrip("0").rstrip(".")


@dataclass(frozen=True, slots=True)
class Bench:
    """What a measurement may use: the data, a directory of its own that outlives the run, and a voice."""

    data: Path
    state: Path

    def kept(self, name: str) -> Path:
        """A stack's state directory that the next run finds again, as long as the tables are the same."""
        return self.state / f"{name}-{pipeline.schema_key()}"

    def note(self, text: str) -> None:
        say(f"# {text}")


def say(line: str) -> None:
    print(line, flush=True)


@dataclass(frozen=True, slots=True)
class Measurement:
    bars: tuple[Bar, ...]
    run: Callable[[Bench], Figures]
    is_long: bool
    needs: tuple[str, ...]

    def missing(self) -> list[str]:
        return [need for need in self.needs if not NEEDS[need]()]


NEEDS: Final[Mapping[str, Callable[[], bool]]] = {
    "chromium": lambda: bool(chromium()),
    "linux": lambda: sys.platform == "linux",
    "unshare": lambda: shutil.which("unshare") is not None,
    "root": lambda: os.geteuid() == 0,
}
registered: list[Measurement] = []


def chromium() -> str:
    """The system's browser, or ""."""
    names = ("chromium", "chromium-browser", "google-chrome")
    return next((found for name in names if (found := shutil.which(name))), "")


def measures(
    *bars: Bar, is_long: bool = False, needs: Sequence[str] = ()
) -> Callable[[Callable[[Bench], Figures]], Callable[[Bench], Figures]]:
    """Register the decorated function as what settles these bars. Raises ValueError on a name that is taken."""
    taken = {bar.name for measurement in registered for bar in measurement.bars} & {bar.name for bar in bars}
    if taken:
        raise ValueError(f"registered twice: {', '.join(sorted(taken))}")

    def register(run: Callable[[Bench], Figures]) -> Callable[[Bench], Figures]:
        registered.append(Measurement(bars, run, is_long, tuple(needs)))
        return run

    return register


def every() -> tuple[Measurement, ...]:
    """All measurements, in the order of MODULES."""
    for name in MODULES:
        import_module(name)
    return tuple(registered)


def pick(names: Sequence[str], *, quick: bool = False) -> list[tuple[Measurement, frozenset[str]]]:
    """Measurements with the bars that are wanted of each; no names mean all. Raises KeyError on an unknown name."""
    measurements = every()
    known = {bar.name for measurement in measurements for bar in measurement.bars}
    if unknown := [name for name in names if name not in known]:
        raise KeyError(", ".join(unknown))
    chosen = []
    for measurement in measurements:
        wanted = frozenset(bar.name for bar in measurement.bars if not names or bar.name in names)
        if wanted and not (quick and measurement.is_long):
            chosen.append((measurement, wanted))
    return chosen
