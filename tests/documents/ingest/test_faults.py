"""What goes wrong while a job runs: it comes back by itself, ends in words after three tries, and nothing is stored twice."""

from __future__ import annotations

import contextlib
import json
import os
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest
from django.core.files.storage import FileSystemStorage
from django.db import connections

from documents import blobs, ingest, lifecycle, queue, requeue
from documents.models import Document, EmbeddingModel
from documents.sweep import Swept, sweep
from documents.upload import Accepted, document_name
from documents.worker import work_through
from portal.problems import SystemProblem, UserProblem, words_for
from portal.scope import principal
from tests.documents.ingest.conftest import Shelf
from tests.documents.ingest.test_ingest import GUIDE, counts, found
from tests.fakes.openai_server import DIMS, Garbage, Hang, OpenAIServer, Status, toy_vector

LONG = "# Long\n\n" + "\n\n".join(
    f"## Part {n}\n\n{f'The valve {n} of the plant is opened slowly. ' * 25}" for n in range(80)
)


def run(script: str) -> None:
    with connections["owner"].cursor() as cursor:
        cursor.execute(script)


@contextlib.contextmanager
def failing(table: str, sqlstate: str) -> Iterator[None]:
    """Every insert into the table fails with this SQLSTATE: the database itself is at fault."""
    run(
        f"CREATE FUNCTION scripted_fault() RETURNS trigger LANGUAGE plpgsql AS "
        f"$$ BEGIN RAISE EXCEPTION 'scripted' USING ERRCODE = '{sqlstate}'; END $$; "
        f"CREATE TRIGGER fault BEFORE INSERT ON {table} FOR EACH ROW EXECUTE FUNCTION scripted_fault();"
    )
    try:
        yield
    finally:
        run(f"DROP TRIGGER fault ON {table}; DROP FUNCTION scripted_fault();")


def due_now(shelf: Shelf) -> None:
    shelf.rows("UPDATE documents_ingestjob SET next_try_at = now() WHERE state = 'queued' RETURNING id")


def work_until_nothing_waits(shelf: Shelf) -> int:
    runs = 0
    while shelf.rows("SELECT 1 FROM documents_ingestjob WHERE state = 'queued' LIMIT 1"):
        due_now(shelf)
        runs += work_through()
    return runs


def work_and_leave() -> None:
    """As a thread of its own that leaves no connection behind."""
    try:
        work_through()
    finally:
        connections.close_all()


def job(shelf: Shelf, *columns: str) -> tuple[Any, ...]:
    return shelf.rows(f"SELECT {', '.join(columns)} FROM documents_ingestjob ORDER BY id DESC LIMIT 1")[0]


def statistics_are_true(shelf: Shelf) -> bool:
    said = shelf.rows(
        "SELECT coalesce(sum(chunk_count), 0), coalesce(sum(term_count), 0) FROM documents_collectionstats"
    )
    true = shelf.rows(
        "SELECT count(*), coalesce(sum(c.term_count), 0) FROM documents_chunk c"
        " JOIN documents_document d ON d.live_version_id = c.version_id WHERE d.deleted_at IS NULL"
    )
    return said == true


def test_a_fault_of_ours_is_tried_three_times_and_then_said(shelf: Shelf) -> None:
    with failing("documents_posting", "22000"):
        first = shelf.put_and_read("pump.md", GUIDE)
        waiting = job(shelf, "state", "crashes", "problem", "next_try_at > now()")
        runs = work_until_nothing_waits(shelf)

    document = shelf.document(first.ref)
    assert first.state == "queued"
    assert waiting == ("queued", 1, "documents.ingest_failed", True)
    assert runs == 2
    assert (document.state, document.problem) == ("attention", "documents.ingest_failed")
    assert words_for(document.problem).status != 500
    assert counts(shelf, document) == (0, 0, 0)
    assert isinstance(shelf.put("pump.md", GUIDE), Accepted)
    work_through()
    assert shelf.document(first.ref).state == "ready"


