from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrieval.ranking.fusion import (
    MEANING,
    MEANING_MANY,
    MEANING_UNDECLARED,
    WORDS_FOREIGN,
    Leg,
    fuse,
    fuse_by_rank,
    meaning_weight,
    words_weight,
)

lists = st.dictionaries(st.integers(1, 20), st.floats(-1, 40), max_size=12).map(
    lambda scores: sorted(scores.items(), key=lambda scored: (-scored[1], scored[0]))
)


def ids(fused: list[tuple[int, float]]) -> list[int]:
    return [chunk_id for chunk_id, _ in fused]


def test_scores_are_worked_by_hand() -> None:
    words = Leg("words", [(1, 8.0), (2, 4.0)], floor=0)  # shares 1, 1/2
    meaning = Leg("meaning", [(2, 0.9), (3, 0.5), (4, 0.1)], weight=3)  # shares 1, 1/2, 0

    fused = fuse([words, meaning])

    assert ids(fused) == [2, 3, 1, 4]
    assert dict(fused) == pytest.approx({2: (0.5 + 3 * 1) / 4, 3: 3 * 0.5 / 4, 1: 1 / 4, 4: 0})


def test_ranks_are_worked_by_hand() -> None:
    words, meaning = Leg("words", [(1, 8.0), (2, 7.9)]), Leg("meaning", [(2, 0.9), (3, 0.5)])

    fused = fuse_by_rank([words, meaning], k=60)

    assert ids(fused) == [2, 1, 3]
    assert dict(fused) == pytest.approx({2: (61 / 62 + 1) / 2, 1: 1 / 2, 3: 61 / 62 / 2})


def test_leg_that_is_not_trusted_orders_only_what_the_other_does_not_find() -> None:
    words = Leg("words", [(5, 2.0), (9, 1.0)], floor=0)
    noise = Leg("meaning", [(7, 0.9), (9, 0.8), (3, 0.7)], weight=0)

    assert ids(fuse([words, noise])) == [5, 9, 7, 3]


def test_lone_untrusted_leg_keeps_its_order() -> None:
    assert ids(fuse([Leg("words", []), Leg("meaning", [(7, 0.9), (3, 0.2), (4, 0.1)], weight=0)])) == [7, 3, 4]


def test_equal_worth_goes_to_the_first_leg_then_to_the_better_place() -> None:
    one, other = Leg("words", [(9, 1.0), (8, 1.0)]), Leg("meaning", [(1, 1.0), (2, 1.0)])

    assert ids(fuse([one, other])) == [9, 8, 1, 2]


@pytest.mark.parametrize(
    ("declared", "languages", "expected"),
    [
        (["en"], ["en"], MEANING),
        (["en"], ["zh", "en"], MEANING),
        (["en"], ["zh"], MEANING_UNDECLARED),
        ([], ["zh"], MEANING_MANY),
        ([], [], MEANING_MANY),
        (["en"], [], MEANING),
    ],
)
def test_model_is_trusted_in_the_languages_it_declares(
    declared: list[str], languages: list[str], expected: float
) -> None:
    assert meaning_weight(declared, languages) == expected


@pytest.mark.parametrize("how", [fuse, fuse_by_rank])
def test_no_legs_and_empty_legs_give_an_empty_list(how: object) -> None:
    assert callable(how)
    assert how([]) == how([Leg("words", []), Leg("meaning", [])]) == []


@given(lists, lists, st.floats(0, 3))
def test_nothing_is_lost_and_worth_falls_from_one_to_zero(
    words: list[tuple[int, float]], meaning: list[tuple[int, float]], weight: float
) -> None:
    for fused in (
        fuse([Leg("words", words, floor=0), Leg("meaning", meaning, weight)]),
        fuse_by_rank([Leg("words", words), Leg("meaning", meaning, weight)]),
    ):
        scores = [score for _, score in fused]
        assert sorted(ids(fused)) == sorted({*dict(words), *dict(meaning)})
        assert scores == sorted(scores, reverse=True)
        assert all(0 <= score <= 1 + 1e-9 for score in scores)


@given(lists)
def test_one_leg_keeps_its_order(words: list[tuple[int, float]]) -> None:
    assert ids(fuse_by_rank([Leg("words", words)])) == ids(words)
    assert ids(fuse([Leg("words", words)])) == ids(words)


@given(st.lists(st.integers(0, 50), max_size=8, unique=True), lists)
def test_scale_and_offset_of_cosines_do_not_matter(cosines: list[int], words: list[tuple[int, float]]) -> None:
    ordered = sorted(cosines, reverse=True)
    one = Leg("meaning", [(n, value / 64) for n, value in enumerate(ordered)])
    other = Leg("meaning", [(n, 0.5 + value / 128) for n, value in enumerate(ordered)])

    assert fuse([Leg("words", words, floor=0), one]) == fuse([Leg("words", words, floor=0), other])


@pytest.mark.parametrize(
    ("declared", "language", "held", "expected"),
    [
        ([], "de", ["en"], WORDS_FOREIGN),
        (["en", "de"], "de", ["en"], WORDS_FOREIGN),
        (["en"], "de", ["en"], 1.0),
        ([], "de", ["en", "de"], 1.0),
        ([], "", ["en"], 1.0),
        ([], "de", [], 1.0),
    ],
)
def test_words_weigh_less_where_no_text_speaks_the_questions_language_and_the_model_does(
    declared: list[str], language: str, held: list[str], expected: float
) -> None:
    assert words_weight(declared, language, held) == expected
