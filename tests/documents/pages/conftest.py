"""The whole portal behind HTTP on the tests' database, and a browser in which somebody is signed in."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Any, Protocol

import pytest
from django.conf import settings
from django.core.servers.basehttp import ThreadedWSGIServer, WSGIRequestHandler
from django.core.wsgi import get_wsgi_application
from playwright.sync_api import Page, sync_playwright

from portal.models import User
from tests.conftest import Cast
from tests.documents.making import signed_in
from tests.pages.test_browser import CHROMIUM, FLAGS


class Browse(Protocol):
    def __call__(self, user: User, *, scripts: bool = True) -> AbstractContextManager[Page]: ...


class Quiet(WSGIRequestHandler):
    def log_message(self, format: str, *args: Any) -> None:
        """Nothing: requests are not the test's output."""


@pytest.fixture
def address(cast: Cast) -> Iterator[str]:
    """The whole portal behind HTTP, on the tests' database."""
    server = ThreadedWSGIServer(("127.0.0.1", 0), Quiet)
    server.set_app(get_wsgi_application())
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()
    thread.join(timeout=5)


@pytest.fixture
def browse(address: str) -> Browse:
    """`with browse(cast.ada) as page:`. Write everything before: the ORM does not work beside playwright's event loop."""

    @contextmanager
    def open_page(user: User, *, scripts: bool = True) -> Iterator[Page]:
        cookie = signed_in(user).cookies[settings.SESSION_COOKIE_NAME].value
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
            context = browser.new_context(base_url=address, java_script_enabled=scripts)
            context.add_cookies([{"name": settings.SESSION_COOKIE_NAME, "value": cookie, "url": address}])
            yield context.new_page()
            browser.close()

    return open_page