def test_a_full_disk_under_the_database_is_waited_out_however_long(shelf: Shelf) -> None:
    with failing("documents_posting", "53100"):
        document = shelf.put_and_read("pump.md", GUIDE)
        for _ in range(5):
            due_now(shelf)
            work_through()
        state = job(shelf, "state", "crashes", "retries")

    assert state == ("queued", 0, 6)
    assert work_until_nothing_waits(shelf) == 1
    assert shelf.document(document.ref).state == "ready"


def test_a_removal_is_tried_for_ever(shelf: Shelf) -> None:
    document = shelf.put_and_read("pump.md", GUIDE)
    scope = shelf.cast.scope(shelf.cast.ada)
    with principal(scope):
        lifecycle.delete(scope, document)
    for _ in range(4):
        assert queue.claim() is not None
        shelf.rows(
            "UPDATE documents_ingestjob SET lease_until = now() - interval '1 s' WHERE state = 'running' RETURNING id"
        )

    work_through()

    assert counts(shelf, document) == (0, 0, 0)
    assert job(shelf, "state") == ("done",)


def test_a_fault_while_vectors_are_made_keeps_the_words(shelf: Shelf) -> None:
    with failing("documents_chunkvector", "22000"):
        document = shelf.put_and_read("pump.md", GUIDE)

        assert (document.state, document.problem) == ("words", "documents.tried_again")
        assert any("E4304" in text for text in found(shelf, "E4304"))

    work_until_nothing_waits(shelf)
    document.refresh_from_db()
    assert (document.state, document.problem) == ("ready", "")


def test_a_worker_that_is_told_to_end_gives_its_job_back_at_once(shelf: Shelf, embedder: OpenAIServer) -> None:
    shelf.put("pump.md", GUIDE)
    embedder.script(Hang(3.0))
    thread = threading.Thread(target=work_and_leave, daemon=True)
    thread.start()
    while not embedder.requests:
        time.sleep(0.02)

    handed_back = requeue.hand_back_all()

    assert handed_back == 1
    assert job(shelf, "state", "next_try_at <= now()", "kind", "crashes") == ("queued", True, "embed", 0)
    assert queue.claim() is None
    thread.join(20)
    queue.HELD.open()
    assert work_through() == 1
    document = shelf.rows("SELECT state, chunk_count, vector_count FROM documents_document")
    assert document[0][0] == "ready" and document[0][1] == document[0][2] > 0


def test_a_killed_reader_is_tried_again_and_said_after_the_third_time(shelf: Shelf) -> None:
    done = threading.Event()

    looked = threading.Event()

    def kill_readers() -> None:
        while not done.wait(0.001):
            for child in psutil.Process(os.getpid()).children(recursive=True):
                with contextlib.suppress(psutil.Error):
                    child.kill()
            looked.set()

    killer = threading.Thread(target=kill_readers, daemon=True)
    killer.start()
    looked.wait(10)
    first = shelf.put_and_read("long.md", LONG)
    work_until_nothing_waits(shelf)
    done.set()
    killer.join()

    assert first.state == "queued"
    document = shelf.document(first.ref)
    assert (document.state, document.problem) == ("attention", "documents.reader_crashed")


def test_vectors_of_another_size_than_the_models_are_refused_in_words(shelf: Shelf) -> None:
    EmbeddingModel.objects.using("owner").update(dims=384)

    document = shelf.put_and_read("pump.md", GUIDE)

    assert (document.state, document.problem) == ("words", "documents.embedder_wrong_size")
    assert document.problem_detail == f"Expected 384, got {DIMS}."
    assert counts(shelf, document)[1] == 0
    EmbeddingModel.objects.using("owner").update(dims=DIMS)
    work_until_nothing_waits(shelf)
    document.refresh_from_db()
    assert (document.state, document.problem, document.problem_detail) == ("ready", "", "")


def test_a_worker_set_to_another_model_than_the_live_one_stores_nothing(shelf: Shelf) -> None:
    EmbeddingModel.objects.using("owner").update(name="another")

    document = shelf.put_and_read("pump.md", GUIDE)

    assert (document.state, document.problem) == ("words", "documents.embedder_refused")
    assert counts(shelf, document)[1] == 0


