"""Imports from the web: asked for, fetched in the worker as their person, taken as any upload, said in words."""

from __future__ import annotations

import html
import io
import json
import threading
import zipfile
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from typing import Any

import pytest
from django.db import connections
from django.utils import timezone

from documents import lifecycle
from documents.models import Document, Version, WebImport
from documents.web import worker
from documents.web.line import ask_for, try_again
from portal.models import AuditEvent, Membership
from portal.problems import UserProblem
from portal.scope import principal
from tests.conftest import Cast
from tests.documents.making import signed_in
from tests.hooks.making import Caller, caller
from tests.outgoing.server import PUBLIC, reply, serving

OWNER = "owner"
URL = "http://docs.example.org/guide.md"
MARKDOWN = ("Content-Type: text/markdown", 'ETag: "one"', "Last-Modified: Tue, 01 Dec 2026 00:00:00 GMT")


def asked(cast: Cast, url: str = URL, **more: Any) -> WebImport:
    return ask_for(cast.scope(cast.ada), cast.shared(cast.north), url, **more)


def now(row: WebImport) -> WebImport:
    return WebImport.objects.using(OWNER).get(pk=row.pk)


def fetch(answer: Any, **names: Any) -> list[tuple[str, dict[str, str]]]:
    """What the server was asked: (path, headers)."""
    with serving(answer) as server:
        while worker.work_through(outside=server.outside(names or None), lanes=1):
            WebImport.objects.using(OWNER).filter(state="queued").update(next_try_at=timezone.now())
    return [(path, headers) for path, headers, _ in server.asked]


@pytest.fixture
def ingest_key(cast: Cast) -> Caller:
    return caller(cast, cast.ada, "read", "ingest")


def test_a_page_becomes_a_document_with_its_address_and_waits_to_be_read(cast: Cast) -> None:
    row = asked(cast)
    fetch(lambda *_: reply(200, b"# Guide\n\nWords.", *MARKDOWN))

    document = Document.objects.using(OWNER).get()
    done = now(row)
    assert (document.name, document.source_url, document.kind, document.state) == (
        "docs.example.org/guide.md",
        URL,
        "markdown",
        "queued",
    )
    assert (done.state, done.outcome, done.document_ref, done.etag) == ("done", "accepted", document.ref, '"one"')
    assert document.created_by_id == cast.ada.pk


def test_the_same_address_again_asks_for_changes_and_writes_only_what_changed(cast: Cast) -> None:
    asked(cast)
    fetch(lambda *_: reply(200, b"# Guide\n\nWords.", *MARKDOWN))
    again = asked(cast)
    heard = fetch(lambda *_: reply(304))
    same = asked(cast)
    fetch(lambda *_: reply(200, b"# Guide\n\nWords.", "Content-Type: text/markdown"))
    changed = asked(cast)
    fetch(lambda *_: reply(200, b"# Guide\n\nOther words.", *MARKDOWN))

    (_, headers) = heard[0]
    assert (headers["if-none-match"], headers["if-modified-since"]) == ('"one"', "Tue, 01 Dec 2026 00:00:00 GMT")
    assert [now(row).outcome for row in (again, same, changed)] == ["unchanged", "duplicate", "accepted"]
    assert Document.objects.using(OWNER).count() == 1
    assert Version.objects.using(OWNER).count() == 2


def test_a_deleted_document_is_fetched_whole_again(cast: Cast) -> None:
    scope = cast.scope(cast.ada)
    asked(cast)
    fetch(lambda *_: reply(200, b"# Guide", *MARKDOWN))
    with principal(scope):
        lifecycle.delete(scope, Document.objects.visible_to(scope).get())
    again = asked(cast)
    heard = fetch(lambda *_: reply(200, b"# Guide", *MARKDOWN))

    assert "if-none-match" not in heard[0][1]
    assert now(again).outcome == "accepted"


@pytest.mark.parametrize(
    ("name", "body", "content_type", "kind"),
    [
        ("page", b"<!doctype html><html><body><h1>Guide</h1><p>Words.</p></body></html>", "text/html", "html"),
        ("paper", b"%PDF-1.4\n" + b"x" * 200, "application/octet-stream", "pdf"),
        ("notes", b"plain words", "text/plain", "text"),
    ],
)
def test_what_came_is_known_by_its_content(cast: Cast, name: str, body: bytes, content_type: str, kind: str) -> None:
    asked(cast, f"http://docs.example.org/{name}")
    fetch(lambda *_: reply(200, body, f"Content-Type: {content_type}"))

    assert Document.objects.using(OWNER).get().kind == kind


