"""The write walk: what is ready, what survives a lost worker, and what a fence keeps out."""

from __future__ import annotations

import pytest

from documents import indexing, ingest, queue
from documents.models import Chunk, Document, Version
from documents.queue import FenceLost, fenced
from documents.upload import Accepted, Duplicate
from documents.worker import work_through
from portal.scope import principal
from retrieval.search import Query, search
from tests.documents.ingest.conftest import Shelf
from tests.fakes.openai_server import OpenAIServer, Status

GUIDE = "# Pump guide\n\nThe inlet filter is cleaned monthly.\n\n## Errors\n\nE4304 means the motor is too hot.\n"


def expire_leases(shelf: Shelf) -> None:
    shelf.rows(
        "UPDATE documents_ingestjob SET lease_until = now() - interval '1 second' WHERE state = 'running' RETURNING id"
    )


def counts(shelf: Shelf, document: Document) -> tuple[int, int, int]:
    """(chunks, vectors, posting entries) of a document."""
    return (
        shelf.rows("SELECT count(*) FROM documents_chunk WHERE document_id = %s", document.pk)[0][0],
        shelf.rows("SELECT count(*) FROM documents_chunkvector WHERE document_id = %s", document.pk)[0][0],
        shelf.rows(
            "SELECT coalesce(sum(cardinality(chunk_ids)), 0) FROM documents_posting WHERE document_id = %s", document.pk
        )[0][0],
    )


def found(shelf: Shelf, question: str, who: str = "ada") -> list[str]:
    scope = shelf.cast.scope(getattr(shelf.cast, who))
    return [passage.text for passage in search(scope, Query(question)).passages]


def test_an_upload_becomes_ready_with_exact_offsets(shelf: Shelf) -> None:
    document = shelf.put_and_read("pump.md", GUIDE)

    assert (document.state, document.title) == ("ready", "Pump guide")
    assert document.vector_count == document.chunk_count > 0
    version = Version.objects.using("owner").get(document=document)
    chunks = Chunk.objects.using("owner").filter(version=version)
    assert all(version.text[chunk.start : chunk.end] == chunk.text for chunk in chunks)
    assert any("E4304" in text for text in found(shelf, "E4304"))
    assert found(shelf, "E4304", who="cy") == []


def test_a_job_that_runs_twice_leaves_the_same_rows(shelf: Shelf) -> None:
    document = shelf.put_and_read("pump.md", GUIDE)
    before = counts(shelf, document)

    shelf.rows("UPDATE documents_ingestjob SET state = 'queued' WHERE document_id = %s RETURNING id", document.pk)
    work_through()

    assert counts(shelf, document) == before
    assert shelf.rows("SELECT chunk_count FROM documents_collectionstats WHERE chunk_count > 0") == [(before[0],)]


def test_a_lost_worker_writes_nothing_after_another_claimed_its_job(shelf: Shelf) -> None:
    shelf.put("pump.md", GUIDE)
    lost = queue.claim()
    assert lost is not None
    expire_leases(shelf)
    taken = queue.claim()
    assert taken is not None and (taken.job_id, taken.attempt) == (lost.job_id, lost.attempt + 1)

    with pytest.raises(FenceLost), fenced(queue.Lease(lost)):
        pass

    assert ingest.run(lost) == "fence_lost"
    assert ingest.run(taken) == "ready"


def test_the_third_lost_worker_stops_the_job_and_says_so(shelf: Shelf) -> None:
    outcome = shelf.put("pump.md", GUIDE)
    assert isinstance(outcome, Accepted)

    for _ in range(3):
        assert queue.claim() is not None
        expire_leases(shelf)

    assert queue.claim() is None
    document = shelf.document(outcome.document_ref)
    assert (document.state, document.problem) == ("attention", "documents.worker_lost")


def test_a_document_deleted_while_it_is_read_leaves_nothing(shelf: Shelf) -> None:
    from documents import lifecycle

    outcome = shelf.put("pump.md", GUIDE)
    assert isinstance(outcome, Accepted)
    claimed = queue.claim()
    assert claimed is not None
    scope = shelf.cast.scope(shelf.cast.ada)
    with principal(scope):
        lifecycle.delete(scope, Document.objects.visible_to(scope).get(ref=outcome.document_ref))

    assert ingest.run(claimed) == "fence_lost"
    work_through()

    assert counts(shelf, shelf.document(outcome.document_ref)) == (0, 0, 0)
    assert shelf.rows("SELECT count(*) FROM documents_blob") == [(0,)]


