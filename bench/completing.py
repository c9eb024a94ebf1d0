"""Follow-ups completed by rules: the share of a hand-written set that comes out right."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from bench.registry import Bar, Bench, Figures, measures

PAIRS: Final = Path(__file__).with_name("follow_ups.toml")


@dataclass(frozen=True, slots=True)
class Pair:
    """A question that follows others, and the words that its completion must and must not hold."""

    before: tuple[str, ...]
    typed: str
    holds: tuple[str, ...]
    lacks: tuple[str, ...]
    same: bool

    def is_right(self, completed: str) -> bool:
        said = completed.casefold()
        if self.same:
            return said == self.typed.casefold()
        has_all = all(word.casefold() in said for word in self.holds)
        return has_all and not any(word.casefold() in said for word in self.lacks)


def pairs() -> Iterator[Pair]:
    for row in tomllib.loads(PAIRS.read_text("utf-8"))["pair"]:
        yield Pair(
            tuple(row["before"]),
            row["typed"],
            tuple(row.get("holds", ())),
            tuple(row.get("lacks", ())),
            row.get("same", False),
        )


def wrong() -> list[tuple[Pair, str]]:
    """The pairs that rules get wrong, with what they make of them."""
    from answers.rules.follow_up import standalone

    made = [(pair, standalone(pair.typed, pair.before)) for pair in pairs()]
    return [(pair, completed) for pair, completed in made if not pair.is_right(completed)]


@measures(Bar("follow_ups_right", ">=", 0.85))
def completing(bench: Bench) -> Figures:
    asked, failed = list(pairs()), wrong()
    bench.note(f"follow_ups_right: {len(asked) - len(failed)} of {len(asked)}, in 11 languages")
    for pair, completed in failed:
        bench.note(f"wrong: {pair.before[-1]} | {pair.typed} -> {completed}")
    return {"follow_ups_right": 1 - len(failed) / len(asked)}