def test_an_archive_is_unpacked_and_counted(cast: Cast) -> None:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("a.md", "# A")
        archive.writestr("b/c.md", "# C")
        archive.writestr("empty.md", "")
    row = asked(cast, "http://docs.example.org/site.zip")
    fetch(lambda *_: reply(200, packed.getvalue(), "Content-Type: application/zip"))

    assert (now(row).outcome, now(row).counts) == ("archive", {"accepted": 2, "refused": 1})
    names = set(Document.objects.using(OWNER).values_list("name", flat=True))
    assert names == {"docs.example.org/a.md", "docs.example.org/b/c.md"}


@pytest.mark.parametrize(
    ("answer", "code", "tries"),
    [
        (reply(404), "portal.url_status", 1),
        (reply(403), "portal.url_status", 1),
        (reply(503), "portal.url_status", 3),
        (b"", "portal.url_unreachable", 3),
        (reply(200, b""), "documents.empty", 1),
        (reply(200, b"MZ\x90\x00" + bytes(300), "Content-Type: application/octet-stream"), "documents.mislabelled", 1),
        (reply(200, b"x", "Content-Encoding: br"), "portal.url_encoding", 1),
        (reply(302, b"", "Location: http://169.254.169.254/latest/meta-data/"), "portal.url_private", 1),
        (reply(302, b"", "Location: http://inside.example.org/"), "portal.url_private", 1),
    ],
)
def test_what_cannot_be_had_is_said_in_words_and_stores_nothing(
    cast: Cast, answer: bytes, code: str, tries: int
) -> None:
    row = asked(cast, "http://docs.example.org/a.md")
    fetch(lambda *_: answer, **{"docs.example.org": (PUBLIC,), "inside.example.org": ("10.0.0.5",)})
    page = html.unescape(signed_in(cast.ada).get("/library/").content.decode())

    assert (now(row).state, now(row).problem, now(row).attempt) == ("failed", code, tries)
    assert not Document.objects.using(OWNER).exists()
    assert "Not fetched" in page
    assert "Try again" in page


def test_more_than_an_upload_may_have_is_refused(cast: Cast, settings: Any) -> None:
    settings.MAX_UPLOAD_BYTES = 1000
    row = asked(cast)
    fetch(lambda *_: reply(200, b"# " + b"x" * 2000, "Content-Type: text/markdown"))

    assert now(row).problem == "portal.url_too_large"


@pytest.mark.parametrize(
    ("url", "code"),
    [
        ("http://127.0.0.1/", "portal.url_private"),
        ("http://[::ffff:169.254.169.254]/", "portal.url_private"),
        ("http://0x7f000001/", "portal.url_malformed"),
        ("https://ada:secret@docs.example.org/", "portal.url_credentials"),
        ("file:///etc/passwd", "portal.url_malformed"),
    ],
)
def test_an_address_that_may_not_be_called_is_refused_when_it_is_named(
    cast: Cast, ingest_key: Caller, url: str, code: str
) -> None:
    by_key = ingest_key.post("/documents/", {"url": url})
    page = signed_in(cast.ada).post("/library/import/", {"url": url})

    assert (by_key.status_code, by_key.json()["code"]) == (422, code)
    assert page.status_code == 422
    assert not WebImport.objects.using(OWNER).exists()


def test_a_program_asks_for_an_address_and_polls_what_became_of_it(cast: Cast, ingest_key: Caller) -> None:
    collection = cast.shared(cast.north).ref
    taken = ingest_key.post("/documents/", {"url": URL, "collection": collection, "path": "handbook/start.md"})
    at = taken.headers["Location"].removeprefix("/api/v1")
    waiting = ingest_key.get(at).json()
    fetch(lambda *_: reply(200, b"# Guide", *MARKDOWN))
    done = ingest_key.get(at).json()

    assert taken.status_code == 202
    assert {key: value for key, value in taken.json().items() if key != "import"} == {
        "outcome": "fetching",
        "version": None,
        "document": None,
    }
    assert (waiting["state"], done["state"], done["outcome"], done["reason"]) == ("queued", "done", "accepted", None)
    assert ingest_key.get(f"/documents/{done['document']}/").json()["name"] == "handbook/start.md"
    assert [row["ref"] for row in ingest_key.get("/imports/", {"state": "done"}).json()["results"]] == [done["ref"]]


def test_neither_a_file_nor_an_address_is_refused(ingest_key: Caller) -> None:
    response = ingest_key.post("/documents/", {"collection": "x"})

    assert (response.status_code, list(response.json()["errors"])) == (400, ["file"])


