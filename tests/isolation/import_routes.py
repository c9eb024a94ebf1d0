"""The declared rule of the routes of imports from the web, page and API."""

from __future__ import annotations

from django.urls import reverse

from documents.models import WebImport
from tests.isolation.canaries import OWNER
from tests.isolation.matrix import Case, Sent
from tests.isolation.sending import PAPERS, get, post
from tests.isolation.targets import Target


def asked(aimed: Target) -> bool:
    return WebImport.objects.using(OWNER).filter(collection_id=aimed.collection_id, url=address(aimed)).exists()


def again(aimed: Target) -> bool:
    before = WebImport.objects.using(OWNER).get(ref=aimed.import_ref)
    return WebImport.objects.using(OWNER).filter(url=before.url, state="queued").exists()


def address(aimed: Target) -> str:
    return f"https://docs.example.org/{aimed.document_ref}"


def page(mine: Target, aimed: Target) -> Sent:
    return Sent("POST", reverse("import"), form={"collection": aimed.collection_ref, "url": address(aimed)})


def call(mine: Target, aimed: Target) -> Sent:
    return Sent("POST", reverse("api_documents"), body={"collection": aimed.collection_ref, "url": address(aimed)})


def compare(mine: Target, aimed: Target) -> Sent:
    body = {"manifest": {"x.md": "0" * 64}}
    return Sent("POST", reverse("api_collection_sync", args=[aimed.collection_ref]), body=body)


PAGES = (
    Case("import", "POST", page, PAPERS, did=asked, fresh="ready", is_write=True),
    Case("import_retry", "POST", post("import_retry", "import_ref"), PAPERS, did=again, fresh="ready", is_write=True),
)
API = (
    Case("api_collection_sync", "POST a comparison", compare, PAPERS, shows="name", needs="ingest", is_write=True),
    Case("api_documents", "POST a web address", call, PAPERS, did=asked, fresh="ready", needs="ingest", is_write=True),
    Case("api_imports", "GET", get("api_imports"), PAPERS, shows="web", needs="read", is_list=True),
    Case("api_import", "GET", get("api_import", "import_ref"), PAPERS, shows="web", needs="read"),
    Case(
        "api_import_retry",
        "POST",
        post("api_import_retry", "import_ref"),
        PAPERS,
        did=again,
        fresh="ready",
        needs="ingest",
        is_write=True,
    ),
)
