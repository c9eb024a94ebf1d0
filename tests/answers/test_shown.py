"""What an answer's page shows of its quotes: rows of a table as one, the heading nearest above, marks on the very words."""

from __future__ import annotations

import pytest
from bs4 import BeautifulSoup
from django.db import connections
from django.test.utils import CaptureQueriesContext

from answers import quoted, shown
from answers.models import Answer, Citation
from documents.text.layout import Words
from portal.scope import principal
from tests.answers.conftest import Ask, answer_of
from tests.documents.ingest.conftest import Shelf
from tests.documents.making import signed_in

MANUAL = """# Valve manual

## Care

The valve is oiled monthly.

## Errors

| Code | Meaning | What to do |
|---|---|---|
| V7301 | The valve is stuck | Tap it \\| wait |
| V7302 | The seal leaks | Replace it |

## Checking

Run this to check the valve V7399:

```
valve --check --all
```
"""


def shown_answer(shelf: Shelf, answer: Answer) -> tuple[shown.ShownAnswer, str]:
    scope = shelf.cast.scope(shelf.cast.ada)
    with principal(scope):
        citations = list(Citation.objects.visible_to(scope).filter(answer=answer))
        return shown.show(scope, answer, permalink=""), quoted.as_text(answer, citations)


def test_a_row_is_quoted_with_its_header_and_names_the_heading_above_it(shelf: Shelf, ask: Ask) -> None:
    shelf.put_and_read("valve.md", MANUAL)

    answer, text = shown_answer(shelf, answer_of(shelf, ask("What does V7301 mean?")))

    [quote] = answer.quotes
    [table] = quote.parts
    assert table.header == ((Words("Code"), Words("Meaning"), Words("What to do")),)
    assert table.rows == ((Words("V7301"), Words("The valve is stuck"), Words("Tap it | wait")),)
    assert quote.where == "Valve manual › Errors"
    assert answer.sources[0].heading_path == ("Errors",)
    assert answer.sources[0].used_label == "Used in quote 1"
    assert text == (
        "| Code | Meaning | What to do |\n|---|---|---|\n| V7301 | The valve is stuck | Tap it \\| wait |\n[1]"
    )


def test_a_card_marks_the_very_cells_and_nothing_else(shelf: Shelf, ask: Ask) -> None:
    shelf.put_and_read("valve.md", MANUAL)
    answer = answer_of(shelf, ask("What does V7301 mean?"))

    page = BeautifulSoup(signed_in(shelf.cast.ada).get(f"/answers/{answer.ref}/").content, "html.parser")

    marked = [mark.get_text() for mark in page.select("#source-1 mark")]
    assert marked == ["Code", "Meaning", "What to do", "V7301", "The valve is stuck", "Tap it | wait"]
    assert [heading.get_text() for heading in page.select("#source-1 .wrote-heading")][-2:] == ["Errors", "Checking"]
    assert page.select_one("#source-1 pre").get_text() == "valve --check --all"  # type: ignore[union-attr]
    opened = signed_in(shelf.cast.ada).get(str(page.select_one("#source-1 [data-open]")["href"]), follow=True)  # type: ignore[index]
    assert [mark.get_text() for mark in BeautifulSoup(opened.content, "html.parser").select("mark")] == marked
    assert "```" not in page.get_text()
    assert "|---" not in page.get_text()


def test_a_command_is_quoted_as_code(shelf: Shelf, ask: Ask) -> None:
    shelf.put_and_read("valve.md", MANUAL)

    answer, text = shown_answer(shelf, answer_of(shelf, ask("How do I check the valve V7399?")))

    quote = answer.quotes[0]
    assert [(part.kind, part.words.text) for part in quote.parts] == [
        ("prose", "Run this to check the valve V7399:"),
        ("code", "valve --check --all"),
    ]
    assert not quote.is_inline
    assert quote.where == "Valve manual › Checking"
    assert quote.text == "Run this to check the valve V7399:\nvalve --check --all"
    assert "valve --check --all" in text


def test_a_removed_source_is_said_in_the_text_too(shelf: Shelf, ask: Ask) -> None:
    answer = answer_of(shelf, ask("What does E4304 mean?"))
    Citation.objects.using("owner").filter(answer=answer).update(redacted=True, passage="")

    page, text = shown_answer(shelf, answer)

    assert {quote.is_removed for quote in page.quotes} == {True}
    assert set(text.split("\n")) == {"(source removed) [1]"}


@pytest.mark.parametrize(
    ("total_ms", "label"), [(0, "under 0.1 s"), (99, "under 0.1 s"), (100, "0.1 s"), (2345, "2.3 s")]
)
def test_a_time_is_said_in_tenths_of_a_second(total_ms: int, label: str) -> None:
    assert shown.took_label(total_ms) == label


def test_the_pages_cost_the_same_however_much_they_show(shelf: Shelf, ask: Ask) -> None:
    client = signed_in(shelf.cast.ada)
    address = f"/answers/{answer_of(shelf, ask('What does E4304 mean?')).ref}/"
    costs = []

    for more in (0, 7):
        for _ in range(more):
            ask("What does E4304 mean, and how is the filter cleaned?")
        for path in ("/", address, "/history/"):
            client.get(path)
            with CaptureQueriesContext(connections["default"]) as queries:
                assert client.get(path).status_code == 200
            costs.append(len(queries))

    assert costs[:3] == costs[3:]
    assert max(costs) <= 34  # two of them for the turns before and after


def test_passages_that_disagree_are_both_shown_with_their_day(shelf: Shelf, ask: Ask) -> None:
    shelf.put_and_read("retention-old.md", "# Retention\n\nThe access logs are kept for 30 days.\n")
    shelf.put_and_read("retention-new.md", "# Retention policy\n\nThe access logs are kept for 90 days.\n")

    kept = answer_of(shelf, ask("How long are the access logs kept?"))
    answer, _ = shown_answer(shelf, kept)

    day = kept.created_at.strftime("%-d %b %Y")
    assert {quote.text for quote in answer.quotes} == {
        "The access logs are kept for 30 days.",
        "The access logs are kept for 90 days.",
    }
    assert all(quote.where.endswith(f", as of {day}") for quote in answer.quotes)
    assert answer.notes[0].text.startswith("The passages do not agree on a number or a date.")


def test_quotes_that_agree_carry_no_day(shelf: Shelf, ask: Ask) -> None:
    answer, _ = shown_answer(shelf, answer_of(shelf, ask("What does E4304 mean for the motor?")))

    assert answer.notes == () and not any(" as of " in quote.where for quote in answer.quotes)


def test_a_card_leads_to_where_its_release_is_told(shelf: Shelf, ask: Ask) -> None:
    shelf.put_and_read(
        "CHANGELOG.md",
        "# Valves\n\n## [2.0.1](https://example.org/2.0.1)\n\n- The valve V7301 opens again.\n\n## 2.0.0\n\n- A new seal.\n",
    )
    answer = answer_of(shelf, ask("In which release does the valve V7301 open again?"))

    page = BeautifulSoup(signed_in(shelf.cast.ada).get(f"/answers/{answer.ref}/").content, "html.parser")

    [link] = page.select("#source-1 .origin a")
    assert (link["href"], link.get_text()) == ("https://example.org/2.0.1", "https://example.org/2.0.1")
    assert link["rel"] == ["noopener", "noreferrer", "nofollow"]
