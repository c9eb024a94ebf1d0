"""One old version taken out alone: what is left of it, who may do it, and what is said when it may not go."""

from __future__ import annotations

from datetime import datetime

import pytest
from django.test import Client

from documents import lifecycle, receipt
from documents.models import Chunk, Document, Version
from documents.old_version import may_purge, purge_version
from documents.upload import Accepted
from documents.worker import work_through
from portal.models import AuditEvent
from portal.problems import UserProblem
from portal.scope import principal
from retrieval import lexical
from retrieval.query import Filters
from retrieval.search import ALIAS, Query, search
from tests.documents.ingest.test_faults import statistics_are_true
from tests.documents.lifecycle.conftest import Shelf

OWNER = "owner"
FIRST = "# Price\n\nThe licence costs forty crowns a year.\n\n## Terms\n\nPaid in advance.\n"
SECOND = FIRST.replace("forty", "ninety")


def two_versions(shelf: Shelf) -> tuple[Document, Version, Version]:
    shelf.put_and_read("price.md", FIRST)
    document = shelf.put_and_read("price.md", SECOND)
    first, second = Version.objects.using(OWNER).filter(document=document).order_by("number")
    return document, first, second


def purge(shelf: Shelf, document: Document, version: Version) -> dict[str, int]:
    scope = shelf.cast.scope(shelf.cast.ada)
    with principal(scope):
        return purge_version(scope, document, version)


def as_of(shelf: Shelf, day: datetime) -> list[str]:
    scope = shelf.cast.scope(shelf.cast.ada)
    found = search(scope, Query("licence crowns", filters=Filters(as_of=day), language="en"))
    return [passage.text for passage in found.passages]


def test_nothing_but_its_number_and_its_dates_is_left(shelf: Shelf) -> None:
    document, first, second = two_versions(shelf)
    assert first.valid_from is not None
    day = first.valid_from
    before = as_of(shelf, day)

    counts = purge(shelf, document, first)

    row = Version.objects.using(OWNER).get(pk=first.pk)
    assert any("forty" in text for text in before)
    assert as_of(shelf, day) == []
    assert counts["passages"] > 0
    assert (row.text, row.report, row.file_name, row.blob_id, bytes(row.sha256), row.size_bytes) == (
        "",
        {},
        "",
        None,
        b"",
        0,
    )
    assert (row.number, row.valid_from) == (1, day)
    assert row.purged_at is not None
    assert not Chunk.objects.using(OWNER).filter(version=first).exists()
    assert shelf.rows("SELECT count(*) FROM documents_blob") == [(1,)]
    assert Version.objects.using(OWNER).get(pk=second.pk).text.count("ninety") == 1
    assert statistics_are_true(shelf)


def test_its_receipt_says_that_none_of_it_is_found_though_its_words_stand_in_the_live_version(shelf: Shelf) -> None:
    document, first, _ = two_versions(shelf)
    scope = shelf.cast.scope(shelf.cast.ada)

    counts = purge(shelf, document, first)

    with principal(scope):
        held = receipt.receipt_of(scope, first.ref)
    assert held is not None
    assert (held.passages, held.retrievable, held.vectors) == (counts["passages"], 0, 0)
    assert held.sentences > 0
    event = AuditEvent.objects.using(OWNER).get(action="version.purged")
    assert (event.object_ref, event.detail["passages"]) == (first.ref, counts["passages"])


def test_bytes_that_another_document_has_stay(shelf: Shelf) -> None:
    shelf.put_and_read("copy.md", FIRST)
    document, first, _ = two_versions(shelf)

    purge(shelf, document, first)

    assert shelf.rows("SELECT count(*) FROM documents_blob") == [(2,)]


def test_the_live_and_the_newest_version_do_not_go_alone(shelf: Shelf) -> None:
    document, first, second = two_versions(shelf)
    assert isinstance(shelf.put("price.md", FIRST.replace("forty", "two")), Accepted)
    newest = Version.objects.using(OWNER).get(document=document, number=3)

    for version in (second, newest):
        with pytest.raises(UserProblem, match=r"documents\.version_answers"):
            purge(shelf, document, version)
    assert [may_purge(document, version, newest) for version in (first, second, newest)] == [True, False, False]
    assert Version.objects.using(OWNER).filter(purged_at__isnull=False).count() == 0


def test_what_is_purged_cannot_be_purged_again(shelf: Shelf) -> None:
    document, first, _ = two_versions(shelf)
    purge(shelf, document, first)

    with pytest.raises(UserProblem, match=r"portal\.not_found"):
        purge(shelf, document, first)


def test_the_page_offers_it_for_old_versions_and_shows_the_receipt(shelf: Shelf, client: Client) -> None:
    document, first, _ = two_versions(shelf)
    client.force_login(shelf.cast.ada)
    page = client.get(f"/documents/{document.ref}/").content.decode()
    target = f"/documents/{document.ref}/versions/{first.ref}/purge/"

    asked = client.get(target).content.decode()
    done = client.post(target, follow=True)
    after = client.get(f"/documents/{document.ref}/?version={first.ref}").content.decode()

    assert page.count("/purge/") == 2  # of the whole document, and of the first version
    assert "Purge version 1 of price.md?" in asked
    assert "retrievable" in done.content.decode() and "Purged by" in done.content.decode()
    assert "Version 1, purged" in after and "This version was purged" in after
    assert "forty" not in after


def test_a_switched_off_document_takes_its_words_out_of_the_statistics(shelf: Shelf) -> None:
    shelf.put_and_read("short.md", "# Pump\n\nThe filter is cleaned.\n")
    scope = shelf.cast.scope(shelf.cast.ada)
    place = lexical.Place(ALIAS, scope.workspace_id, scope.collection_ids)

    def told() -> tuple[int, float]:
        with principal(scope, using=ALIAS):
            held = lexical.collections(place)
        return held.chunks, held.mean_length

    alone = told()
    long = shelf.put_and_read("long.md", "# Manual\n\n" + "The valve is opened slowly by hand. " * 60)
    both = told()
    with principal(scope):
        lifecycle.disable(scope, long)
    off = told()
    with principal(scope):
        lifecycle.enable(scope, long)
    work_through()

    assert both[0] > alone[0] and both[1] > alone[1]
    assert off == alone
    assert told() == both
