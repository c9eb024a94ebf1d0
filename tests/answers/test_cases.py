"""Cases 30 and 32 end to end: brackets of a source are no citations, and old answers keep theirs."""

from __future__ import annotations

import re

from answers.models import Answer
from portal.scope import principal
from tests.answers.conftest import Ask, Name, answer_of
from tests.documents.ingest.conftest import Shelf
from tests.documents.making import signed_in
from tests.fakes.model_server import ModelServer, Says

BRACKETS = """# Drill manual

The drill chuck is changed as shown in [Guide](x.pdf) and in [1] of the annex [ID:0] [7].
"""
ASKED = (
    "What does E4304 mean for the motor?",
    "How often is the inlet filter cleaned?",
    "Who may open the motor housing?",
)


def page_of(shelf: Shelf, ref: str) -> str:
    return signed_in(shelf.cast.ada).get(f"/answers/{ref}/").content.decode()


def chips(page: str) -> list[str]:
    return re.findall(r'<a class="cite"[^>]*href="#source-(\d+)"', page)


def test_brackets_of_a_quoted_source_become_no_citations(ask: Ask, shelf: Shelf) -> None:
    shelf.put_and_read("drill.md", BRACKETS)

    page = page_of(shelf, answer_of(shelf, ask("How is the drill chuck changed?")).ref)

    assert "[ID:0]" in page and "drill chuck is changed" in page
    assert set(chips(page)) == {"1"}
    assert page.count('id="source-') == page.count('data-number="') + page.count('id="source-1-title"')
    assert 'href="x.pdf"' not in page


def test_brackets_that_a_model_copies_from_a_source_become_no_citations(
    ask: Ask, shelf: Shelf, model: ModelServer, operator_names: Name
) -> None:
    from answers import live
    from tests.answers.test_live import events

    shelf.put_and_read("drill.md", BRACKETS)
    operator_names(model)
    model.script(Says.text("The drill chuck is changed as shown in [Guide](x.pdf) and the annex [ID:0] [1]."))
    scope = shelf.cast.scope(shelf.cast.ada)

    ref = live.begin(scope, "How is the drill chuck changed?", collection_ids=None).ref
    events(scope, ref)
    page = page_of(shelf, ref)

    assert chips(page) == ["1"]
    assert 'href="x.pdf"' not in page


def test_three_questions_later_and_after_a_reload_every_answer_has_its_own_citations(ask: Ask, shelf: Shelf) -> None:
    refs = [answer_of(shelf, ask(text)).ref for text in ASKED]
    first = [(chips(page), re.findall(r"<mark[^>]*>[^<]+</mark>", page)) for page in (page_of(shelf, r) for r in refs)]

    again = [(chips(page), re.findall(r"<mark[^>]*>[^<]+</mark>", page)) for page in (page_of(shelf, r) for r in refs)]

    assert again == first
    assert all(numbers and marks for numbers, marks in first)
    assert len({str(marks) for _, marks in first}) == len(ASKED)


def test_an_old_answer_keeps_its_citations_when_the_document_has_a_new_version(ask: Ask, shelf: Shelf) -> None:
    ref = answer_of(shelf, ask(ASKED[0])).ref
    before = chips(page_of(shelf, ref))

    shelf.put_and_read("pump.md", "# Pump guide\n\nE4304 means the motor is fine again.\n")
    page = page_of(shelf, ref)

    scope = shelf.cast.scope(shelf.cast.ada)
    with principal(scope):
        quoted = Answer.objects.visible_to(scope).get(ref=ref).citations.all()[0].passage
    assert chips(page) == before
    assert "too hot" in quoted and "too hot" in page
    assert "has a newer version" in page
