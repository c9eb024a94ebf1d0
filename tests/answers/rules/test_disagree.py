from __future__ import annotations

import pytest

from answers.rules.disagree import disagree
from answers.rules.extract import write
from tests.answers.rules.passages import asked, passage

OLD = passage("Access logs are kept for 30 days. They are stored in Vienna.", title="Retention 2021")
NEW = passage("Access logs are kept for 90 days. The office has a garden.", no=2, title="Retention 2024")


@pytest.mark.parametrize(
    ("question", "first", "second", "expected"),
    [
        ("How long are logs kept?", "Logs are kept for 30 days.", "Logs are kept for 90 days.", True),
        ("How long are logs kept?", "Logs are kept for 30 days.", "Logs are kept for thirty days.", False),
        ("How long are logs kept?", "Logs are kept for 30 days.", "Backups are kept for 90 days.", False),
        ("When does the lease end?", "The lease ends on 1 May 2020.", "The lease ends on 3 June 2024.", True),
        ("When does the lease end?", "The lease ends on 1 May 2020.", "The lease costs 900 euros.", False),
        ("What is the price of Team?", "The Team plan costs 40 EUR.", "The Team plan costs 45 EUR.", True),
        ("How many live in the city?", "In Fresno 500 live in the city.", "In Boston 900 live in the city.", False),
        ("What changed in 2020?", "In 2020 the price rose.", "In 2020 the price rose.", False),
        ("How long are logs kept?", "Logs are kept.", "Logs are kept for 90 days.", False),
    ],
)
def test_disagreement_is_another_figure_for_the_same_thing(
    question: str, first: str, second: str, expected: bool
) -> None:
    assert disagree(asked(question), first, second) is expected
    assert disagree(asked(question), second, first) is expected


def test_both_sides_are_quoted_and_named() -> None:
    draft = write(asked("How long are access logs kept?"), [OLD, NEW])

    assert [draft.sentences[i].text for pair in draft.disagreeing for i in pair] == [
        "Access logs are kept for 30 days.",
        "Access logs are kept for 90 days.",
    ]


def test_one_document_does_not_disagree_with_itself() -> None:
    found = passage("Access logs are kept for 30 days. In Austria access logs are kept for 90 days.")

    assert write(asked("How long are access logs kept?"), [found]).disagreeing == ()
