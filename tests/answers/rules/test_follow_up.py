"""Follow-ups as questions that stand alone: an example table, the measured set, and what never changes."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from answers.rules.follow_up import is_faithful, may_lean, standalone
from answers.rules.follow_up_topic import topic_of
from answers.rules.question import tidy
from bench.completing import pairs, wrong

REVENUE = "What was the revenue in 2022?"
SAID = (
    ("revenue 2022?", "and 2023?", "revenue 2023?"),
    (REVENUE, "And in 2023?", "What was the revenue in 2023?"),
    (REVENUE, "and in Germany?", "What was the revenue in 2022 in Germany?"),
    (REVENUE, "why?", "Why? What was the revenue in 2022?"),
    ("How long is the warranty for motors?", "and for pumps?", "How long is the warranty for pumps?"),
    ("How do I install FastAPI?", "How do I update it?", "How do I update FastAPI?"),
    ("What is a dependency in FastAPI?", "How do I override it?", "How do I override a dependency in FastAPI?"),
    ("Who is Marie Curie?", "When was she born?", "When was Marie Curie born?"),
    ("When was the museum opened?", "Who founded it?", "Who founded the museum?"),
    ("What is the warranty?", "What are its limits?", "What are the warranty's limits?"),
    ("Who works in the lab?", "What does one learn there?", "What does one learn in the lab?"),
    ("Who founded Rotaria?", "Where does he live?", "Where does he live (Who founded Rotaria)?"),
    ("Wie installiere ich den Server?", "Was mache ich damit?", "Was mache ich mit den Server?"),
    ("Comment installer le serveur ?", "Comment l'arrêter ?", "Comment arrêter le serveur ?"),
    ("Come installo il server?", "Come aggiornarlo?", "Come aggiornare il server?"),
    ("2022年的收入是多少？", "那2023年呢？", "2023年的收入是多少？"),
    ("サーバーを再起動する方法は？", "なぜ？", "なぜ？サーバーを再起動する方法は？"),
    ("서울의 인구는 얼마입니까?", "부산은?", "부산의 인구는 얼마입니까？"),
)
ALONE = (
    "Is it possible to run FastAPI on Windows?",
    "How long does it take to index a PDF?",
    "Is there a setting that is global?",
    "uvicorn reload option",
    "E4304",
    "Thanks!",
    "如何安装服务器？",
)


@pytest.mark.parametrize(("before", "typed", "whole"), SAID)
def test_what_is_left_out_is_taken_from_the_question_before(before: str, typed: str, whole: str) -> None:
    assert standalone(typed, ["Who cooks?", before]) == whole


@pytest.mark.parametrize("typed", ALONE)
def test_a_question_that_stands_alone_stays_as_it_was_typed(typed: str) -> None:
    assert standalone(typed, [REVENUE]) == typed


def test_the_measured_set_is_large_enough_and_nearly_all_right() -> None:
    asked = list(pairs())

    assert len(asked) >= 60
    assert sum(pair.same for pair in asked) >= 8
    assert len(wrong()) <= 3


@given(st.text(max_size=80), st.text(max_size=80))
def test_any_text_is_completed_without_an_error_and_alone_stays_itself(typed: str, before: str) -> None:
    assert isinstance(standalone(typed, [before]), str)
    assert standalone(typed, []) == tidy(typed)


@pytest.mark.parametrize(
    ("question", "topic"),
    [
        ("What is the retention period?", "the retention period"),
        ("How do I rotate an API key?", "an API key"),
        ("What does E4304 mean?", "E4304"),
        ("Wie lange dauert die Wartung?", "die Wartung"),
        ("Why?", ""),
    ],
)
def test_the_topic_is_a_name_or_a_noun_with_what_belongs_to_it(question: str, topic: str) -> None:
    assert topic_of(question) == topic


@pytest.mark.parametrize(
    ("rewritten", "is_right"),
    [
        ("What was the revenue in 2023?", True),
        ("What was the revenue in 2019?", False),
        ("What was the revenue of ACME-4711 in 2023?", False),
        ("The weather in Paris is sunny and warm today", False),
        ("What was the revenue in 2023? " + "Revenue is what a company earns. " * 9, False),
    ],
)
def test_a_model_may_not_bring_in_what_nobody_said(rewritten: str, is_right: bool) -> None:
    assert is_faithful(rewritten, "and 2023?", [REVENUE]) is is_right


def test_a_model_is_only_asked_where_a_text_may_lean() -> None:
    long = "How do I declare a query parameter with a default value in a path operation of FastAPI?"

    assert (may_lean("and 2023?", [REVENUE]), may_lean("and 2023?", []), may_lean(long, [REVENUE])) == (
        True,
        False,
        False,
    )
