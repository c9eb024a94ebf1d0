"""Choosing the passage that should have been used, in a browser: with words selected, and without script."""

from __future__ import annotations

import pytest

from tests.answers.conftest import Ask, answer_of
from tests.documents.ingest.conftest import Shelf
from tests.documents.pages.conftest import Browse, address, browse  # noqa: F401  (fixtures)
from tests.pages.test_browser import CHROMIUM

pytestmark = [pytest.mark.browser, pytest.mark.skipif(not CHROMIUM, reason="no chromium on this machine")]
QUESTION = "What does E4304 mean for the motor?"
SELECT = """words => {
  const walker = document.createTreeWalker(document.querySelector(".piece-text"), NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const at = node.data.indexOf(words);
    if (at >= 0) return getSelection().setBaseAndExtent(node, at, node, at + words.length);
  }
}"""


@pytest.mark.parametrize("scripts", [True, False])
def test_a_passage_is_chosen_on_the_page_of_its_document(
    ask: Ask,
    shelf: Shelf,
    browse: Browse,  # noqa: F811
    scripts: bool,
) -> None:
    ref = answer_of(shelf, ask(QUESTION)).ref

    with browse(shelf.cast.ada, scripts=scripts) as page:
        page.goto(f"/answers/{ref}/")
        page.click("text=Why this answer?")
        page.fill("#document", "pump.md")
        page.click("text='Why not?'")
        page.wait_for_selector("[data-choose]")
        if scripts:
            page.evaluate(SELECT, "motor is too hot")
        page.click("[data-choose] button")
        page.wait_for_selector("[data-verdict]")
        verdict, words = page.get_attribute("[data-verdict]", "data-verdict"), page.input_value("#words")

    assert verdict == "used"
    assert words == ("motor is too hot" if scripts else "")
