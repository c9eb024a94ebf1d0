from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from answers.rules.units import units
from tests.answers.rules.passages import passage

GUIDE = """# Install

Home » Docs » Install » Page

Install the package. You need Python 3.8 or later:

```console
$ pip install it
```

The options are:

- `debug`: print errors
- `reload`: restart on change

| Plan | Price |
|------|-------|
| Team | 40 EUR |

Further reading"""


def test_guide_gives_its_quotable_units_with_what_introduces_them() -> None:
    found = passage(GUIDE, heading_path=("Install",))

    shown = [(unit.kind, found.text[unit.start : unit.end], unit.lead) for unit in units(found)]

    assert shown == [
        ("sentence", "Install the package.", None),
        ("sentence", "You need Python 3.8 or later:", None),
        ("code", "```console\n$ pip install it\n```", 1),
        ("sentence", "The options are:", None),
        ("item", "`debug`: print errors", 3),
        ("item", "`reload`: restart on change", 3),
        ("row", "| Plan | Price |", None),
        ("row", "| Team | 40 EUR |", 6),
    ]


@pytest.mark.parametrize(
    "text",
    ["# Only a heading", "Opening hours\n=============\n", ".. note::\n   hidden", "---\n\n| --- |", ""],
)
def test_heading_and_markup_are_no_units(text: str) -> None:
    assert units(passage(text)) == ()


def test_heading_line_is_left_out_and_its_text_is_kept() -> None:
    found = passage("Opening hours\n\nWe open at nine.", heading_path=("Opening hours",))

    assert [found.text[u.start : u.end] for u in units(found)] == ["We open at nine."]


def test_code_passage_is_one_unit() -> None:
    found = passage("\na = 1\n\nb = 2\n", kind="code")

    assert [(u.kind, found.text[u.start : u.end]) for u in units(found)] == [("code", "a = 1\n\nb = 2")]


def test_long_list_item_is_quoted_by_its_sentences() -> None:
    first, second = "The first step takes quite a long while. " * 5, "The second is short."
    found = passage(f"1. {first}{second}")

    assert [u.kind for u in units(found)] == ["item"] * 6
    assert found.text[units(found)[-1].start :] == second


@given(st.text(alphabet="aB1 .!?:\n\t-|`#=*中。>", max_size=200))
def test_units_lie_in_order_inside_the_passage_and_count_their_places(text: str) -> None:
    found = units(passage(text))

    assert [unit.place for unit in found] == list(range(len(found)))
    assert all(0 <= unit.start < unit.end <= len(text) for unit in found)
    assert all(a.end <= b.start for a, b in pairwise(found))
    assert all(unit.lead is None or unit.lead < unit.place for unit in found)
