from __future__ import annotations

import pytest

from answers.rules.extract import write
from answers.rules.instructions import is_instruction, is_lead_in, is_step
from answers.rules.units import units
from tests.answers.rules.passages import asked, passage

INSTALL = passage(
    "The first step is to set up your project and add FastAPI. There are several ways to install it.\n\n"
    "Install uv, then create a project and add FastAPI:\n\n```console\n$ uv init shop\n$ uv add fastapi\n```\n\n"
    "FastAPI is then installed for this project alone.",
    title="FastAPI",
)
TWO_FACTOR = passage(
    "Two-factor login adds security to your account.\n\nTo enable two-factor login:\n\n1. Go to your account.\n"
    "2. Click on Two-factor.\n3. Scan the code.\n\nTo disable two-factor login:\n\n1. Go to your account.\n2. Click on Off.\n",
    no=2,
)


def quoted(question: str, *passages: object) -> list[str]:
    return [quote.text for quote in write(asked(question), passages).sentences]  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Run the migration before you start.", True),
        ("Then click Save.", True),
        ("To stop the pump, press the red button.", True),
        ("You can also set the level in the console.", True),
        ("The pump runs at night.", False),
        ("In this section we add a pump.", False),
        ("The first step is to install the pump.", False),
        ("There are several ways to add a domain.", False),
    ],
)
def test_instruction_is_told_from_its_announcement(text: str, expected: bool) -> None:
    assert is_instruction(text) is expected


@pytest.mark.parametrize(
    "text", ["Here you see the pump.", "Let's see how.", "/guides/pump\nLearn how to stop the pump."]
)
def test_lead_in_says_nothing_itself(text: str) -> None:
    assert is_lead_in(text)


def test_numbered_and_imperative_items_are_steps_and_others_are_not() -> None:
    found = passage("1. The tank\n2. The filter\n\n- Open the valve.\n- A red valve\n")

    assert [is_step(found.text, unit) for unit in units(found)] == [True, True, True, False]


def test_how_to_quotes_the_command_and_no_lead_in() -> None:
    assert quoted("How do I install FastAPI?", INSTALL) == [
        "Install uv, then create a project and add FastAPI:\n\n```console\n$ uv init shop\n$ uv add fastapi\n```"
    ]


def test_how_to_quotes_a_sentence_with_the_code_right_after_it() -> None:
    found = passage("Pumps are fun.\n\nCall reset() to restart the pump.\n\n```py\npump.reset()\n```\n\nThe end.")

    assert quoted("How do I restart the pump?", found) == [
        "Call reset() to restart the pump.\n\n```py\npump.reset()\n```"
    ]


def test_how_to_quotes_the_steps_of_one_list_from_its_lead() -> None:
    assert quoted("How do I enable two-factor login?", TWO_FACTOR) == [
        "To enable two-factor login:\n\n1. Go to your account.\n2. Click on Two-factor.\n3. Scan the code."
    ]


def test_steps_that_do_not_fit_are_cut_between_two_steps() -> None:
    steps = "\n".join(
        f"{n}. Open valve {n} of the pump and wait until the pressure has fallen below one bar." for n in range(1, 12)
    )

    (quote,) = quoted("How do I open the valve?", passage(f"To open the valves of the pump:\n\n{steps}\n"))

    assert len(quote) <= 400
    assert quote.endswith("below one bar.")


def test_what_is_no_how_to_is_quoted_as_before() -> None:
    assert quoted("What does two-factor login add?", TWO_FACTOR)[0] == "Two-factor login adds security to your account."
