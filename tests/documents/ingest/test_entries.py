"""Releases, operations and tickets from the upload to the search: each a unit with an address, found by what it is called."""

from __future__ import annotations

import json

from django.test import Client

from documents.models import Chunk
from documents.worker import work_through
from portal.keys import make_key
from portal.scope import principal
from retrieval.search import Query, search
from tests.documents.ingest.conftest import Shelf
from tests.documents.making import signed_in
from tests.documents.parsers.test_openapi import PETS
from tests.documents.parsers.test_tickets import GITHUB, ZENDESK

CHANGES = "# Changelog\n\n" + "".join(
    f"## [1.{n}.0] - 2024-01-{n + 10}\n\n- Fixed thing number {n}\n\n" for n in range(12)
)


def first(shelf: Shelf, words: str) -> tuple[str, str, str]:
    """Kind and identity of the entry that is found first, and the address that it is cited with."""
    scope = shelf.cast.scope(shelf.cast.ada)
    best = search(scope, Query(words)).passages[0]
    with principal(scope):
        chunk = Chunk.objects.visible_to(scope).get(pk=best.chunk_id)
    return chunk.entry_kind, chunk.entry_ident, best.source_url


def test_a_release_is_found_by_its_version(shelf: Shelf) -> None:
    document = shelf.put_and_read("CHANGELOG.md", CHANGES + "[1.7.0]: https://example.org/1.7.0\n")

    assert first(shelf, "1.7.0") == ("release", "1.7.0", "https://example.org/1.7.0")
    assert first(shelf, "what changed in 1.3.0?")[1] == "1.3.0"
    assert document.chunk_count == 12


def test_an_operation_is_found_by_its_name_and_by_its_path(shelf: Shelf) -> None:
    shelf.put_and_read("api.json", json.dumps(PETS))

    assert first(shelf, "showPetById") == ("operation", "showPetById", "https://example.org/pets#show")
    assert first(shelf, "DELETE /pets/{petId}")[1] == "DELETE /pets/{petId}"


def test_a_ticket_is_found_by_its_number_and_cited_with_its_page(shelf: Shelf) -> None:
    shelf.put_and_read("zendesk.json", json.dumps(ZENDESK))
    shelf.put_and_read("github.json", json.dumps(GITHUB))

    assert first(shelf, "35436") == ("ticket", "35436", "https://company.zendesk.com/agent/tickets/35436")
    assert first(shelf, "#1347") == ("ticket", "1347", "https://github.com/octo/hello/issues/1347")


def test_an_entry_without_an_address_is_cited_with_the_documents_own(shelf: Shelf) -> None:
    document = shelf.put_and_read("CHANGELOG.md", CHANGES)
    shelf.rows(
        "UPDATE documents_document SET source_url = 'https://example.org/c' WHERE id = %s RETURNING 1", document.pk
    )

    assert first(shelf, "1.7.0") == ("release", "1.7.0", "https://example.org/c")


def test_the_report_lists_the_entries_and_reading_again_changes_nothing(shelf: Shelf) -> None:
    document = shelf.put_and_read("CHANGELOG.md", CHANGES)
    before = shelf.rows("SELECT id, entry_ident FROM documents_chunk ORDER BY id")

    shelf.put_and_read("CHANGELOG.md", CHANGES.replace("number 3", "number three"))

    [(entries,)] = shelf.rows(
        "SELECT report -> 'entries' FROM documents_version WHERE document_id = %s AND number = 2", document.pk
    )
    told = json.loads(entries) if isinstance(entries, str) else entries
    assert [(one["ident"], one["date"]) for one in told][:2] == [("1.0.0", "2024-01-10"), ("1.1.0", "2024-01-11")]
    assert len(before) == 12 and work_through() == 0


def test_the_document_page_says_where_each_ticket_comes_from(shelf: Shelf) -> None:
    document = shelf.put_and_read("zendesk.json", json.dumps(ZENDESK))

    page = signed_in(shelf.cast.ada).get(f"/documents/{document.ref}/").content.decode()

    assert page.count('href="https://company.zendesk.com/agent/tickets/35436"') == 1
    assert "2 tickets" in page
    assert 'rel="noopener noreferrer nofollow"' in page


def test_a_program_gets_entries_and_addresses_of_chunks(shelf: Shelf) -> None:
    document = shelf.put_and_read("github.json", json.dumps(GITHUB))
    _, key = make_key(shelf.cast.scope(shelf.cast.ada), "test", scopes=("read",))

    answer = Client().get(f"/api/v1/documents/{document.ref}/chunks/", headers={"Authorization": f"Bearer {key}"})

    [chunk] = answer.json()["results"]
    assert chunk["entry"] == {"kind": "ticket", "ident": "1347"}
    assert chunk["source_url"] == "https://github.com/octo/hello/issues/1347"
