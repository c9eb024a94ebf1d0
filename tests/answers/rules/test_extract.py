from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from answers.rules.extract import MAX_CHARACTERS, MAX_QUOTES, Draft, Quote, candidates, write
from tests.answers.rules.passages import asked, passage

LEASE = passage(
    "The lease was signed by Maria Olsen in March 2019. It covers 40 parking spaces. The roof is flat.", title="Lease"
)
PUMP = passage(
    "# Pump\n\nThe pump stops when the tank is empty. To reset the pump run:\n\n```sh\npump reset --all\n```\n", no=2
)
PRICES = passage("| Plan | Price |\n|------|-------|\n| Free | 0 EUR |\n| Team | 40 EUR |", no=3)


def quoted(question: str, *passages: object) -> list[tuple[int, str]]:
    draft = write(asked(question), passages)  # type: ignore[arg-type]
    return [(quote.passage_no, quote.text) for quote in draft.sentences]


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("Who signed the lease?", [(1, "The lease was signed by Maria Olsen in March 2019.")]),
        ("How many parking spaces are covered?", [(1, "It covers 40 parking spaces.")]),
        (
            "How do I reset the pump?",
            [(2, "To reset the pump run:\n\n```sh\npump reset --all\n```")],
        ),
        ("What is the price of the Team plan?", [(3, "| Plan | Price |"), (3, "| Team | 40 EUR |")]),
    ],
)
def test_answer_is_quoted_with_what_it_needs_to_be_understood(question: str, expected: list[tuple[int, str]]) -> None:
    assert quoted(question, LEASE, PUMP, PRICES) == expected


def test_question_of_two_parts_gets_a_quote_for_each_in_document_order() -> None:
    found = quoted("How many parking spaces are there, and who signed the lease?", LEASE)

    assert found == [
        (1, "The lease was signed by Maria Olsen in March 2019."),
        (1, "It covers 40 parking spaces."),
    ]


def test_quote_names_its_passage_and_place() -> None:
    draft = write(asked("How many parking spaces are covered?"), [LEASE])

    assert draft == Draft((Quote(1, 51, 79, "It covers 40 parking spaces.", "sentence", draft.sentences[0].score),))
    assert draft.text == "It covers 40 parking spaces. [1]"


def test_sentence_in_two_overlapping_passages_is_quoted_once() -> None:
    text = "The lease ends in 2030."
    first = passage("A lease is a contract. " + text)
    second = passage(text + " The roof is flat.", start=23)

    assert quoted("When does the lease end?", first, second)[-1:] == [(1, text)]
    assert [no for no, _ in quoted("When does the lease end?", first, second)] == [1] * len(
        quoted("When does the lease end?", first, second)
    )


@pytest.mark.parametrize(
    "text",
    ["The options are:", "# Reset the pump", "Home › Pump › Reset › All", "Pump\n====\n"],
)
def test_nothing_that_says_nothing_is_quoted(text: str) -> None:
    assert write(asked("Which options reset the pump?"), [passage(text)]) == Draft()


def test_sentence_that_announces_a_list_brings_it() -> None:
    found = passage("The pump has these options:\n\n- quiet\n- fast\n\nNothing else.")

    assert quoted("Which options has the pump?", found) == [(1, "The pump has these options:\n\n- quiet\n- fast")]


def test_overlong_sentence_is_cut_at_clauses_around_the_terms() -> None:
    filler = ", ".join(f"clause number {n} says little" for n in range(40))
    found = passage(f"{filler}, the deposit is 900 euros, {filler}.")

    (quote,) = write(asked("How high is the deposit?"), [found]).sentences

    assert "the deposit is 900 euros" in quote.text
    assert quote.text == found.text[quote.start : quote.end]
    assert len(quote.text) <= MAX_CHARACTERS


def test_chinese_answer_is_found_by_its_characters() -> None:
    found = passage("公司成立于2001年。退款将在十四天内支付。屋顶是平的。", language="zh")

    assert quoted("退款多少天内支付？", found) == [(1, "退款将在十四天内支付。")]


def test_similarity_decides_where_words_do_not() -> None:
    found = passage("Money back takes two weeks. Money is printed on paper.")
    question = asked("How long until money returns?")
    places = {(c.passage_no, c.start): float("printed" in c.text) for c in candidates(question, [found])}

    assert write(question, [found], similarity=places).sentences[0].text == "Money is printed on paper."


def test_no_passages_and_no_common_word_give_an_empty_draft() -> None:
    assert write(asked("Who signed the lease?"), []) == Draft()
    assert write(asked("blue whales"), [LEASE]) == Draft()


@given(
    st.lists(st.text(alphabet="lease pump 40.:\n-|`#,中", max_size=600), min_size=1, max_size=4),
    st.sampled_from(["When does the lease end?", "pump 40", "How do I lease a pump? And who?"]),
)
def test_any_passages_give_exact_quotes_within_the_limits(texts: list[str], question: str) -> None:
    found = [passage(text, no=no) for no, text in enumerate(texts, start=1)]

    quotes = write(asked(question), found).sentences

    assert len(quotes) <= MAX_QUOTES
    assert sum(len(quote.text) for quote in quotes) <= MAX_CHARACTERS
    assert all(quote.text == found[quote.passage_no - 1].text[quote.start : quote.end] for quote in quotes)
    assert not any(quote.text.rstrip().endswith(":") for quote in quotes if quote.kind == "sentence")
