"""What the scripts do with the server's answers: rows that follow their document, forms, failures, uploads."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest
from playwright.sync_api import Browser, FilePayload, Page, Route, expect

from tests.pages import cast
from tests.pages.render import render
from tests.pages.test_browser import address, browser, pytestmark

__all__ = ["address", "browser", "pytestmark"]


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    page = browser.new_context(viewport={"width": 1280, "height": 800}).new_page()
    yield page
    page.context.close()


def markdown(name: str, body: bytes = b"# A") -> FilePayload:
    return {"name": name, "mimeType": "text/markdown", "buffer": body}


def answer_with(page: Page, pattern: str, status: int, body: str, **headers: str) -> None:
    def fulfil(route: Route) -> None:
        if route.request.resource_type == "document":
            route.fallback()
        else:
            route.fulfill(status=status, content_type="text/html", headers=headers, body=body)

    page.route(pattern, fulfil)


def test_a_row_follows_its_document_and_says_so_once(page: Page, address: str) -> None:
    ready = replace(cast.ROWS[1], state=cast.READY, poll_s=0)
    answer_with(page, "**/documents/d2/row/", 200, render("_document_row.html", {"row": ready, "now": cast.NOW}))

    page.goto(f"{address}/library")

    expect(page.locator("#document-d2")).to_have_attribute("data-state", "ready")
    expect(page.locator("#live")).to_have_text("openapi-billing.yaml: Ready")


def test_a_row_of_a_removed_document_goes_without_a_word_above_the_page(page: Page, address: str) -> None:
    answer_with(page, "**/documents/d2/row/", 404, render("404.html", cast.signed_in()))

    page.goto(f"{address}/library")

    expect(page.locator("#document-d2")).to_have_count(0)
    expect(page.locator("#live")).to_have_text("A document of this list was removed.")
    assert page.locator("#page-note #problem").count() == 0


def test_a_form_with_an_error_comes_back_in_its_place_with_the_focus(page: Page, address: str) -> None:
    wrong = replace(cast.ASK, question="🦉", error="There are no words in this question to search for.")
    answer_with(page, f"{address}/", 422, render("_ask_form.html", {"ask": wrong}))
    page.goto(f"{address}/ask")

    page.fill("#question", "🦉")
    page.keyboard.press("Enter")

    expect(page.locator("#question-error")).to_have_text(wrong.error)
    expect(page.locator("#question")).to_be_focused()
    assert page.locator("#ask-form").count() == 1


def test_a_failure_shows_its_words_and_keeps_the_question(page: Page, address: str) -> None:
    answer_with(page, f"{address}/", 429, render("429.html", cast.signed_in()))
    page.goto(f"{address}/ask")

    page.fill("#question", "How long?")
    page.click("#ask-form button")

    expect(page.locator("#page-note #problem h1")).to_have_text("That was a lot at once.")
    expect(page.locator("#question")).to_have_value("How long?")
    expect(page.locator("#ask-form button")).to_be_enabled()
    assert page.title() == "Ask · Footnote"


def test_a_failure_without_a_page_still_has_words(page: Page, address: str) -> None:
    answer_with(page, f"{address}/", 502, "<html><body>Bad gateway</body></html>")
    page.goto(f"{address}/ask")

    page.fill("#question", "How long?")
    page.click("#ask-form button")

    expect(page.locator("#page-note")).to_contain_text("What you typed is still here")


def test_no_connection_is_said(page: Page, address: str) -> None:
    page.goto(f"{address}/ask")
    page.route(f"{address}/", lambda route: route.abort())

    page.fill("#question", "How long?")
    page.click("#ask-form button")

    expect(page.locator("#page-note")).to_contain_text("No connection to the server.")
    expect(page.locator("#question")).to_have_value("How long?")


def test_an_answer_is_reached_by_the_redirect_header(page: Page, address: str) -> None:
    answer_with(page, f"{address}/", 204, "", **{"HX-Redirect": "/answer"})
    page.goto(f"{address}/ask")

    page.fill("#question", "How long?")
    page.keyboard.press("Enter")

    page.wait_for_url("**/answer")


def test_each_file_is_sent_alone_and_shows_what_became_of_it(page: Page, address: str) -> None:
    taken = replace(cast.UPLOAD, results=cast.RESULTS[:1], results_label="1 taken")
    answer_with(page, "**/library/upload/", 202, render("_upload_results.html", {"upload": taken}))
    page.goto(f"{address}/library")

    page.set_input_files("#files", [markdown("a.md"), markdown("b.md"), markdown("c.md")])

    expect(page.locator("#upload-results .result.accepted")).to_have_count(3)
    expect(page.locator("[data-tally]")).to_have_text("3 taken")


def test_a_file_over_the_limit_is_not_sent(page: Page, address: str) -> None:
    page.goto(f"{address}/library")
    page.evaluate("document.getElementById('upload').dataset.maxBytes = '10'")

    page.set_input_files("#files", [markdown("big.md", b"more than ten bytes")])

    expect(page.locator("#upload-results li")).to_contain_text("larger than 25 MB")
    expect(page.locator("[data-tally]")).to_have_text("1 not taken")


def test_a_file_that_did_not_arrive_can_be_sent_again(page: Page, address: str) -> None:
    answer_with(page, "**/library/upload/", 503, render("503.html", cast.signed_in()))
    page.goto(f"{address}/library")
    page.set_input_files("#files", [markdown("a.md")])
    expect(page.locator("[data-tally]")).to_have_text("1 not sent")

    page.unroute("**/library/upload/")
    taken = replace(cast.UPLOAD, results=cast.RESULTS[:1])
    answer_with(page, "**/library/upload/", 202, render("_upload_results.html", {"upload": taken}))
    page.click("text=Send again")

    expect(page.locator("[data-tally]")).to_have_text("1 taken")
