from __future__ import annotations

import pytest

from answers.rules.same import Signature, same, signature, unframed
from tests.answers.rules.passages import asked

KEY = b"workspace"


def of(text: str) -> Signature:
    return signature(asked(text), KEY)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("How long are access logs kept in Vienna?", "In Vienna, how long are access logs kept?"),
        ("Who signed the lease?", "I'd like to know who signed the lease."),
        ("How do I delete a file?", "What is the best way to remove a file?"),
        ("What does E4304 mean?", "Could you tell me what E4304 means?"),
        ("Why doesn't the pump run?", "Why does not the pump run?"),
    ],
)
def test_another_way_to_ask_is_the_same(first: str, second: str) -> None:
    assert same(of(first), of(second))


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("Are logs kept for 30 days?", "Are logs kept for 90 days?"),
        ("What changed in version 2.0?", "What changed in version 2.1?"),
        ("Is smoking allowed?", "Is smoking not allowed?"),
        ("Did Graz beat Vienna?", "Did Vienna beat Graz?"),
        ("Was Graz beaten by Vienna?", "Was Graz beaten, Vienna?"),
        ("When did the repair start?", "Where did the repair start?"),
        ("What must be done before the update?", "What must be done after the update?"),
        ("How long are audit logs kept?", "How long are access logs kept?"),
        ("What does E4304 mean?", "What does E4305 mean?"),
    ],
)
def test_what_an_answer_hangs_on_parts_two_questions(first: str, second: str) -> None:
    assert not same(of(first), of(second))


def test_two_keys_have_nothing_in_common() -> None:
    question = asked("Who signed the lease?")

    one, other = signature(question, b"one"), signature(question, b"other")

    assert one.exact != other.exact and not set(one.terms) & set(other.terms)


def test_the_frame_is_taken_off() -> None:
    assert unframed("Hello, could you please tell me who signed the lease?") == "who signed the lease"
