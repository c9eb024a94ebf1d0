from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from answers.rules.gates import MINILM, WORDS_ONLY, Answerable, Declined, Fit, decide, fit, thresholds_for
from retrieval.ranking.evidence import Passage
from tests.answers.rules.passages import asked, passage

REFUNDS = "Refunds are paid within fourteen days to the card that was used."


def test_confidence_is_seven_tenths_cosine_and_three_tenths_words() -> None:
    found = fit(asked("When are refunds paid?"), passage(REFUNDS, similarity=0.5), MINILM)

    assert found == Fit(frozenset({"refund", "paid"}), 1.0, 0.5, pytest.approx(0.65), True, frozenset())  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("question", "similarity", "outcome"),
    [
        ("When are refunds paid?", 0.5, Answerable),
        ("When are refunds paid?", 0.1, "answers.score_too_low"),
        ("When do I get my money back?", 0.65, Answerable),
        ("When do I get my money back?", 0.5, "answers.too_few_terms"),
        ("How tall is Mount Kilimanjaro?", 0.1, "answers.too_few_terms"),
        ("refunds", 0.4, Answerable),
        ("photosynthesis", 0.1, "answers.too_few_terms"),
    ],
)
def test_passage_answers_by_words_and_meaning_together_or_by_meaning_alone(
    question: str, similarity: float, outcome: object
) -> None:
    decision = decide(asked(question), [passage(REFUNDS, similarity=similarity)], MINILM)

    assert (decision.reason if isinstance(decision, Declined) else type(decision)) == outcome


def test_without_a_vector_more_than_half_of_the_words_must_be_there() -> None:
    found = [passage(REFUNDS)]

    assert isinstance(decide(asked("When are refunds paid?"), found, MINILM), Answerable)
    assert isinstance(decide(asked("When are refunds for shipping insurance paid?"), found, MINILM), Declined)


def test_neighbour_of_an_identifier_is_not_its_answer() -> None:
    found = [passage("Error E4304: the card was refused.", similarity=0.8)]

    assert isinstance(decide(asked("E4304"), found, MINILM), Answerable)
    declined = decide(asked("E4305"), found, MINILM)
    assert declined == Declined("answers.identifier_missing", declined.confidence, tuple(found))


def test_identifier_found_carries_a_question_of_low_score() -> None:
    found = [passage("createCheckoutSession takes a list of prices.", similarity=0.1)]

    assert isinstance(decide(asked("createCheckoutSession"), found, MINILM), Answerable)


def test_name_shaped_like_an_identifier_does_not_carry_another_topic() -> None:
    found = [passage("PyTorch is used by one of our customers.", similarity=0.3)]

    assert isinstance(decide(asked("How do I train a convolutional network in PyTorch?"), found, MINILM), Declined)


def test_chinese_question_is_matched_by_pairs_of_characters() -> None:
    found = [passage("退款将在十四天内支付到原来使用的银行卡。", language="zh")]

    assert isinstance(decide(asked("退款多少天内支付？"), found, MINILM), Answerable)
    assert isinstance(decide(asked("乞力马扎罗山有多高？"), found, MINILM), Declined)


def test_question_in_another_language_is_found_by_meaning_alone() -> None:
    question = asked("Wann bekomme ich das Geld für die Bestellung zurück?")

    assert isinstance(decide(question, [passage(REFUNDS, similarity=0.5)], MINILM), Answerable)
    assert isinstance(decide(question, [passage(REFUNDS, similarity=0.4)], MINILM), Declined)


def test_cosine_of_a_language_the_model_does_not_know_counts_nothing() -> None:
    found = passage("Возврат оплачивается за четырнадцать дней.", language="ru", similarity=0.9)

    assert fit(asked("Какой цвет у машины?"), found, MINILM).similarity is None
    assert isinstance(decide(asked("Какой цвет у машины?"), [found], MINILM), Declined)


def test_no_passages_are_declined() -> None:
    assert decide(asked("When are refunds paid?"), [], MINILM) == Declined("answers.nothing_found", 0.0)


def test_declined_shows_the_three_nearest() -> None:
    found = [passage(f"Text {no}", no=no) for no in range(1, 7)]

    declined = decide(asked("How tall is Kilimanjaro?"), found, MINILM)

    assert declined == Declined("answers.too_few_terms", 0.0, tuple(found[:3]))


def test_terms_scattered_over_passages_do_not_add_up() -> None:
    found = [passage("Refunds only.", similarity=0.3), passage("Paid only.", no=2, similarity=0.3)]

    assert isinstance(decide(asked("When are refunds paid?"), found, MINILM), Declined)


def test_model_without_calibration_leaves_the_words_to_decide() -> None:
    assert thresholds_for("all-MiniLM-L6-v2") == MINILM
    assert thresholds_for("unheard-of") == WORDS_ONLY
    assert fit(asked("When are refunds paid?"), passage(REFUNDS, similarity=0.9), WORDS_ONLY).similarity is None


@given(st.floats(-1, 1), st.floats(0, 1), st.sampled_from(["refunds", "When are refunds paid?", "blue whales"]))
def test_a_better_cosine_never_turns_an_answer_into_a_decline(low: float, more: float, text: str) -> None:
    def outcome(similarity: float) -> bool:
        found: list[Passage] = [passage(REFUNDS, similarity=similarity)]
        return isinstance(decide(asked(text), found, MINILM), Answerable)

    assert outcome(min(1.0, low + more)) >= outcome(low)
