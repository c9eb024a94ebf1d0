from __future__ import annotations

from dataclasses import asdict, replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from answers.rules import answerable
from answers.rules.answerable import MINILM, Signs, chance, signs
from answers.rules.gates import Answerable, Declined, decide, thresholds_for
from answers.rules.opposites import OPPOSITES, opposed
from tests.answers.rules.passages import asked, passage

RIVER = passage(
    "The Rhine is the longest river of the region. In rich countries 40 mills use its water. It was not dammed before 1950.",
    title="Rhine",
    similarity=0.6,
)


def sign(question: str, name: str) -> float:
    found = signs(asked(question), [RIVER])
    assert found is not None
    return float(getattr(found, name))


@pytest.mark.parametrize(
    ("question", "name", "expected"),
    [
        ("What is the longest river of the region?", "opposed", 0.0),
        ("What is the shortest river of the region?", "opposed", 1.0),
        ("What is the longest river of the region?", "share", 1.0),
        ("How many mills use its water in rich countries?", "swapped", 0.0),
        ("How many mills use its water in poor countries?", "swapped", 1.0),
        ("Who uses the water of 40 mills?", "numbers_missing", 0.0),
        ("Who uses the water of 50 mills?", "numbers_missing", 1.0),
        ("Is the Rhine the longest river of the region?", "names_missing", 0.0),
        ("Is the Danube the longest river of the region?", "names_missing", 1.0),
        ("Why is the Rhine not the longest river of the region?", "negation_missing", 1.0),
        ("When was it dammed?", "negation_added", 1.0),
        ("How many mills use its water?", "kind_missing", 0.0),
        ("When do mills use its water?", "kind_missing", 1.0),
        ("What is the longest river of the region?", "cosine", 0.6),
    ],
)
def test_question_is_held_against_the_best_sentence(question: str, name: str, expected: float) -> None:
    assert sign(question, name) == expected


def test_what_the_sentence_denies_lowers_the_chance() -> None:
    right = chance(asked("What is the longest river of the region?"), [RIVER], MINILM)
    wrong = chance(asked("What is the shortest river of the region?"), [RIVER], MINILM)

    assert right is not None and wrong is not None
    assert right > 0.5 > 0.22 > wrong


@pytest.mark.parametrize(
    "question",
    [
        "How do I find the longest river?",
        "Which version of the Rhine is the longest?",
        "What does E4304 mean for the longest river?",
        "Welcher Fluss ist der längste Fluss in der ganzen Region am Rhein?",
    ],
)
def test_check_says_nothing_where_it_was_not_calibrated(question: str) -> None:
    assert chance(asked(question), [RIVER], MINILM) is None


def test_check_needs_cosines_english_and_a_calibrated_model() -> None:
    question = asked("What is the longest river of the region?")

    assert chance(question, [replace(RIVER, similarity=None)], MINILM) is None
    assert chance(question, [replace(RIVER, language="de")], MINILM) is None
    assert chance(question, [RIVER], answerable.MODELS.get("unheard-of", {})) is None
    assert signs(question, [passage("", similarity=0.5)]) is None


def test_gates_decline_what_no_sentence_answers() -> None:
    thresholds = thresholds_for("all-MiniLM-L6-v2")

    right = decide(asked("What is the longest river of the region?"), [RIVER], thresholds)
    wrong = decide(asked("What is the shortest river of the region?"), [RIVER], thresholds)

    assert isinstance(right, Answerable)
    assert isinstance(wrong, Declined)
    assert (wrong.reason, wrong.nearest) == ("answers.not_answered_there", (RIVER,))


def test_every_sign_has_a_weight() -> None:
    assert set(MINILM) == {*Signs.__slots__, "bias"}


def test_opposites_go_both_ways_and_no_word_is_its_own() -> None:
    assert all(word in OPPOSITES[other] for word, others in OPPOSITES.items() for other in others)
    assert not any(word in others for word, others in OPPOSITES.items())
    assert opposed("the largest and the smallest", "the largest and the smallest") == 0


@given(st.text(alphabet="the largest 40 Rhine not.\n", max_size=200), st.floats(-1, 1))
def test_chance_lies_between_0_and_1_for_any_passage(text: str, similarity: float) -> None:
    question = asked("What is the largest river?")
    found = chance(question, [passage(text, similarity=similarity)], MINILM)

    assert found is None or 0 < found < 1


def test_signs_are_shares_of_the_question() -> None:
    found = signs(asked("What is the longest river of the region?"), [RIVER])

    assert found is not None
    values = asdict(found)
    assert all(0 <= values[name] <= 1 for name in ("share", "share_near", "share_passage"))
    assert values["asked_terms"] == 3