def test_a_deleted_document_is_not_found_before_the_worker_comes(shelf: Shelf) -> None:
    from documents import lifecycle

    document = shelf.put_and_read("pump.md", GUIDE)
    shelf.put_and_read("other.md", "# Other\n\nNothing about pumps.\n")
    scope = shelf.cast.scope(shelf.cast.ada)
    with principal(scope):
        lifecycle.delete(scope, document)

    at_once = found(shelf, "E4304 motor")
    work_through()

    assert at_once == []
    assert counts(shelf, document) == (0, 0, 0)
    assert shelf.rows("SELECT text FROM documents_version WHERE document_id = %s", document.pk) == [("",)]


def test_a_new_version_answers_and_the_old_one_is_history(shelf: Shelf) -> None:
    first = shelf.put_and_read("pump.md", GUIDE)
    second = shelf.put_and_read("pump.md", GUIDE.replace("monthly", "weekly"))

    assert second.pk == first.pk
    texts = " ".join(found(shelf, "inlet filter cleaned"))
    assert "weekly" in texts and "monthly" not in texts
    versions = shelf.rows(
        "SELECT number, valid_to IS NULL, text LIKE '%%monthly%%' FROM documents_version WHERE document_id = %s ORDER BY number",
        first.pk,
    )
    assert versions == [(1, False, True), (2, True, False)]


def test_unchanged_text_keeps_its_vectors(shelf: Shelf, embedder: OpenAIServer) -> None:
    part = "## Part {}\n\n" + "The pump has a long story that is told here. " * 20
    shelf.put_and_read("pump.md", "# Pump\n\n" + "\n\n".join(part.format(n) for n in range(5)))
    embedder.requests.clear()

    shelf.put_and_read(
        "pump.md", "# Pump\n\n" + "\n\n".join(part.format(n) for n in range(5)) + "\n\n## New\n\nOne new fact.\n"
    )

    embedded = [text for request in embedder.requests for text in request.body["input"]]
    assert len(embedded) <= 2


def test_equal_bytes_under_two_names_are_one_blob_and_are_embedded_once(shelf: Shelf, embedder: OpenAIServer) -> None:
    shelf.put_and_read("a.md", GUIDE)
    embedder.requests.clear()

    twin = shelf.put_and_read("b.md", GUIDE)

    assert twin.state == "ready"
    assert embedder.requests == []
    assert shelf.rows("SELECT count(*) FROM documents_blob") == [(1,)]


def test_the_same_file_again_is_a_duplicate_and_after_a_failure_is_not(shelf: Shelf) -> None:
    shelf.put_and_read("a.md", GUIDE)
    assert isinstance(shelf.put("a.md", GUIDE), Duplicate)

    shelf.rows("UPDATE documents_document SET state = 'attention' RETURNING id")

    assert isinstance(shelf.put("a.md", GUIDE), Accepted)


def test_a_repeated_paragraph_is_kept_as_often_as_it_stands(shelf: Shelf) -> None:
    text = "# Minutes\n\n" + "\n\n".join(
        f"## Day\n\n{'The council met and agreed on all points. ' * 12}" for _ in range(3)
    )

    document = shelf.put_and_read("minutes.md", text)

    assert document.state == "ready"
    assert shelf.rows("SELECT max(occurrence) FROM documents_chunk WHERE document_id = %s", document.pk)[0][0] >= 1


def test_an_embedder_that_is_down_delays_the_vectors_and_not_the_document(shelf: Shelf, embedder: OpenAIServer) -> None:
    embedder.script(*[Status(500)] * 4)

    document = shelf.put_and_read("pump.md", GUIDE)

    assert (document.state, document.problem) == ("words", "documents.embedder_down")
    assert any("E4304" in text for text in found(shelf, "E4304"))
    shelf.rows("UPDATE documents_ingestjob SET next_try_at = now() WHERE state = 'queued' RETURNING id")
    work_through()
    document.refresh_from_db()
    assert (document.state, document.problem, document.vector_count) == ("ready", "", document.chunk_count)


def test_a_tenant_with_many_files_does_not_go_first(shelf: Shelf) -> None:
    for number in range(6):
        shelf.put(f"{number}.md", GUIDE + str(number))
    shelf.put("cy.md", GUIDE, user=shelf.cast.cy)

    claims = [queue.claim(), queue.claim()]

    assert {claim.workspace_id for claim in claims if claim} == {shelf.cast.north.pk, shelf.cast.south.pk}


def test_a_worker_cannot_write_another_document_than_its_jobs(shelf: Shelf) -> None:
    other = shelf.put_and_read("other.md", GUIDE)
    shelf.put("pump.md", GUIDE + "more")
    claimed = queue.claim()
    assert claimed is not None

    with fenced(queue.Lease(claimed)):
        changed = Document.objects.using(queue.ALIAS).filter(pk=other.pk).update(title="taken")
        removed = Chunk.objects.using(queue.ALIAS).filter(document_id=other.pk)._raw_delete(queue.ALIAS)
        live = indexing.live_size(other)

    assert (changed, removed) == (0, 0)
    assert live[0] == other.chunk_count
