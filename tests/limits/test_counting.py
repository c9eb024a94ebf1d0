"""The counter: exact over any minute, shared through the broker, and neither open nor shut without one."""

from __future__ import annotations

import time
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from portal import env
from portal.counting import WINDOW_S, Allowance, Broker, Counter, OwnMemory, Taken, Together


class Clock:
    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


class Gone:
    """A broker that is not there, and counts how often somebody tried."""

    def __init__(self) -> None:
        self.asked = 0

    def take(self, wanted: Sequence[Allowance]) -> Taken:
        self.asked += 1
        raise ConnectionError

    def give_back(self, key: str) -> None:
        self.take(())


def test_the_eleventh_within_a_minute_is_refused_and_told_when_to_come_back() -> None:
    clock = Clock()
    counter = OwnMemory(clock)
    ten = [Allowance("guest:a", 10)]
    for _ in range(10):
        assert counter.take(ten).is_allowed
        clock.now += 1

    refused = counter.take(ten)
    clock.now += refused.tallies[0].free_in_s
    later = counter.take(ten)

    assert (refused.is_allowed, refused.tallies[0].left, refused.tallies[0].free_in_s) == (False, 0, 50)
    assert later.is_allowed


def test_nothing_is_counted_where_one_of_two_allowances_is_used_up() -> None:
    counter = OwnMemory(Clock())
    both = [Allowance("user:1", 5), Allowance("key:1", 1)]

    first, second = counter.take(both), counter.take(both)
    alone = counter.take(both[:1])

    assert (first.is_allowed, second.is_allowed) == (True, False)
    assert alone.tallies[0].left == 3


def test_what_is_given_back_can_be_taken_again() -> None:
    counter = OwnMemory(Clock())
    one = [Allowance("sign-in:a", 1)]
    counter.take(one)

    counter.give_back("sign-in:a")

    assert counter.take(one).is_allowed
    counter.give_back("sign-in:never-seen")


@given(st.lists(st.floats(0, 20), max_size=60), st.integers(1, 5))
def test_no_minute_ever_holds_more_than_the_limit(pauses: list[float], limit: int) -> None:
    clock = Clock()
    counter = OwnMemory(clock)
    passed = []
    for pause in pauses:
        clock.now += pause
        if counter.take([Allowance("k", limit)]).is_allowed:
            passed.append(clock.now)

    assert all(late - early >= WINDOW_S for early, late in zip(passed, passed[limit:], strict=False))


def test_without_a_broker_the_same_limit_holds_in_this_process_and_the_broker_is_left_alone_for_a_while() -> None:
    clock, gone = Clock(), Gone()
    counter = Together(gone, clock=clock)
    two = [Allowance("user:1", 2)]

    taken = [counter.take(two).is_allowed for _ in range(3)]
    clock.now += 11
    counter.take(two)

    assert taken == [True, True, False]
    assert gone.asked == 2


def test_a_flood_of_addresses_does_not_fill_the_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("portal.counting.MOST_KEYS", 50)
    counter = OwnMemory(Clock())

    for number in range(500):
        counter.take([Allowance(f"guest:{number}", 10)])

    assert len(counter._times) == 50


@pytest.fixture
def broker_url() -> str:
    found = env.current().broker_url
    if not found:
        pytest.skip("no broker beside these tests")
    return found


def test_two_processes_count_together(broker_url: str) -> None:
    one, other = Broker(broker_url), Broker(broker_url)
    four = [Allowance(f"user:{time.time_ns()}", 4)]

    taken = [counter.take(four) for counter in (one, other, one, other, one)]

    assert [each.is_allowed for each in taken] == [True, True, True, True, False]
    assert [each.tallies[0].left for each in taken] == [3, 2, 1, 0, 0]
    assert 58 <= taken[-1].tallies[0].free_in_s <= 60
    other.give_back(four[0].key)
    assert one.take(four).is_allowed


def test_both_counters_agree(broker_url: str) -> None:
    wanted = [Allowance(f"user:{time.time_ns()}", 3), Allowance(f"key:{time.time_ns()}", 2)]
    counters: list[Counter] = [Broker(broker_url), OwnMemory()]

    told = [[counter.take(wanted) for _ in range(4)] for counter in counters]

    assert [each.is_allowed for each in told[0]] == [each.is_allowed for each in told[1]]
    assert [[tally.left for tally in each.tallies] for each in told[0]] == [
        [tally.left for tally in each.tallies] for each in told[1]
    ]


def test_what_is_counted_is_forgotten_after_a_minute_and_names_nobody(broker_url: str) -> None:
    import redis

    key = f"user:{time.time_ns()}"
    Broker(broker_url).take([Allowance(key, 3)])

    client = redis.Redis.from_url(broker_url)
    assert 0 < int(str(client.pttl(f"footnote:limit:{key}"))) <= WINDOW_S * 1000
    client.close()
