from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from answers.rules.citations import Audit, AuditedSentence, audit
from answers.rules.extract import Draft, Quote, write
from answers.rules.markers import Marker, clean, markers
from answers.rules.support import Check, check
from tests.answers.rules.passages import asked, passage

LEASE = passage("The lease was signed by Maria Olsen in March 2019. It covers 40 parking spaces. Pets are not allowed.")
PUMP = passage("The pump stops when the tank is empty, as shown in [1] and [Guide](x.pdf) [ID:0].", no=2)
FOUR = ["one", "two", "three", "four"]


@pytest.mark.parametrize(
    ("text", "cleaned", "removed"),
    [
        ("Fact [1].", "Fact [1].", 0),
        ("Fact [1, 2].", "Fact [1][2].", 0),
        ("Fact [1][2].", "Fact [1][2].", 0),
        ("Fact **[1]**.", "Fact [1].", 0),
        ("Fact [1-3].", "Fact [1][2][3].", 0),
        ("Fact [^2].", "Fact [2].", 0),
        ("Fact【3】.", "Fact[3].", 0),
        ("Fact【3†source】.", "Fact[3].", 0),
        ("Fact ［1］。", "Fact [1]。", 0),
        ("Fact [7].", "Fact.", 1),
        ("Fact [0].", "Fact.", 1),
        ("Fact [1, 7].", "Fact [1].", 1),
        ("Fact [1][1].", "Fact [1][1].", 0),
        ("[Guide](x.pdf) and [ID:0] and [1](http://x)", "[Guide](x.pdf) and [ID:0] and [1](http://x)", 0),
        ("[1]: https://example.com", "[1]: https://example.com", 0),
        ("Use `a[1]` and\n```\nb[7]\n```\nso [2].", "Use `a[1]` and\n```\nb[7]\n```\nso [2].", 0),
        ("```\nopen fence [9]", "```\nopen fence [9]", 0),
    ],
)
def test_every_form_of_marker_is_read_and_unknown_ones_are_removed(text: str, cleaned: str, removed: int) -> None:
    assert clean(text, FOUR) == (cleaned, removed)


def test_bracket_quoted_from_a_passage_is_not_our_marker() -> None:
    text = "The pump stops when the tank is empty, as shown in [1] and more [2]."

    assert markers(text, [LEASE.text, PUMP.text]) == (Marker(64, 67, (2,)),)


def test_unknown_number_is_removed_and_counted_even_where_a_document_holds_it() -> None:
    held = "The pump stops when the tank is empty, see the drawing [99]. Then call the supplier."

    assert clean(f"{held[:60]} It does [1].", [held]) == (
        "The pump stops when the tank is empty, see the drawing. It does [1].",
        1,
    )


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        ("Maria Olsen signed the lease in March 2019.", Check("supported", 1.0)),
        ("Maria Olsen signed the lease in March 2018.", Check("not_supported", 0.833, ("number",))),
        ("The lease was signed by Peter Olsen in March 2019.", Check("not_supported", 0.833, ("entity",))),
        ("The lease was not signed by Maria Olsen.", Check("not_supported", 1.0, ("negation",))),
        ("Pets are allowed.", Check("not_supported", 1.0, ("negation",))),
        ("Pets are not allowed.", Check("supported", 1.0)),
        ("It covers forty parking spaces.", Check("supported", 0.75)),
        ("Whales sing in deep water.", Check("not_supported", 0.0, ("words",))),
        ("Parking spaces near cinemas cost money.", Check("not_supported", 0.333, ("words",))),
    ],
)
def test_sentence_is_held_to_words_numbers_names_and_negation(sentence: str, expected: Check) -> None:
    assert check(sentence, [LEASE.text]) == expected


@pytest.mark.parametrize(
    ("sentence", "support"),
    [
        ("The Oslo office rents 12 desks in 2019.", "supported"),
        ("The Oslo office rents 30 desks in 2019.", "not_supported"),
        ("The Oslo office rents 12 desks and the Bergen office 30.", "supported"),
        ("1200 people work at the Oslo office.", "supported"),
    ],
)
def test_number_must_stand_in_the_part_that_says_the_same(sentence: str, support: str) -> None:
    held = (
        "In 2019 the Oslo office rents 12 desks. The Bergen office has 30 rooms. At the Oslo office 1,200 people work."
    )

    assert check(sentence, [held]).support == support


def test_written_answer_is_audited_sentence_by_sentence() -> None:
    answer = "Maria Olsen signed the lease. [1] It covers 50 parking spaces [1][9]. Pets are not allowed."

    assert audit(answer, [LEASE, PUMP]) == Audit(
        "Maria Olsen signed the lease. [1] It covers 50 parking spaces [1]. Pets are not allowed.",
        (
            AuditedSentence(0, 33, (1,), Check("supported", 1.0)),
            AuditedSentence(34, 66, (1,), Check("not_supported", 0.75, ("number",))),
            AuditedSentence(67, 88, (), Check("partly", 1.0, ("uncited",))),
        ),
        "partly",
        1,
    )


def test_citation_of_the_wrong_passage_is_not_supported() -> None:
    assert audit("Maria Olsen signed the lease [2].", [LEASE, PUMP]).verdict == "not_supported"


def test_code_in_an_answer_is_no_sentence() -> None:
    found = audit("The pump stops when the tank is empty [2].\n\n```\nrun 17 now\n```\n", [LEASE, PUMP])

    assert [(s.citations, s.support) for s in found.sentences] == [((2,), "supported")]


def test_quotes_are_supported_by_standing_where_they_say() -> None:
    draft = write(asked("Who signed the lease?"), [LEASE])
    moved = Draft((Quote(1, 1, 4, "The"),))
    foreign = Draft((Quote(9, 0, 3, "The"),))

    assert audit(draft, [LEASE]).verdict == "supported"
    assert audit(moved, [LEASE]).sentences == (AuditedSentence(0, 7, (1,), Check("not_supported", 0.0, ("offsets",))),)
    assert audit(foreign, [LEASE]).verdict == "not_supported"


def test_empty_answer_is_not_supported() -> None:
    assert audit("", [LEASE]) == Audit("", (), "not_supported", 0)
    assert audit(Draft(), [LEASE]).verdict == "not_supported"


@given(st.text(alphabet="ab [1]2,*`\n.(【】^-9", max_size=120))
def test_cleaned_text_names_only_passages_that_exist_and_stays_clean(text: str) -> None:
    cleaned, _ = clean(text, FOUR)

    assert all(not marker.unknown for marker in markers(cleaned, FOUR))
    assert clean(cleaned, FOUR) == (cleaned, 0)
