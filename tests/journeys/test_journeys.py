"""The journeys of a member on the real stack: real upload, real worker, real answer; by keyboard alone."""

from __future__ import annotations

import re
import time
from pathlib import Path
from typing import Literal

import axe_playwright_python
import pytest
from playwright.sync_api import Browser, Page, expect

from tests.conftest import PASSWORD
from tests.journeys.conftest import CHROMIUM, Hands, Stack, open_page

pytestmark = [pytest.mark.browser, pytest.mark.skipif(not CHROMIUM, reason="no chromium on this machine")]

AXE = (Path(axe_playwright_python.__file__).parent / "axe.min.js").read_text()
WIDTHS = (320, 768, 1280)
SCHEMES: tuple[Literal["light", "dark"], ...] = ("light", "dark")
GUIDE = """# Pump guide

## Care

The inlet filter is cleaned monthly. Only a trained technician may open the motor housing.

- Look at the hose every Monday.
- Look at the display every day.

## Errors

| Code | Meaning | What to do |
|---|---|---|
| E4303 | The inlet is blocked | Clean the filter |
| E4304 | The motor is too hot | Let it cool for 30 minutes |

## Checking

Run this once a week:

```
pump --check --verbose
```
"""


@pytest.fixture
def guide(tmp_path: Path) -> Path:
    path = tmp_path / "pump-guide.md"
    path.write_text(GUIDE)
    return path


def sign_in(hands: Hands, *, password: str = PASSWORD) -> None:
    hands.write("#email", "ada@example.org")
    hands.write("#password", password)
    with hands.page.expect_navigation():
        hands.page.keyboard.press("Enter")


def upload(hands: Hands, file: Path) -> None:
    """Choose a file and wait until the list says Ready."""
    page = hands.page
    hands.follow(".top .nav a[href='/library/']")
    hands.go_to("#files")
    with page.expect_file_chooser() as chooser:
        page.keyboard.press("Enter")
    chooser.value.set_files(file)
    button = page.locator("#upload button[type=submit]")
    if button.is_visible():
        hands.follow("#upload button[type=submit]")
    row = page.locator(".document-row", has_text=file.name)
    expect(page.locator("#upload-results .result.accepted")).to_contain_text(file.name)
    until = time.monotonic() + 60
    while not row.locator(".state.ready").is_visible():
        assert time.monotonic() < until, row.inner_text()
        page.wait_for_timeout(300)
        if button.is_visible():
            page.goto(f"{hands.stack.url}/library/")


def ask(hands: Hands, question: str, *, scripted: bool) -> None:
    hands.write("#question", question)
    if scripted:
        with hands.page.expect_navigation():
            hands.page.keyboard.press("Enter")
    else:
        hands.follow("#ask-form button[type=submit]")
    hands.page.wait_for_selector("#answer")


@pytest.mark.parametrize("scripted", [True, False], ids=["with script", "without script"])
def test_the_journeys_pass_by_keyboard_alone(browser: Browser, stack: Stack, guide: Path, scripted: bool) -> None:
    hands = open_page(browser, stack, java_script_enabled=scripted)
    page = hands.page

    page.goto(f"{stack.url}/library/")
    sign_in(hands, password="not this one")
    expect(page.locator("#sign-in-error")).to_contain_text("do not match an account")
    sign_in_again(hands)
    expect(page.locator("h1")).to_have_text("Library")

    upload(hands, guide)
    hands.follow(".top .nav a[href='/']")

    ask(hands, "What does the error code E4304 mean?", scripted=scripted)
    expect(page.locator(".answer-status .state")).to_have_text("Supported")
    expect(page.locator(".quote td", has_text="The motor is too hot")).to_be_visible()
    expect(page.locator(".quote th")).to_have_text(["Code", "Meaning", "What to do"])
    expect(page.locator(".quote figcaption").first).to_contain_text("Pump guide › Errors")

    hands.press(".cite")
    expect(page.locator("#source-1")).to_be_focused() if scripted else expect(page).to_have_url(
        re.compile("#source-1$")
    )
    assert "The motor is too hot" in page.locator("#source-1 mark").all_inner_texts()
    if scripted:
        page.keyboard.press("Escape")
        expect(page.locator(".cite").first).to_be_focused()
    hands.follow("#source-1 [data-open]")
    expect(page.locator(".piece.target")).to_be_visible()
    expect(page.get_by_role("heading", name="Errors")).to_be_visible()
    expect(page.locator(".wrote-code", has_text="pump --check --verbose")).to_be_visible()

    hands.follow(".top .nav a[href='/']")
    ask(hands, "Which planet has the largest moon?", scripted=scripted)
    expect(page.locator(".answer-status .state")).to_have_text("Not found in your documents")
    expect(page.locator(".hints li")).not_to_have_count(0)

    hands.follow(".top .nav a[href='/history/']")
    expect(page.locator(".asked-question")).to_have_text(
        ["Which planet has the largest moon?", "What does the error code E4304 mean?"]
    )
    hands.follow(".asked:nth-child(2) .asked-question")
    expect(page.locator("h1")).to_have_text("What does the error code E4304 mean?")
    said = [line for line in hands.said if "422" not in line]
    page.context.close()

    assert said == []


