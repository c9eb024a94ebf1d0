"""Nobody asks a service that has just failed; after the pause one does, for all."""

from __future__ import annotations

from documents.breaker import Breaker


class Clock:
    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


def test_after_a_failure_one_asks_for_all_once_the_pause_is_over() -> None:
    clock = Clock()
    breaker = Breaker(first_pause_s=2.0, longest_pause_s=5.0, clock=clock)
    at_first = breaker.wait_s()

    breaker.failed()
    soon = breaker.wait_s()
    clock.now += 2.0
    one, another = breaker.wait_s(), breaker.wait_s()

    assert (at_first, soon, one, another) == (0.0, 2.0, 0.0, 2.0)


def test_pauses_double_to_their_limit_and_end_with_the_first_success() -> None:
    clock = Clock()
    breaker = Breaker(first_pause_s=2.0, longest_pause_s=5.0, clock=clock)
    pauses = []

    for _ in range(4):
        breaker.failed()
        pauses.append(breaker.wait_s())
    breaker.succeeded()

    assert pauses == [2.0, 4.0, 5.0, 5.0]
    assert breaker.wait_s() == 0.0
