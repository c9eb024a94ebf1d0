"""Called through bench.inside against a running stack: a library of the size that the bars of the API name, and a key to it."""

from __future__ import annotations

import os

from django.conf import settings
from django.db import connections

from bench.bulk import Bulk, Shelf
from bench.canary import superuser
from bench.inside_corpus import collection, demo_scope
from bench.inside_sizes import world
from documents.models import EmbeddingModel
from portal import env
from portal.keys import make_key
from portal.models import Collection

OWNER = "owner"


def plant(documents: int, chunks: int, questions: int) -> dict[str, object]:
    """A key that reads, and questions of words that stand in the passages.

    `documents` in one collection without text, `chunks` with words and vectors in another, 20 to a document.
    """
    os.environ.setdefault(env.ADMIN_URL, superuser(settings.STATE_DIR))
    listed = row_of(collection("listed"))
    with connections[OWNER].cursor() as cursor:
        cursor.execute(DOCUMENTS, [listed.workspace_id, listed.pk, documents])
    made, bulk = world(), Bulk()
    found = row_of(collection("found"))
    model = EmbeddingModel.objects.using(OWNER).get(state=EmbeddingModel.State.LIVE)
    words = made.vocabulary.draw(made.random, chunks)
    shelf = Shelf(found.workspace_id, found.pk, model.pk)
    bulk.connection.execute("DELETE FROM documents_collectionstats WHERE collection_id = %s", [found.pk])
    bulk.fill(shelf, made.topics.draw(made.random, chunks), words=words, vocabulary=made.vocabulary)
    bulk.settle()
    asked = [made.vocabulary.question(made.random, words[place]) for place in range(questions)]
    key = make_key(demo_scope(), "bench", scopes=("read", "ask"))[1]
    return {"key": key, "questions": asked, "collection": found.ref}


def row_of(ref: str) -> Collection:
    return Collection.objects.using(OWNER).get(ref=ref)


DOCUMENTS = (
    "INSERT INTO documents_document (workspace_id, collection_id, ref, name, name_key, title, kind, source_url, state, problem,"
    " problem_detail, chunk_count, vector_count, unread_pages, created_at, updated_at)"
    " SELECT %s, %s, 'd' || n, n || '.md', n || '.md', 'Document ' || n, 'markdown', '', 'ready', '', '', 3, 3, 0,"
    " now() - n * interval '1 minute', now() FROM generate_series(1, %s) n"
)
