"""The queue tells people to wait, and tells its operator what is stuck and why (cases 16, 19 and 21)."""

from __future__ import annotations

import io
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from documents import queue
from documents.models import Blob, Document, IngestJob
from documents.queue import FenceLost, fenced
from documents.upload import Accepted, Duplicate, Rejected, accept
from documents.worker import work_through
from tests.documents.ingest.test_ingest import GUIDE
from tests.documents.lifecycle.conftest import Shelf
from tests.documents.making import signed_in, upload_of

OWNER = "owner"


def command(*words: str) -> str:
    out = io.StringIO()
    call_command("queue", *words, stdout=out)
    return out.getvalue()


def job_ref() -> str:
    return str(IngestJob.objects.using(OWNER).order_by("-id")[0].ref)


def test_a_full_queue_refuses_with_the_time_to_come_back_and_stores_nothing(shelf: Shelf, settings: Any) -> None:
    settings.MAX_WAITING_FILES = 2
    taken = [shelf.put(f"{n}.md", GUIDE + str(n)) for n in range(2)]

    full = shelf.put("more.md", GUIDE + "more")
    known = shelf.put("0.md", GUIDE + "0")
    other = shelf.put("cy.md", GUIDE, user=shelf.cast.cy)

    assert [type(outcome) for outcome in taken] == [Accepted, Accepted]
    assert isinstance(full, Rejected)
    assert (full.code, full.retry_after_s) == ("documents.queue_full", 60)
    assert "2 of them are in line" in full.detail
    assert isinstance(known, Duplicate)
    assert isinstance(other, Accepted)
    assert Document.objects.using(OWNER).filter(name="more.md").count() == 0
    assert Blob.objects.using(OWNER).count() == 3
    work_through()
    assert isinstance(shelf.put("more.md", GUIDE + "more"), Accepted)


def test_the_wait_follows_the_workspaces_own_pace(shelf: Shelf, settings: Any) -> None:
    shelf.put_and_read("one.md", GUIDE)
    settings.MAX_WAITING_FILES = 1
    shelf.put("two.md", GUIDE + "2")
    waits = []

    for finished in (1, 299):
        shelf.rows(
            "INSERT INTO documents_ingestjob (workspace_id, collection_id, document_id, ref, kind, state, stage, attempt, crashes,"
            " retries, claimed_by, next_try_at, problem, created_at, finished_at)"
            " SELECT workspace_id, collection_id, document_id, %s || n, kind, 'done', '', 1, 0, 0, '', now(), '', now(), now()"
            " FROM documents_ingestjob, generate_series(1, %s) AS n WHERE state = 'done' ORDER BY id LIMIT %s RETURNING id",
            f"made{finished}-",
            finished,
            finished,
        )
        refused = shelf.put("more.md", GUIDE + "more")
        assert isinstance(refused, Rejected)
        waits.append(refused.retry_after_s)

    assert waits == [600, 10]


def test_the_operators_own_command_is_not_told_to_wait(shelf: Shelf, settings: Any) -> None:
    settings.MAX_WAITING_FILES = 1
    shelf.put("one.md", GUIDE)
    cast = shelf.cast

    outcome = accept(
        cast.scope(cast.ada),
        cast.shared(cast.north).pk,
        name="two.md",
        file=io.BytesIO(b"# Two\n\nWords.\n"),
        size_bytes=15,
        may_overfill=True,
    )

    assert isinstance(outcome, Accepted)


def test_a_page_that_finds_no_room_says_429_and_when_to_come_back(shelf: Shelf, settings: Any) -> None:
    settings.MAX_WAITING_FILES = 1
    client, shared = signed_in(shelf.cast.ben), shelf.cast.shared(shelf.cast.north)
    form = {"collection": shared.ref}

    some = client.post("/library/upload/", {**form, "file": [upload_of("a.md"), upload_of("b.md", b"# B\n\nWords.\n")]})
    none = client.post("/library/upload/", {**form, "file": [upload_of("c.md", b"# C\n\nWords.\n")]})

    assert (some.status_code, none.status_code) == (202, 429)
    assert some.headers["Retry-After"] == none.headers["Retry-After"] == "60"
    page = none.content.decode()
    assert "no more are taken for a moment" in page
    assert "1 of them are in line; send this one again in 60 seconds." in page


def test_a_late_job_is_told_with_its_cause_and_cancelled_by_the_operator(shelf: Shelf) -> None:
    shelf.put("pump.md", GUIDE)
    ref, quiet = job_ref(), command()
    shelf.rows("UPDATE documents_ingestjob SET next_try_at = now() - interval '61 seconds' RETURNING id")

    said = command()
    stopped = command("--cancel", ref)
    again = command("--cancel", ref)
    retried = command("--retry", ref)

    assert "stuck" not in quiet
    assert f"stuck {ref} (ingest, document {Document.objects.using(OWNER).get().ref})" in said
    assert "no worker is running" in said
    assert "1 waiting, 0 at work" in said
    assert "pump.md" not in said
    assert "was cancelled" in stopped
    assert "is cancelled (ingest) and stays so" in again
    assert "is queued" in retried
    work_through()
    assert Document.objects.using(OWNER).get().state == "ready"


def test_a_job_that_is_cancelled_while_it_runs_writes_nothing(shelf: Shelf) -> None:
    shelf.put("pump.md", GUIDE)
    held = queue.claim()
    assert held is not None

    with queue.lease(held) as lease:
        command("--cancel", job_ref())
        with pytest.raises(FenceLost), fenced(lease):
            pass

    document = Document.objects.using(OWNER).get()
    assert (document.state, document.problem) == ("attention", "documents.cancelled")


def test_a_lost_job_names_its_worker(shelf: Shelf) -> None:
    shelf.put("pump.md", GUIDE)
    queue.claim()
    shelf.rows("UPDATE documents_ingestjob SET lease_until = now() - interval '20 seconds' RETURNING id")

    said = command()

    assert "1 lost with their worker" in said
    assert f"Its worker ({queue.WORKER}) was lost." in said


def test_an_unknown_job_is_said(shelf: Shelf) -> None:
    with pytest.raises(CommandError, match="There is no job nothing"):
        command("--cancel", "nothing")


def test_the_operators_page_shows_what_is_stuck_first_and_why(shelf: Shelf) -> None:
    shelf.put("late.md", GUIDE)
    shelf.rows("UPDATE documents_ingestjob SET next_try_at = now() - interval '61 seconds' RETURNING id")
    shelf.put("new.md", GUIDE + "new")
    shelf.put("cys.md", GUIDE, user=shelf.cast.cy)

    page = signed_in(shelf.cast.root).get("/queue/")
    others = [signed_in(user).get("/queue/").status_code for user in (shelf.cast.ada, shelf.cast.dot)]

    line = page.context["line"]
    assert [(job.name, job.is_stuck) for job in line.open_jobs] == [("late.md", True), ("new.md", False)]
    assert "no worker is running" in line.open_jobs[0].cause
    assert (line.waiting, line.running) == (3, 0)
    assert "cys.md" not in page.content.decode()
    assert others == [404, 404]


def test_the_operators_page_stops_and_retries(shelf: Shelf) -> None:
    shelf.put("pump.md", GUIDE)
    client = signed_in(shelf.cast.root)

    [job] = client.get("/queue/").context["line"].open_jobs
    client.post(f"/documents/{job.document_ref}/cancel/")
    after = client.get("/queue/").context["line"]

    assert job.may_stop
    assert after.open_jobs == ()
    [ended] = after.lately
    assert (ended.state, ended.may_stop, ended.may_retry) == ("Cancelled", False, True)
