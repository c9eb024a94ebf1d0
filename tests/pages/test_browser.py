"""The pages in chromium, under the product's CSP: axe, overflow, requests, and the evidence panel by keyboard."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path
from shutil import which
from typing import Any

import axe_playwright_python
import pytest
from playwright.sync_api import Browser, Page, sync_playwright

from tests.pages import cast
from tests.pages.preview import serve

CHROMIUM = which("chromium") or which("chromium-browser") or which("google-chrome") or ""
AXE = (Path(axe_playwright_python.__file__).parent / "axe.min.js").read_text()
WIDTHS = (320, 768, 1280)
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-dev-shm-usage"]

pytestmark = [pytest.mark.browser, pytest.mark.skipif(not CHROMIUM, reason="no chromium on this machine")]


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    server = serve(0)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_address[1]}"
    server.shutdown()
    server.server_close()


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Closed with the module: an event loop that stays would keep Django's ORM from working in later tests."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield browser
        browser.close()


def open_page(browser: Browser, width: int, scheme: Any = "light", **options: Any) -> Page:
    return browser.new_context(viewport={"width": width, "height": 800}, color_scheme=scheme, **options).new_page()


def faults(page: Page) -> list[str]:
    """What axe finds, as "rule: element"."""
    page.evaluate(AXE)
    found = page.evaluate("axe.run({resultTypes: ['violations']}).then(result => result.violations)")
    return [f"{fault['id']}: {node['target']}" for fault in found for node in fault["nodes"]]


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_and_nothing_overflows(browser: Browser, address: str, scheme: str, width: int) -> None:
    page = open_page(browser, width, scheme, reduced_motion="reduce")
    said: list[str] = []
    page.on("console", lambda message: said.append(message.text))
    found: dict[str, list[str]] = {}

    for name in cast.pages():
        page.goto(f"{address}/{name}")
        wide = page.evaluate("document.documentElement.scrollWidth > innerWidth")
        found[name] = faults(page) + (["wider than the window"] if wide else [])
        if name == "answer":
            page.click("#cite-1-1")
            found["answer, evidence open"] = faults(page)
    page.context.close()

    assert {name: what for name, what in found.items() if what} == {}
    assert said == []


@pytest.mark.parametrize("width", WIDTHS)
def test_evidence_opens_and_focus_comes_back(browser: Browser, address: str, width: int) -> None:
    page = open_page(browser, width)
    page.goto(f"{address}/answer")

    def focused() -> str:
        return str(page.evaluate("document.activeElement.id"))

    page.locator("#cite-3-1").focus()
    page.keyboard.press("Enter")
    opened = focused()
    page.keyboard.press("Escape")
    returned = focused()
    walked = []
    for key in ("2", "j", "k", "e", "Escape", "/"):
        page.keyboard.press(key)
        walked.append(focused())
    page.context.close()

    assert (opened, returned) == ("source-3", "cite-3-1")
    assert walked == ["source-2", "source-3", "source-2", "evidence", "cite-3-1", "question"]


def test_shortcuts_can_be_switched_off(browser: Browser, address: str) -> None:
    page = open_page(browser, 1280)
    page.goto(f"{address}/help")

    page.uncheck("#shortcuts")
    page.goto(f"{address}/answer")
    page.keyboard.press("/")
    focused = page.evaluate("document.activeElement.tagName")
    page.context.close()

    assert focused == "BODY"


@pytest.mark.parametrize("width", WIDTHS)
def test_without_script_a_chip_jumps_to_its_source(browser: Browser, address: str, width: int) -> None:
    page = open_page(browser, width, java_script_enabled=False)
    page.goto(f"{address}/answer")

    page.click("#cite-3-1")
    shown = page.locator("#source-3").is_visible()
    upload = page.goto(f"{address}/library") and page.locator("#upload button[type=submit]").is_visible()
    page.context.close()

    assert (shown, upload) == (True, True)


def test_a_draft_outlives_the_session_and_is_dropped_once_answered(browser: Browser, address: str) -> None:
    page = open_page(browser, 1280)
    page.goto(f"{address}/ask")

    page.locator("#question").press_sequentially(cast.ANSWER.question)
    page.goto(f"{address}/sign-in-expired")
    page.goto(f"{address}/ask")
    kept = page.input_value("#question")
    page.goto(f"{address}/answer")
    page.goto(f"{address}/ask")
    dropped = page.input_value("#question")
    page.context.close()

    assert (kept, dropped) == (cast.ANSWER.question, "")
