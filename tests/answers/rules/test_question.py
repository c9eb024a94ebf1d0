from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from answers.rules.question import MAX_CHARACTERS, Invalid, Question, SmallTalk, kind_of, read, tidy


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        ("", Invalid("answers.question_empty", 0)),
        (" \n\t\u200b ", Invalid("answers.question_empty", 5)),
        ("😀🎉 ?!", Invalid("answers.question_without_words", 5)),
        ("What is it?", Invalid("answers.question_only_stop_words", 11)),
        ("何ですか", Invalid("answers.question_only_stop_words", 4)),
        ("x" * 50_000, Invalid("answers.question_too_long", 50_000)),
        ("thanks", SmallTalk("thanks", "")),
        ("Hello there!", SmallTalk("Hello there!", "")),
        ("ありがとう", SmallTalk("ありがとう", "ja")),
        ("E4304", Question("E4304", "", ("e4304", "4304"), ("e4304",), "other")),
        (
            " Who wrote\nthe  report? ",
            Question("Who wrote the report?", "en", ("wrote", "report"), (), "who"),
        ),
        (
            "Wie viele Mitglieder hat der Verein?",
            Question("Wie viele Mitglieder hat der Verein?", "de", ("mitglied", "verein"), (), "how_many"),
        ),
        ("フルテキスト", Question("フルテキスト", "ja", ("フル", "ルテ", "テキ", "キス", "スト"), (), "other")),
    ],
)
def test_question_is_read_or_refused_with_its_reason(raw: str, expected: Question | SmallTalk | Invalid) -> None:
    assert read(raw) == expected


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("Who signed the lease?", "who"),
        ("When was the lease signed?", "when"),
        ("In what year did it end?", "when"),
        ("Where is the archive?", "where"),
        ("How many seats are there?", "how_many"),
        ("What is the maximum size of a file?", "how_many"),
        ("Which version of Django dropped Python 3.7?", "which_version"),
        ("Is the archive open on Sunday?", "yes_no"),
        ("How do I reset the pump?", "how_to"),
        ("Why does the pump stop?", "why"),
        ("Describe the pump", "other"),
        ("Wann wurde er unterschrieben?", "when"),
        ("¿Cuántos asientos hay?", "how_many"),
        ("Qui a signé le bail ?", "who"),
        ("会议什么时候开始？", "when"),
        ("なぜ止まりますか", "why"),
    ],
)
def test_question_words_tell_the_kind_of_answer(text: str, kind: str) -> None:
    assert kind_of(text) == kind


def test_courtesy_with_a_question_is_a_question() -> None:
    read_question = read("Thanks, and when does it close?")

    assert isinstance(read_question, Question)


@given(st.text(max_size=MAX_CHARACTERS + 50))
def test_any_text_is_read_without_an_error_and_tidying_twice_changes_nothing(raw: str) -> None:
    outcome = read(raw)

    assert isinstance(outcome, Invalid) or outcome.text == tidy(outcome.text)
    assert not isinstance(outcome, Question) or outcome.terms