def sign_in_again(hands: Hands) -> None:
    """After a wrong password the e-mail is still there."""
    assert hands.page.input_value("#email") == "ada@example.org"
    hands.write("#password", PASSWORD)
    with hands.page.expect_navigation():
        hands.page.keyboard.press("Enter")


def test_a_question_outlives_the_session_it_was_typed_in(browser: Browser, stack: Stack) -> None:
    hands = open_page(browser, stack)
    page = hands.page
    page.goto(f"{stack.url}/")
    sign_in(hands)

    hands.write("#question", "How often is the filter cleaned?")
    page.context.clear_cookies(name="sessionid")
    with page.expect_navigation():
        page.keyboard.press("Enter")
    expect(page.locator("#sign-in")).to_contain_text("What you typed is kept in this tab.")
    sign_in(hands)
    kept = page.input_value("#question")
    page.context.close()

    assert kept == "How often is the filter cleaned?"


def walk(hands: Hands, guide: Path) -> dict[str, str]:
    """Signs in, uploads, asks twice; the address of every page there is to see then."""
    page, url = hands.page, hands.stack.url
    page.goto(f"{url}/")
    sign_in(hands)
    upload(hands, guide)
    document = page.locator("a.document-title").get_attribute("href")
    addresses = {"document": f"{url}{document}"}
    for name, question in (
        ("answer", "What does the error code E4304 mean?"),
        ("declined", "Which planet is largest?"),
    ):
        page.goto(f"{url}/")
        ask(hands, question, scripted=True)
        addresses[name] = page.url
    fixed = {"ask": "/", "library": "/library/", "history": "/history/", "status": "/status/", "help": "/help/"}
    fixed |= {"nothing": "/documents/none/", "delete": f"{document}delete/", "replace": f"{document}replace/"}
    fixed |= {"search": "/search/", "people": "/people/", "account": "/account/", "join": "/join/", "keys": "/keys/"}
    fixed |= {"webhooks": "/webhooks/", "evaluation": "/evaluation/", "offers": "/evaluation/offers/"}
    return addresses | {name: f"{url}{path}" for name, path in fixed.items()}


def faults(page: Page) -> list[str]:
    """What axe finds, as "rule: element"; and a page that is wider than its window."""
    found = page.evaluate("axe.run({resultTypes: ['violations']}).then(result => result.violations)")
    wide = page.evaluate("document.documentElement.scrollWidth > innerWidth")
    said = [f"{fault['id']}: {node['target']}" for fault in found for node in fault["nodes"]]
    return said + (["wider than its window"] if wide else [])


def test_axe_finds_nothing_on_the_real_pages_and_they_ask_for_little(
    browser: Browser, stack: Stack, guide: Path
) -> None:
    hands = open_page(browser, stack, reduced_motion="reduce")
    page = hands.page
    addresses = walk(hands, guide)
    sent: list[str] = []
    page.on("request", lambda request: sent.append(request.url))
    found: dict[str, list[str]] = {}
    requests: dict[str, int] = {}

    for name, address in addresses.items():
        sent.clear()
        page.goto(address)
        requests[name] = len(sent)
        assert all(url.startswith(stack.url) for url in sent)
        page.evaluate(AXE)
        for scheme in SCHEMES:
            page.emulate_media(color_scheme=scheme)
            for width in WIDTHS:
                page.set_viewport_size({"width": width, "height": 900})
                if said := faults(page):
                    found[f"{name}, {scheme}, {width}"] = said
    page.context.close()

    assert found == {}
    assert {name: count for name, count in requests.items() if count > 10} == {}
