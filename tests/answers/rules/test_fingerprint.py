from __future__ import annotations

import hashlib
import hmac

import pytest
from hypothesis import given
from hypothesis import strategies as st

from answers.rules.fingerprint import normalised, q_len, question_fingerprint

KEY = bytes(range(32))


def test_fingerprint_is_the_keyed_hash_of_the_normalised_text() -> None:
    expected = hmac.new(KEY, b"where is the key?", hashlib.sha256).hexdigest()

    assert question_fingerprint(KEY, "  Where is\nthe KEY? ") == expected
    assert q_len("  Where is\nthe KEY? ") == 17


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("Ｅ４３０４", "e4304", True),
        ("ﬁle", "FILE", True),
        ("Straße", "STRASSE", True),
        ("is it open?", "is it open", False),
        ("resume", "résumé", False),
        ("v2.0", "v2.1", False),
    ],
)
def test_spelling_that_compares_equal_gives_one_fingerprint(one: str, other: str, same: bool) -> None:
    assert (question_fingerprint(KEY, one) == question_fingerprint(KEY, other)) is same


def test_another_workspace_key_gives_another_fingerprint() -> None:
    assert question_fingerprint(KEY, "x") != question_fingerprint(KEY[::-1], "x")


def test_short_key_is_refused() -> None:
    with pytest.raises(ValueError, match="at least 32 bytes, this one 5"):
        question_fingerprint(b"short", "x")


@given(st.text())
def test_normalising_twice_changes_nothing(text: str) -> None:
    assert normalised(normalised(text)) == normalised(text)
