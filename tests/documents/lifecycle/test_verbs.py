"""Disable, move, delete with a receipt, purge: what is found before and after, by whom, and what is left."""

from __future__ import annotations

import pytest

from documents import lifecycle, receipt
from documents.models import Chunk, CollectionStats, Document, Version
from documents.queue import FenceLost, claim, fenced
from documents.queue import lease as leased
from documents.worker import work_through
from portal.forgetting import Found, Sample, probe
from portal.models import AuditEvent
from portal.problems import UserProblem
from portal.scope import principal
from retrieval.search import Query, search
from tests.documents.ingest.test_faults import statistics_are_true
from tests.documents.ingest.test_ingest import GUIDE
from tests.documents.lifecycle.conftest import Search, Shelf, granted

OWNER = "owner"


def test_a_disabled_document_answers_nothing_until_it_is_enabled_again(shelf: Shelf, searched: Search) -> None:
    document = shelf.put_and_read("pump.md", GUIDE)
    ada = shelf.cast.ada
    before = searched(ada, "inlet filter")

    scope = shelf.cast.scope(ada)
    with principal(scope):
        was_enabled = lifecycle.disable(scope, document)
        again = lifecycle.disable(scope, document)
    disabled = searched(ada, "inlet filter")
    with principal(scope):
        lifecycle.enable(scope, document)

    assert before == [document.ref] * len(before) != []
    assert (was_enabled, again) == (True, False)
    assert disabled == []
    assert searched(ada, "inlet filter") == before
    assert list(AuditEvent.objects.using(OWNER).values_list("action", flat=True)) == [
        "document.disabled",
        "document.enabled",
    ]


def test_ten_of_ten_come_back_beside_disabled_ones(shelf: Shelf) -> None:
    scope = shelf.cast.scope(shelf.cast.ada)
    near = [shelf.put_and_read(f"near-{n}.md", f"# Near\n\nThe filter number {n} is cleaned.\n") for n in range(12)]
    for n in range(10):
        shelf.put_and_read(f"far-{n}.md", f"# Far\n\nThe motor number {n} is hot.\n")
    with principal(scope):
        for document in near:
            lifecycle.disable(scope, document)
        vector = receipt.samples_of(
            scope, [Chunk.objects.visible_to(scope).filter(document=near[0]).values_list("pk", flat=True)[0]]
        )[0].vector

    passages = search(scope, Query("", vector=list(vector), k=10, words=False)).passages

    assert len(passages) == 10
    assert {passage.title for passage in passages} == {"Far"}


def test_a_moved_document_is_seen_by_those_of_its_new_collection_alone(shelf: Shelf, searched: Search) -> None:
    cast = shelf.cast
    document = shelf.put_and_read("pump.md", GUIDE)
    desk = granted(cast, cast.ben)
    before = [searched(user, "inlet filter") != [] for user in (cast.ada, cast.ben, cast.dot)]

    scope = cast.scope(cast.ada)
    with principal(scope):
        moved = lifecycle.move(scope, document, desk)
        again = lifecycle.move(scope, document, desk)
    work_through()

    assert before == [True, True, True]
    assert (moved, again) == (True, False)
    assert [searched(user, "inlet filter") != [] for user in (cast.ada, cast.ben, cast.dot)] == [True, True, False]
    assert statistics_are_true(shelf)
    assert set(shelf.rows("SELECT collection_id, chunk_count > 0 FROM documents_collectionstats")) == {
        (document.collection_id, False),
        (desk.pk, True),
    }
    tables = ("version", "chunk", "chunkvector", "posting", "ingestjob")
    for table in tables:
        assert shelf.rows(f"SELECT DISTINCT collection_id FROM documents_{table}") == [(desk.pk,)], table
    event = AuditEvent.objects.using(OWNER).get(action="document.moved")
    assert (event.object_ref, event.detail["to"]) == (document.ref, desk.ref)


def test_a_move_where_others_cut_reads_the_document_again(shelf: Shelf) -> None:
    scope = shelf.cast.scope(shelf.cast.ada)
    document = shelf.put_and_read("pump.md", "# Plant\n\n" + "The valve is opened slowly and closed again. " * 60)
    small = granted(shelf.cast)
    type(small).objects.using(OWNER).filter(pk=small.pk).update(splitter="window", max_tokens=60, overlap_tokens=0)

    scope = shelf.cast.scope(shelf.cast.ada)
    with principal(scope):
        lifecycle.move(scope, document, type(small).objects.visible_to(scope).get(pk=small.pk))
    work_through()

    after = shelf.document(document.ref)
    assert after.state == "ready"
    assert after.chunk_count > document.chunk_count
    assert statistics_are_true(shelf)


def test_a_name_that_is_taken_there_is_said_and_nothing_moves(shelf: Shelf) -> None:
    scope = shelf.cast.scope(shelf.cast.ada)
    document = shelf.put_and_read("pump.md", GUIDE)
    own = shelf.cast.private(shelf.cast.ada)
    shelf.put_and_read("pump.md", GUIDE + "Mine.\n", collection=own)

    with pytest.raises(UserProblem, match=r"documents\.name_taken"), principal(scope):
        lifecycle.move(scope, document, own)

    assert shelf.document(document.ref).collection_id != own.pk
    assert statistics_are_true(shelf)


def test_nobody_moves_into_or_out_of_what_they_only_read(shelf: Shelf) -> None:
    cast = shelf.cast
    document = shelf.put_and_read("pump.md", GUIDE)
    own = shelf.put_and_read("mine.md", GUIDE, user=cast.dot, collection=cast.private(cast.dot))
    scope = cast.scope(cast.dot)

    for held, target in ((document, cast.private(cast.dot)), (own, cast.shared(cast.north))):
        with pytest.raises(UserProblem, match=r"portal\.read_only"), principal(scope):
            lifecycle.move(scope, held, target)

    assert shelf.document(document.ref).collection_id == document.collection_id


