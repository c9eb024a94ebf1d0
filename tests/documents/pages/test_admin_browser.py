"""The admin in chromium, under the portal's own strict CSP: nothing in it is refused, and its scripts work."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from typing import Any

import pytest
from django.conf import settings
from django.core.servers.basehttp import ThreadedWSGIServer, WSGIRequestHandler
from django.core.wsgi import get_wsgi_application
from playwright.sync_api import Page, sync_playwright

from documents.models import Document
from portal.keys import make_key
from tests.conftest import Cast
from tests.documents.making import make_document, queue_job, signed_in
from tests.pages.test_browser import CHROMIUM, FLAGS, pytestmark

__all__ = ["pytestmark"]


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
def pages(cast: Cast) -> dict[str, str]:
    """Every kind of admin page there is, by name."""
    document = make_document(cast.shared(cast.north), "a.md")
    queue_job(make_document(cast.shared(cast.north), "b.md", state="queued"))
    make_key(cast.scope(cast.root), "x", scopes=["read"])
    shared = cast.shared(cast.north)
    lists = {name: f"/admin/documents/{name}/" for name in ("document", "version", "chunk", "ingestjob")}
    own = {name: f"/admin/portal/{name}/" for name in ("collection", "membership", "apikey", "auditevent", "grant")}
    forms = {
        "a document": f"/admin/documents/document/{document.pk}/change/",
        "its history": f"/admin/documents/document/{document.pk}/history/",
        "deleting it": f"/admin/documents/document/{document.pk}/delete/",
        "a collection": f"/admin/portal/collection/{shared.pk}/change/",
        "a new collection": "/admin/portal/collection/add/",
        "a new grant": "/admin/portal/grant/add/",
    }
    return {"index": "/admin/", "documents": "/admin/documents/", **lists, **own, **forms}


@pytest.fixture
def page(cast: Cast, address: str, pages: dict[str, str]) -> Iterator[Page]:
    """Signed in as root. Opened after everything was written: the ORM does not work beside playwright's event loop."""
    cookie = signed_in(cast.root).cookies[settings.SESSION_COOKIE_NAME].value
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        context = browser.new_context()
        context.add_cookies([{"name": settings.SESSION_COOKIE_NAME, "value": cookie, "url": address}])
        yield context.new_page()
        browser.close()


def test_no_admin_page_asks_for_what_the_csp_refuses(page: Page, address: str, pages: dict[str, str]) -> None:
    said: list[str] = []
    page.on("console", lambda message: said.append(f"{page.url}: {message.text}"))
    page.on("pageerror", lambda error: said.append(f"{page.url}: {error}"))
    page.on("requestfailed", lambda request: said.append(f"{request.url} failed"))
    page.add_init_script(
        "addEventListener('securitypolicyviolation', e => console.log('refused', e.violatedDirective, e.blockedURI))"
    )

    policies = set()
    for path in pages.values():
        answer = page.goto(f"{address}{path}", wait_until="load")
        assert answer is not None
        assert answer.status == 200, path
        policies.add(answer.headers["content-security-policy"])

    assert said == []
    assert len(policies) == 1
    assert "unsafe" not in policies.pop()


def test_the_admins_own_scripts_run_and_an_action_is_carried_out(page: Page, address: str) -> None:
    page.goto(f"{address}/admin/documents/document/")
    page.check("#action-toggle")
    chosen = page.locator("tr.selected").count()
    page.select_option("select[name=action]", "cancel_reading")
    page.click("button[name=index]")

    assert chosen == 2
    assert page.locator(".messagelist .success").inner_text() == "1 document stopped."


def test_the_action_reached_the_database(page: Page, address: str, cast: Cast) -> None:
    page.goto(f"{address}/admin/documents/document/?q=b.md")
    page.check("#action-toggle")
    page.select_option("select[name=action]", "cancel_reading")
    page.click("button[name=index]")
    found: list[str] = []
    reading = threading.Thread(
        target=lambda: found.extend(Document.objects.using("owner").filter(name="b.md").values_list("state", flat=True))
    )
    reading.start()
    reading.join()

    assert found == ["attention"]
