"""Providers in the admin: the key goes in and never comes out, and the address is looked at."""

from __future__ import annotations

from typing import Any

import pytest

from answers.models import ModelProvider
from answers.router.sealing import unseal
from portal.scope import principal
from tests.documents.ingest.conftest import Shelf, shelf  # noqa: F401  (fixture)
from tests.documents.making import signed_in

URL = "/admin/answers/modelprovider/"
FIELDS = {
    "name": "main", "base_url": "https://8.8.8.8/v1", "model": "m", "priority": 1, "is_enabled": "on", "price_in_usd": 1,
    "price_out_usd": 2, "context_tokens": 8192, "max_output_tokens": 600, "connect_s": 5, "first_s": 20, "idle_s": 15,
    "total_s": 90, "key": "sk-very-secret",
}  # fmt: skip


def stored(shelf: Shelf) -> list[ModelProvider]:  # noqa: F811
    scope = shelf.cast.scope(shelf.cast.root)
    with principal(scope):
        return list(ModelProvider.objects.visible_to(scope))


def test_a_key_is_kept_sealed_and_never_shown(shelf: Shelf) -> None:  # noqa: F811
    browser = signed_in(shelf.cast.root)

    added = browser.post(f"{URL}add/", FIELDS)

    [row] = stored(shelf)
    assert added.status_code == 302 and unseal(bytes(row.sealed_key)) == "sk-very-secret"
    assert b"sk-very-secret" not in bytes(row.sealed_key)
    for path in (URL, f"{URL}{row.pk}/change/", f"{URL}{row.pk}/history/"):
        assert b"sk-very-secret" not in browser.get(path).content
    kept = browser.post(f"{URL}{row.pk}/change/", {**FIELDS, "key": "", "priority": 2})
    assert kept.status_code == 302 and unseal(bytes(stored(shelf)[0].sealed_key)) == "sk-very-secret"


def test_another_address_needs_its_own_key(shelf: Shelf) -> None:  # noqa: F811
    browser = signed_in(shelf.cast.root)
    browser.post(f"{URL}add/", FIELDS)
    [row] = stored(shelf)

    moved = browser.post(f"{URL}{row.pk}/change/", {**FIELDS, "key": "", "base_url": "https://1.1.1.1/v1"})

    assert moved.status_code == 200 and b"Enter the key again" in moved.content
    assert stored(shelf)[0].base_url == "https://8.8.8.8/v1"


@pytest.mark.parametrize(
    "url", ["http://8.8.8.8/v1", "https://127.0.0.1/v1", "https://169.254.169.254/latest", "https://localhost/v1"]
)
def test_an_address_inside_is_refused_in_words(shelf: Shelf, url: str) -> None:  # noqa: F811
    refused = signed_in(shelf.cast.root).post(f"{URL}add/", {**FIELDS, "base_url": url})

    assert refused.status_code == 200 and b"Nothing was saved." in refused.content
    assert stored(shelf) == []


def test_the_operator_may_allow_a_private_host(shelf: Shelf, settings: Any) -> None:  # noqa: F811
    settings.MODEL_PRIVATE_HOSTS = ("127.0.0.1",)

    added = signed_in(shelf.cast.root).post(f"{URL}add/", {**FIELDS, "base_url": "http://127.0.0.1:9/v1"})

    assert added.status_code == 302


def test_a_budget_is_set_once_and_changed(shelf: Shelf) -> None:  # noqa: F811
    browser = signed_in(shelf.cast.root)

    assert browser.post("/admin/answers/budget/add/", {"workspace_usd": 5}).status_code == 302
    assert browser.get("/admin/answers/budget/add/").status_code == 403