def test_fifty_equal_requests_under_one_idempotency_key_make_one_import_and_one_document(
    cast: Cast, ingest_key: Caller
) -> None:
    body = {"url": URL, "collection": cast.shared(cast.north).ref}
    gate = threading.Barrier(10)

    def post(number: int) -> int:
        try:
            if number < 10:
                gate.wait(timeout=10)
            return int(ingest_key.post("/documents/", body, headers={"Idempotency-Key": "one"}).status_code)
        finally:
            connections.close_all()

    with ThreadPoolExecutor(10) as threads:
        answers = Counter(threads.map(post, range(50)))
    fetch(lambda *_: reply(200, b"# Guide", *MARKDOWN))

    assert set(answers) <= {202, 409}
    assert answers[202] >= 1
    assert WebImport.objects.using(OWNER).count() == 1
    assert Document.objects.using(OWNER).count() == 1


def test_equal_requests_without_a_key_share_the_import_that_waits(cast: Cast, ingest_key: Caller) -> None:
    body = {"url": URL, "collection": cast.shared(cast.north).ref}
    first, second = (ingest_key.post("/documents/", body).json()["import"]["ref"] for _ in range(2))

    assert first == second
    assert WebImport.objects.using(OWNER).count() == 1


def test_a_worker_that_is_lost_hands_on_and_after_six_times_it_is_over(cast: Cast) -> None:
    row = asked(cast)
    past = timezone.now() - timedelta(seconds=1)
    for _ in range(6):
        from documents.web.fetching import claim

        assert claim() is not None
        assert claim() is None
        WebImport.objects.using(OWNER).update(lease_until=past)
    fetch(lambda *_: reply(200, b"# Guide", *MARKDOWN))

    assert (now(row).state, now(row).problem) == ("failed", "documents.import_lost")


@pytest.mark.parametrize(
    ("change", "problem"),
    [({"state": "suspended"}, "documents.importer_gone"), ({"role": "reader"}, "portal.read_only")],
)
def test_who_lost_the_right_meanwhile_imports_nothing(cast: Cast, change: dict[str, str], problem: str) -> None:
    row = ask_for(cast.scope(cast.ben), cast.shared(cast.north), URL)
    Membership.objects.using(OWNER).filter(user=cast.ben).update(**change)
    fetch(lambda *_: reply(200, b"# Guide", *MARKDOWN))

    assert (now(row).state, now(row).problem) == ("failed", problem)
    assert not Document.objects.using(OWNER).exists()


def test_readers_cannot_ask_and_strangers_see_nothing(cast: Cast) -> None:
    row = asked(cast)
    with pytest.raises(UserProblem) as refused:
        ask_for(cast.scope(cast.dot), cast.shared(cast.north), URL)
    stranger = cast.scope(cast.cy)
    with principal(stranger):
        assert not WebImport.objects.using("default").filter(pk=row.pk).exists()

    assert refused.value.code == "portal.read_only"
    assert caller(cast, cast.cy, "read").get(f"/imports/{row.ref}/").status_code == 404
    assert caller(cast, cast.dot, "read").get(f"/imports/{row.ref}/").status_code == 200


def test_another_try_is_another_import_in_the_name_of_who_asks(cast: Cast) -> None:
    row = asked(cast)
    scope = cast.scope(cast.ben)
    assert try_again(scope, row).pk == row.pk
    fetch(lambda *_: reply(404))
    again = signed_in(cast.ben).post(f"/library/import/{row.ref}/retry/")
    fetch(lambda *_: reply(200, b"# Guide", *MARKDOWN))

    assert again.status_code == 302
    newest = WebImport.objects.using(OWNER).order_by("-id")[0]
    assert (newest.user_id, newest.state, newest.url) == (cast.ben.pk, "done", URL)


def test_the_page_shows_what_became_of_an_address_and_where_it_leads(cast: Cast) -> None:
    ada = signed_in(cast.ada)
    ada.post("/library/import/", {"url": URL, "collection": cast.shared(cast.north).ref})
    waiting = ada.get("/library/").content.decode()
    fetch(lambda *_: reply(200, b"# Guide", *MARKDOWN))
    done = ada.get("/library/").content.decode()

    document = Document.objects.using(OWNER).get()
    assert "Waiting" in waiting
    assert f'href="/documents/{document.ref}/"' in done
    assert "Taken" in done


def test_asking_stands_in_the_audit_without_the_address(cast: Cast) -> None:
    row = asked(cast, "http://docs.example.org/secret-project.md")

    event = AuditEvent.objects.using(OWNER).get(action="import.asked")
    assert (event.object_ref, event.detail) == (row.ref, {})
    assert "secret-project" not in json.dumps(event.detail)
