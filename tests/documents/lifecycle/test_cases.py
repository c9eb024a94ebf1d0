"""Cases 16 to 22 of the field where no other file has them: through the pages and the API, as people meet them.

16 two people, one name, equal bytes, again after a failure: tests/documents/pages/test_upload.py
17 a new version answers, the old one is history: tests/documents/ingest/test_ingest.py, pages/test_document.py
18 deleted or disabled, then asked at once: tests/answers/test_lifecycle.py, tests/documents/api/test_answers.py
19 deleted, cancelled or moved while the worker reads; two workers: test_verbs.py, test_queue.py, ingest/test_ingest.py
20 the embedder fails for some batches; a text it will not take: here, and ingest/test_faults.py
21 no broker, no worker: test_queue.py, pages/test_library.py
22 a large file behind an impatient proxy: here
"""

from __future__ import annotations

import time

from documents.models import Document
from documents.worker import work_through
from tests.documents.ingest.conftest import Shelf as Shelves
from tests.documents.lifecycle.conftest import Search, Shelf
from tests.documents.making import signed_in, upload_of
from tests.fakes.openai_server import OpenAIServer, Status

OWNER = "owner"
PARTS = "\n\n".join(f"## Part {n}\n\n{f'The valve {n} is opened slowly and closed. ' * 25}" for n in range(40))


def due(shelf: Shelves) -> None:
    shelf.rows("UPDATE documents_ingestjob SET next_try_at = now() WHERE state = 'queued' RETURNING id")


def test_case_18_asked_at_once_after_deleting_or_switching_off_by_page_and_program(
    shelf: Shelf, searched: Search
) -> None:
    client = signed_in(shelf.cast.ada)
    off = shelf.put_and_read("off.md", "# Off\n\nThe quillwort is green.\n")
    gone = shelf.put_and_read("gone.md", "# Gone\n\nThe quillwort is red.\n")
    before = searched(shelf.cast.dot, "quillwort")

    client.post(f"/documents/{off.ref}/disable/")
    client.post(f"/documents/{gone.ref}/delete/")

    assert set(before) == {off.ref, gone.ref}
    assert searched(shelf.cast.dot, "quillwort") == []


def test_case_20_batches_that_fail_in_between_leave_no_hole(shelf: Shelf, embedder: OpenAIServer) -> None:
    embedder.script(Status(429, retry_after="3600"))
    first = shelf.put_and_read("plant.md", f"# Plant\n\n{PARTS}")
    embedder.script(*[Status(500)] * 4)
    due(shelf)
    work_through()
    second = shelf.document(first.ref)
    due(shelf)
    work_through()

    row = shelf.document(first.ref)
    assert [(one.state, one.vector_count < one.chunk_count) for one in (first, second)] == [("words", True)] * 2
    assert (row.state, row.vector_count) == ("ready", row.chunk_count)
    assert shelf.rows("SELECT count(*), count(DISTINCT chunk_id) FROM documents_chunkvector") == [
        (row.chunk_count,) * 2
    ]


def test_case_22_a_large_file_is_answered_before_any_of_it_is_read(shelf: Shelf) -> None:
    line = b"The valve is opened slowly and closed again by hand every morning.\n"
    data = b"# Plant\n\n" + line * (8_000_000 // len(line))
    client = signed_in(shelf.cast.ben)

    started = time.monotonic()
    answer = client.post(
        "/library/upload/", {"collection": shelf.cast.shared(shelf.cast.north).ref, "file": upload_of("big.md", data)}
    )
    seconds = time.monotonic() - started

    document = Document.objects.using(OWNER).get()
    assert answer.status_code == 202
    assert seconds < 10
    assert (document.state, document.chunk_count) == ("queued", 0)
    assert "Queued, first in line" in client.get(f"/documents/{document.ref}/").content.decode()
