"""The admin in chromium, under the portal's own strict CSP: nothing in it is refused, and its scripts work."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, Request

from portal.keys import make_key
from tests.conftest import Cast
from tests.documents.making import make_document, queue_job
from tests.documents.pages.conftest import Browse
from tests.pages.test_browser import pytestmark

__all__ = ["pytestmark"]


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
def page(cast: Cast, pages: dict[str, str], browse: Browse) -> Iterator[Page]:
    with browse(cast.root) as page:
        yield page


def _lost(request: Request) -> list[str]:
    """A request that failed, but for one that chromium dropped because the next page was opened meanwhile (its icon)."""
    return [] if request.failure == "net::ERR_ABORTED" else [f"{request.url} failed: {request.failure}"]


def test_no_admin_page_asks_for_what_the_csp_refuses(page: Page, address: str, pages: dict[str, str]) -> None:
    said: list[str] = []
    page.on("console", lambda message: said.append(f"{page.url}: {message.text}"))
    page.on("pageerror", lambda error: said.append(f"{page.url}: {error}"))
    page.on("requestfailed", lambda request: said.extend(_lost(request)))
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