@pytest.mark.parametrize("verb", ["delete", "purge"])
def test_a_running_job_writes_nothing_after_a_deletion(shelf: Shelf, verb: str) -> None:
    scope = shelf.cast.scope(shelf.cast.ada)
    shelf.put("pump.md", GUIDE)
    document = Document.objects.using(OWNER).get()
    held = claim()
    assert held is not None

    with leased(held) as lease:
        with principal(scope):
            getattr(lifecycle, verb)(scope, document)
        with pytest.raises(FenceLost), fenced(lease):
            pass

    work_through()
    assert shelf.rows("SELECT count(*) FROM documents_chunk") == [(0,)]


def test_a_running_job_goes_on_in_the_collection_that_its_document_was_moved_to(shelf: Shelf) -> None:
    scope = shelf.cast.scope(shelf.cast.ada)
    shelf.put("pump.md", GUIDE)
    document = Document.objects.using(OWNER).get()
    held = claim()
    assert held is not None

    with leased(held) as lease:
        with principal(scope):
            lifecycle.move(scope, document, shelf.cast.private(shelf.cast.ada))
        with fenced(lease):
            pass
    shelf.rows("UPDATE documents_ingestjob SET lease_until = now() - interval '1 second' RETURNING id")
    work_through()

    after = shelf.document(document.ref)
    assert (after.state, after.collection_id) == ("ready", shelf.cast.private(shelf.cast.ada).pk)
    assert statistics_are_true(shelf)
    assert CollectionStats.objects.using(OWNER).get().collection_id == after.collection_id


def test_a_deletion_leaves_a_receipt_that_its_deleter_and_the_owners_read(shelf: Shelf) -> None:
    cast = shelf.cast
    document = shelf.put_and_read("pump.md", GUIDE, user=cast.ben)
    scope = cast.scope(cast.ben)

    with principal(scope):
        lifecycle.delete(scope, document)

    read = {}
    for name in ("ada", "ben", "dot", "cy"):
        theirs = cast.scope(getattr(cast, name))
        with principal(theirs):
            read[name] = receipt.receipt_of(theirs, document.ref)
    held = read["ben"]
    assert held is not None
    assert (held.passages, held.retrievable, held.is_clean) == (document.chunk_count, 0, True)
    assert (held.sentences, held.vectors) == (document.chunk_count, document.chunk_count)
    assert read["ada"] == held
    assert (read["dot"], read["cy"]) == (None, None)
    work_through()
    with principal(scope):
        assert receipt.left_in_storage(scope, document) == 0


def test_the_probe_finds_what_is_there_by_id_by_sentence_and_by_neighbours(shelf: Shelf) -> None:
    """Otherwise "0 of N" would say nothing."""
    document = shelf.put_and_read("pump.md", GUIDE)
    scope = shelf.cast.scope(shelf.cast.ada)
    with principal(scope):
        ids = list(Chunk.objects.visible_to(scope).values_list("pk", flat=True))
        samples = receipt.samples_of(scope, ids)

    found = probe()(scope, document.pk, chunk_ids=ids, samples=samples)
    foreign = probe()(shelf.cast.scope(shelf.cast.cy), document.pk, chunk_ids=ids, samples=samples)

    assert (found.by_id, found.by_sentence, found.by_neighbours) == (frozenset(ids),) * 3
    assert foreign == Found()


def test_a_receipt_tells_of_what_is_still_found(shelf: Shelf) -> None:
    document = shelf.put_and_read("pump.md", GUIDE)
    scope = shelf.cast.scope(shelf.cast.ada)
    ids = list(Chunk.objects.using(OWNER).values_list("pk", flat=True))

    receipt.take(scope, document.pk, document.ref, chunk_ids=ids, samples=[Sample(ids[0], "inlet filter", ())])

    with principal(scope):
        held = receipt.receipt_of(scope, document.ref)
    assert held is not None
    assert (held.retrievable, held.is_clean) == (len(ids), False)


def test_a_purge_leaves_neither_name_nor_text(shelf: Shelf) -> None:
    scope = shelf.cast.scope(shelf.cast.ada)
    document = shelf.put_and_read("secret-plan.md", GUIDE)

    with principal(scope):
        lifecycle.purge(scope, document)
    work_through()

    row = shelf.document(document.ref)
    version = Version.objects.using(OWNER).get(document=document)
    assert (row.name, row.name_key, row.title, row.source_url) == ("(purged)", "(purged)", "", "")
    assert (version.text, version.file_name, version.report, version.blob_id) == ("", "", {}, None)
    assert shelf.rows("SELECT count(*) FROM documents_blob") == [(0,)]
    with pytest.raises(UserProblem, match=r"portal\.not_found"), principal(scope):
        lifecycle.purge(scope, document)


def test_what_was_deleted_can_still_be_purged(shelf: Shelf) -> None:
    scope = shelf.cast.scope(shelf.cast.ada)
    document = shelf.put_and_read("secret-plan.md", GUIDE)
    with principal(scope):
        lifecycle.delete(scope, document)
    work_through()
    kept = shelf.document(document.ref).name

    with principal(scope):
        lifecycle.purge(scope, document)
    work_through()

    assert kept == "secret-plan.md"
    assert shelf.document(document.ref).name == "(purged)"
    assert Version.objects.using(OWNER).get(document=document).file_name == ""
