"""Which chunks get their vectors next, and how often the database is looked through for them."""

from __future__ import annotations

import re

from django.db import connections
from django.test.utils import CaptureQueriesContext

from documents.filling import Page
from documents.models import EmbeddingModel
from documents.queue import ALIAS
from documents.worker import work_through
from tests.documents.ingest.conftest import Shelf
from tests.documents.ingest.test_faults import LONG


def test_a_page_is_kept_while_the_models_stay_and_dropped_when_one_changes() -> None:
    live = EmbeddingModel(pk=1, state=EmbeddingModel.State.LIVE)
    beside = EmbeddingModel(pk=2, state=EmbeddingModel.State.BUILDING)
    page = Page()

    page.of([live]).held[1] = []
    kept = 1 in page.of([live]).held
    added = 1 in page.of([live, beside]).held
    page.of([live, beside]).held[1] = []
    live.state = EmbeddingModel.State.RETIRED

    assert (kept, added, 1 in page.of([live, beside]).held) == (True, False, False)


def test_a_long_document_is_looked_through_once_for_many_batches(shelf: Shelf) -> None:
    accepted = shelf.put("long.md", LONG)

    with CaptureQueriesContext(connections[ALIAS]) as queries:
        work_through()

    statements = [query["sql"] for query in queries]
    looks = [sql for sql in statements if "DISTINCT ON (l.fingerprint)" in sql]
    batches = [
        sql for sql in statements if re.search(r"INSERT INTO documents_chunkvector.*vector::halfvec", sql, re.DOTALL)
    ]
    document = shelf.rows("SELECT state, chunk_count > 64, chunk_count = vector_count FROM documents_document")
    assert accepted is not None
    assert document == [("ready", True, True)]
    assert len(batches) >= 3
    assert len(looks) == 2  # one that finds them all, one that finds that none is left
