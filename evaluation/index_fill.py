"""A candidate index is read and gets its vectors, in this process and by whatever workers run."""

from __future__ import annotations

import time
from collections.abc import Sequence

from django.db.models import F

from documents import model_switch
from documents.embedders import address_of
from documents.embedding_models import known
from documents.models import Chunk, ChunkVector, Document, EmbeddingModel
from documents.worker import work_through
from portal.people import OWNER
from portal.problems import UserProblem
from portal.scope import Scope, principal

SETTLED = (Document.State.READY, Document.State.ATTENTION)
STILL_S = 600.0
POLL_S = 0.5


def begin(model: str) -> bool:
    """Have the model filled from now on; True when that was not so before. Nothing for "" and for the live one.

    Raises UserProblem evaluation.configuration for one that the environment names nowhere.
    """
    rows = EmbeddingModel.objects.using(OWNER)
    if not model or rows.filter(name=model).exclude(state=EmbeddingModel.State.RETIRED).exists():
        return False
    if address_of(model) is None:
        raise UserProblem("evaluation.configuration", f"The environment names no embedder of {model[:60]}.")
    dims, languages = known(model)
    rows.update_or_create(
        name=model, defaults={"dims": dims, "languages": languages, "state": EmbeddingModel.State.BUILDING}
    )
    return True


def end(model: str) -> None:
    """Stop filling it, and remove its vectors."""
    model_switch.retire(model)


def work(scope: Scope, collection_ids: Sequence[int], model: str) -> None:
    """Until every document is settled and has all vectors. Raises UserProblem evaluation.index_unfilled when it stands still."""
    seen, still_since = (-1, -1), time.monotonic()
    while (left := _left(scope, collection_ids, model)) != (0, 0):
        if left != seen:
            seen, still_since = left, time.monotonic()
        elif time.monotonic() - still_since > STILL_S:
            raise UserProblem("evaluation.index_unfilled", f"{left[0]:,} documents, {left[1]:,} vectors are missing.")
        if not work_through(turn_s=10.0):
            time.sleep(POLL_S)


def _left(scope: Scope, collection_ids: Sequence[int], model: str) -> tuple[int, int]:
    """(documents still to be read, vectors of the candidate model still to be made)."""
    with principal(scope):
        documents = Document.objects.visible_to(scope).filter(collection_id__in=collection_ids, deleted_at__isnull=True)
        unread = documents.exclude(state__in=SETTLED).count()
        if not model:
            return unread, 0
        live = Chunk.objects.visible_to(scope).filter(document__in=documents, version_id=F("document__live_version_id"))
        vectors = ChunkVector.objects.visible_to(scope).filter(chunk__in=live, model__name=model)
        return unread, live.count() - vectors.count()
