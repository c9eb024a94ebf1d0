"""Quotation marks of every kind, and what holds a phrase."""

from __future__ import annotations

import pytest

from retrieval.ranking.phrases import holds, read


@pytest.mark.parametrize(
    ("question", "phrases", "is_unbalanced"),
    [
        ('a "b c" d', ("b c",), False),
        ("“b c” and „d e“ and «f»", ("b c", "d e", "f"), False),
        ("「東京タワー」はどこ", ("東京タワー",), False),
        ('"b" "b"', ("b",), False),
        ('"b', (), True),
        ('"b" "c', ("b",), True),
        ('"" "!?"', (), True),
        ("it's five o'clock", (), False),
        ("plain", (), False),
    ],
)
def test_phrases_are_read(question: str, phrases: tuple[str, ...], is_unbalanced: bool) -> None:
    found = read(question)

    assert found.phrases == phrases
    assert found.is_unbalanced is is_unbalanced or phrases == ()


@pytest.mark.parametrize(
    ("text", "phrase", "is_held"),
    [
        ("The inlet  filter\nis old", "Inlet filter is", True),
        ("inlet filters", "inlet filter", False),
        ("subinlet filter", "inlet filter", False),
        ("(inlet filter)", "inlet filter", True),
        ("pinlet filter, inlet filter", "inlet filter", True),
        ("我在東京タワーにいる", "東京タワー", True),
        ("ﾊﾝｶｸ カナ", "ハンカク カナ", True),
        ("مرشح المضخة قديم", "مرشح المضخة", True),
        ("مرشح المضخات", "مرشح المضخة", False),
        ("error_code_7", "code", False),
        ("a", "", False),
    ],
)
def test_whole_words_hold_a_phrase(text: str, phrase: str, is_held: bool) -> None:
    assert holds(text, phrase) is is_held
