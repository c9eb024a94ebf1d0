"""Footnote as people meet it: a web server over the test database, a worker that reads, the embedder that answers."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from dataclasses import dataclass
from shutil import which
from typing import Any

import pytest
from django.db import connections
from django.test.testcases import LiveServerThread, _StaticFilesHandler
from playwright.sync_api import Browser, Page, sync_playwright

from answers import ask
from documents import ingest
from documents.embedding_models import ensure_live
from documents.worker import work_through
from tests.conftest import Cast
from tests.documents.ingest.conftest import forget_embedder

CHROMIUM = which("chromium") or which("chromium-browser") or which("google-chrome") or ""
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--disable-dev-shm-usage",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
]


class Reader(threading.Thread):
    """A worker in this process: looks for jobs until it is told to stop."""

    def __init__(self) -> None:
        super().__init__(daemon=True)
        self.over = threading.Event()

    def run(self) -> None:
        while not self.over.wait(0.2):
            work_through(turn_s=5)
        connections.close_all()


@dataclass(frozen=True, slots=True)
class Stack:
    url: str
    cast: Cast


@pytest.fixture
def stack(cast: Cast, settings: Any) -> Iterator[Stack]:
    ensure_live()
    settings.ALLOWED_HOSTS = ["*"]
    server = LiveServerThread("127.0.0.1", _StaticFilesHandler)
    reader = Reader()
    server.daemon = True
    server.start()
    reader.start()
    server.is_ready.wait(20)
    if server.error:
        raise server.error
    yield Stack(f"http://127.0.0.1:{server.port}", cast)
    reader.over.set()
    reader.join(60)
    server.terminate()
    for embedder in (ask.question_embedder, ingest.local_embedder):
        forget_embedder(embedder)


@pytest.fixture
def browser(stack: Stack) -> Iterator[Browser]:
    """Opened last and closed first: while its event loop is there, Django's ORM does not work in this thread."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield browser
        browser.close()


@dataclass(frozen=True, slots=True)
class Hands:
    """A page that is operated by the keyboard alone; `said` is what its console says."""

    page: Page
    stack: Stack
    said: list[str]

    def go_to(self, selector: str) -> None:
        """Press Tab until the element has the focus."""
        for _ in range(80):
            if self.page.evaluate("selector => document.activeElement?.matches(selector) ?? false", selector):
                return
            self.page.keyboard.press("Tab")
        raise AssertionError(f"the keyboard does not reach {selector}")

    def press(self, selector: str, key: str = "Enter") -> None:
        self.go_to(selector)
        self.page.keyboard.press(key)

    def follow(self, selector: str) -> None:
        """Press Enter on what leads to another page."""
        self.go_to(selector)
        with self.page.expect_navigation():
            self.page.keyboard.press("Enter")

    def write(self, selector: str, text: str) -> None:
        self.go_to(selector)
        self.page.keyboard.type(text)


def open_page(browser: Browser, stack: Stack, *, width: int = 1280, **options: Any) -> Hands:
    page = browser.new_context(viewport={"width": width, "height": 900}, **options).new_page()
    page.set_default_timeout(20_000)
    said: list[str] = []
    page.on("console", lambda message: said.append(message.text))
    page.on("pageerror", lambda error: said.append(str(error)))
    page.on("filechooser", lambda chooser: None)  # from the start: asked for at the key press it may come too late
    return Hands(page, stack, said)
