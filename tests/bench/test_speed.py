"""The share of times that a figure at p95 stands for."""

from __future__ import annotations

from bench.inside_speed import share


def test_a_share_is_a_time_that_was_taken() -> None:
    times = [float(n) for n in range(100, 0, -1)]

    assert (share(times, 0.5), share(times, 0.95), share([7.0], 0.95), share([], 0.5)) == (51.0, 96.0, 7.0, 0.0)