def reply(*vectors: list[float]) -> Garbage:
    data = [{"object": "embedding", "index": index, "embedding": vector} for index, vector in enumerate(vectors)]
    return Garbage(json.dumps({"object": "list", "data": data, "model": "toy"}).encode())


@pytest.mark.parametrize(
    "fault",
    [
        Garbage(),
        reply([float("nan")] * DIMS),
        reply(),
        reply(*[toy_vector("too many")] * 40),
        reply([0.1], [0.2] * 5),
    ],
    ids=["html", "nan", "none", "too many", "uneven"],
)
def test_wrong_vectors_are_never_stored(shelf: Shelf, embedder: OpenAIServer, fault: Garbage) -> None:
    embedder.script(*[fault] * 4)

    document = shelf.put_and_read("pump.md", GUIDE)

    assert (document.state, document.problem) == ("words", "documents.embedder_down")
    assert counts(shelf, document)[1] == 0
    work_until_nothing_waits(shelf)
    assert shelf.document(document.ref).state == "ready"


def test_a_provider_that_refuses_is_named_as_such(shelf: Shelf, embedder: OpenAIServer) -> None:
    embedder.script(Status(401))

    document = shelf.put_and_read("pump.md", GUIDE)

    assert (document.state, document.problem) == ("words", "documents.embedder_refused")


def test_a_provider_may_ask_for_an_hour_at_most(shelf: Shelf, embedder: OpenAIServer) -> None:
    embedder.script(Status(429, retry_after="99999999999"))

    shelf.put_and_read("pump.md", GUIDE)

    assert job(shelf, "next_try_at BETWEEN now() + interval '50 min' AND now() + interval '61 min'") == (True,)


def test_an_embedder_that_was_away_for_weeks_stops_nothing(shelf: Shelf, embedder: OpenAIServer) -> None:
    embedder.script(*[Status(500)] * 4)
    document = shelf.put_and_read("pump.md", GUIDE)
    shelf.rows("UPDATE documents_ingestjob SET retries = 30000, attempt = 40000 WHERE state = 'queued' RETURNING id")
    embedder.script(*[Status(500)] * 4)
    due_now(shelf)
    work_through()

    assert job(shelf, "state", "next_try_at < now() + interval '2 min'") == ("queued", True)
    work_until_nothing_waits(shelf)
    assert shelf.document(document.ref).state == "ready"


