from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import pytest

from documents.watch import watch

Seen = Mapping[str, tuple[int, int]]


def acts(looks: Sequence[Seen]) -> list[int]:
    """At which looks something was done."""
    at = -1
    done: list[int] = []

    def look() -> Seen:
        nonlocal at
        at += 1
        return looks[at]

    watch(look, lambda: done.append(at), lambda: at + 1 < len(looks))
    return done


ONE: Seen = {"a": (1, 1)}
TWO: Seen = {"a": (2, 1)}


@pytest.mark.parametrize(
    ("looks", "done"),
    [
        ([ONE, ONE, ONE, ONE], [1]),
        ([ONE, TWO, TWO], [2]),
        ([ONE, ONE, TWO, TWO, TWO], [1, 3]),
        ([ONE, ONE, TWO, {"a": (3, 1)}, {"a": (4, 1)}], [1]),
        ([ONE, ONE, TWO, ONE, ONE], [1]),
        ([{}, {}], [1]),
    ],
    ids=["still", "changed once", "changed later", "never still", "changed back", "empty"],
)
def test_a_change_is_acted_on_once_and_only_when_it_stands_still(looks: list[Seen], done: list[int]) -> None:
    assert acts(looks) == done


def test_an_interruption_ends_it() -> None:
    def waits() -> Iterator[bool]:
        yield True
        raise KeyboardInterrupt

    steps = waits()
    with pytest.raises(KeyboardInterrupt):
        watch(lambda: ONE, lambda: None, lambda: next(steps))
