"""The golden set of the sample collection: it makes sure that its documents are there and says what is still being read."""

from __future__ import annotations

from pathlib import Path

from django.conf import settings

from documents.demo import SAMPLES
from documents.models import Document
from documents.upload import accept
from evaluation.golden.files import read_path
from evaluation.golden.store import open_set, refuse_readers, save
from evaluation.models import GoldenQuestion, GoldenSet
from portal.access import scope_of
from portal.models import Collection
from portal.scope import Scope, principal

NAME = "Sample: Footnote handbook"
DESCRIPTION = "Ships with the sample collection: answers that stand in it, exact codes, and questions to decline."
PATH = Path(__file__).with_name("sample.jsonl")


def ensure(scope: Scope) -> GoldenSet:
    """The sample set in its newest form and its documents uploaded; a second time changes nothing."""
    refuse_readers(scope)
    collection_id = _collection(_now(scope))
    scope = _now(scope)
    for path in sorted(SAMPLES.glob("*.md")):
        with path.open("rb") as file:
            accept(scope, collection_id, name=path.name, file=file, size_bytes=path.stat().st_size)
    golden_set = open_set(scope, NAME, description=DESCRIPTION)
    save(scope, golden_set, read_path(PATH), origin=GoldenQuestion.Origin.IMPORT)
    return golden_set


def unread(scope: Scope) -> int:
    """How many sample documents are not ready yet."""
    scope = _now(scope)
    names = [path.name for path in SAMPLES.glob("*.md")]
    with principal(scope):
        rows = Document.objects.visible_to(scope).filter(
            collection__name=settings.SAMPLE_COLLECTION, name__in=names, deleted_at__isnull=True
        )
        return len(names) - rows.filter(state=Document.State.READY).count()


def _now(scope: Scope) -> Scope:
    """The same person's scope with a collection that was made a moment ago."""
    return scope_of(scope.user_id or 0, scope.workspace_id) or scope


def _collection(scope: Scope) -> int:
    with principal(scope):
        rows = Collection.objects.visible_to(scope).filter(name=settings.SAMPLE_COLLECTION)
        row = rows.order_by("pk").first() or Collection.objects.create_for(
            scope, name=settings.SAMPLE_COLLECTION, kind=Collection.Kind.SHARED
        )
        return int(row.pk)