def test_while_the_embedder_is_down_only_one_job_at_a_time_asks_it(
    shelf: Shelf, embedder: OpenAIServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    from documents.breaker import Breaker

    monkeypatch.setattr(ingest, "embedder_breaker", Breaker(first_pause_s=60.0))
    embedder.script(*[Status(500)] * 100)

    for number in range(3):
        shelf.put(f"{number}.md", GUIDE + str(number))
    work_through()

    assert shelf.rows("SELECT DISTINCT state, problem FROM documents_document") == [
        ("words", "documents.embedder_down")
    ]
    assert len(embedder.requests) == 4


def test_a_long_document_gives_way_to_a_short_one(
    shelf: Shelf, embedder: OpenAIServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ingest, "TURN_S", 0.0)
    shelf.put("long.md", LONG)
    shelf.put("short.md", GUIDE)

    claimed = queue.claim()
    assert claimed is not None
    outcome = ingest.run(claimed)
    following = queue.claim()

    assert outcome == "gave_way"
    assert following is not None and following.document_id != claimed.document_id
    ingest.run(following)
    work_through()
    assert shelf.rows("SELECT DISTINCT state FROM documents_document") == [("ready",)]


def test_ten_thousand_equal_lines_are_searchable_soon_and_embedded_once(shelf: Shelf, embedder: OpenAIServer) -> None:
    section = "# Same\n\n" + "The very same line stands here again and again. " * 12 + "\n\n"
    started = time.monotonic()

    document = shelf.put_and_read("same.md", section * 5000)

    assert time.monotonic() - started < 60
    assert (document.state, document.chunk_count, document.vector_count) == ("ready", 5000, 5000)
    assert sum(len(request.body["input"]) for request in embedder.requests) <= 2


def test_a_deletion_cannot_be_cancelled_or_retried(shelf: Shelf) -> None:
    document = shelf.put_and_read("pump.md", GUIDE)
    scope = shelf.cast.scope(shelf.cast.ada)
    with principal(scope):
        lifecycle.delete(scope, document)

    for act in (lifecycle.cancel, lifecycle.read_again, lifecycle.delete):
        with pytest.raises(UserProblem) as refused, principal(scope):
            act(scope, document)
        assert refused.value.code == "portal.not_found"

    work_through()
    assert counts(shelf, document) == (0, 0, 0)


def test_two_retries_are_one_job(shelf: Shelf) -> None:
    shelf.put("pump.md", GUIDE)
    scope = shelf.cast.scope(shelf.cast.ada)
    with principal(scope):
        document = Document.objects.visible_to(scope).get(name="pump.md")
        jobs = {lifecycle.read_again(scope, document).pk for _ in range(2)}

    assert len(jobs) == 1
    assert shelf.rows("SELECT count(*) FROM documents_ingestjob") == [(1,)]


def test_what_a_killed_upload_left_on_the_disk_is_swept(shelf: Shelf, settings: Any) -> None:
    shelf.put_and_read("pump.md", GUIDE)
    folder = Path(blobs.storage().path("")) / "ab"
    folder.mkdir(exist_ok=True)
    old, fresh = folder / f"ab{'0' * 38}", folder / f"ab{'1' * 38}"
    for file in (old, fresh):
        file.write_bytes(b"half")
    before = time.time() - 2 * blobs.LEFT_BEHIND_S
    for file in Path(blobs.storage().path("")).glob("*/*"):
        if file != fresh:
            os.utime(file, (before, before))

    assert sweep() == Swept(files=1)

    assert (old.exists(), fresh.exists()) == (False, True)
    assert shelf.document(shelf.rows("SELECT ref FROM documents_document")[0][0]).state == "ready"
    (key,) = shelf.rows("SELECT key FROM documents_blob")[0]
    assert Path(blobs.storage().path(key)).exists()


class FullDisk(FileSystemStorage):
    """Takes the first bytes of a file, then has no room."""

    def _save(self, name: str, content: Any) -> str:
        target = Path(self.path(name))
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(next(iter(content.chunks()))[:3])
        raise OSError(28, "No space left on device")


def test_a_full_disk_refuses_the_upload_and_leaves_nothing(shelf: Shelf, settings: Any, tmp_path: Path) -> None:
    where = {"BACKEND": "tests.documents.ingest.test_faults.FullDisk", "OPTIONS": {"location": tmp_path / "full"}}
    settings.STORAGES = {**settings.STORAGES, "blobs": where}

    with pytest.raises(SystemProblem) as refused:
        shelf.put("pump.md", GUIDE)

    assert refused.value.code == "portal.disk_full"
    assert [file for file in (tmp_path / "full").rglob("*") if file.is_file()] == []
    assert shelf.rows("SELECT count(*) FROM documents_document") == [(0,)]


def test_long_names_with_the_same_end_are_two_names() -> None:
    first, second = (document_name(f"{folder}/{'x' * 300}.md") for folder in ("a", "b"))

    assert first != second
    assert len(first) == len(second) == 255
    assert first.endswith("x.md")
    assert document_name(f"a/{'x' * 300}.md") == first


def test_what_a_failed_new_version_left_without_vectors_is_filled(shelf: Shelf, embedder: OpenAIServer) -> None:
    embedder.script(*[Status(500)] * 4)
    document = shelf.put_and_read("pump.pdf.md", GUIDE)
    lacking = (document.vector_count, document.chunk_count)
    shelf.rows("UPDATE documents_ingestjob SET state = 'cancelled' RETURNING id")
    shelf.rows(
        "UPDATE documents_document SET state = 'attention', problem = 'documents.broken' WHERE id = %s RETURNING id",
        document.pk,
    )

    queued = [queue.fill_gaps(), queue.fill_gaps()]
    work_until_nothing_waits(shelf)
    again = queue.fill_gaps()

    after = shelf.document(document.ref)
    assert lacking[0] < lacking[1]
    assert (queued, again) == ([1, 0], 0)
    assert after.vector_count == after.chunk_count
    assert (after.state, after.problem) == ("attention", "documents.broken")


def test_gaps_of_deleted_or_working_documents_are_left_alone(shelf: Shelf, embedder: OpenAIServer) -> None:
    embedder.script(*[Status(500)] * 8)
    shelf.put_and_read("waiting.md", GUIDE)
    deleted = shelf.put_and_read("deleted.md", GUIDE + "More.\n")
    shelf.rows("UPDATE documents_document SET state = 'attention' RETURNING id")
    scope = shelf.cast.scope(shelf.cast.ada)
    with principal(scope):
        lifecycle.delete(scope, deleted)

    assert queue.fill_gaps() == 0


def test_one_passage_that_the_provider_will_not_take_holds_up_no_other(shelf: Shelf, embedder: OpenAIServer) -> None:
    embedder.turns_down = "forbidden"
    parts = [f"## Part {n}\n\n{f'The valve {n} is opened slowly and closed. ' * 20}" for n in range(8)]
    text = "# Plant\n\n" + "\n\n".join([*parts, f"## Odd\n\n{'This is a forbidden word for them. ' * 20}"])

    document = shelf.put_and_read("plant.md", text)
    asked_again = shelf.rows("SELECT state, next_try_at > now() + interval '40 minutes' FROM documents_ingestjob")
    embedder.turns_down = ""
    shelf.rows("UPDATE documents_ingestjob SET next_try_at = now() RETURNING id")
    work_through()

    assert (document.state, document.problem) == ("words", "documents.passages_refused")
    assert (
        document.problem_detail == f"{document.chunk_count - document.vector_count} of {document.chunk_count} passages."
    )
    assert document.vector_count >= 8
    assert asked_again == [("queued", True)]
    after = shelf.document(document.ref)
    assert (after.state, after.problem, after.vector_count) == ("ready", "", after.chunk_count)


def test_a_provider_that_takes_no_text_at_all_is_named_as_refusing(shelf: Shelf, embedder: OpenAIServer) -> None:
    embedder.turns_down = "valve"
    text = "# Plant\n\n" + "\n\n".join(f"## Part {n}\n\n{f'The valve {n} is shut. ' * 30}" for n in range(30))

    document = shelf.put_and_read("plant.md", text)

    assert (document.state, document.problem) == ("words", "documents.embedder_refused")
    assert document.vector_count == 0
    assert len(embedder.requests) <= 6


def test_while_one_thread_makes_vectors_another_goes_on_reading(shelf: Shelf) -> None:
    shelf.put("long.md", GUIDE)
    with queue.FILLING:  # as another thread of this worker holds it
        work_through()
        long = shelf.document(shelf.rows("SELECT ref FROM documents_document")[0][0])
        new = shelf.put_and_read("new.md", "# New\n\nThe quillwort is green.\n")
        claimed = queue.claim()

    assert (long.state, long.vector_count) == ("words", 0)
    assert (new.state, new.vector_count) == ("words", 0)
    assert claimed is None
    assert shelf.rows("SELECT DISTINCT kind, state, crashes FROM documents_ingestjob") == [("embed", "queued", 0)]
    work_through()
    assert {shelf.document(one.ref).state for one in (long, new)} == {"ready"}


def test_what_needs_no_new_vector_is_ready_without_waiting_for_its_turn(shelf: Shelf) -> None:
    shelf.put_and_read("pump.md", GUIDE)

    with queue.FILLING:
        again = shelf.put_and_read("copy.md", GUIDE)

    assert again.state == "ready"
