"""The receipt of a deletion: a probe that looks for what was deleted as a question would, its figures in the audit log."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from typing import Any

from django.db import transaction

from documents.models import Chunk, ChunkVector, Document, Version
from documents.text.sentences import sentences
from portal.events import Log
from portal.forgetting import Found, Sample, probe
from portal.models import AuditEvent
from portal.scope import Scope, open_alias, principal

log = Log("documents.receipt")
ACTION = "document.receipt"
SAMPLES = 5
"""Passages whose sentence and vector are looked for; by id every passage is. A search takes some 10 ms."""


@dataclass(frozen=True, slots=True)
class Receipt:
    """How many of the passages could still be retrieved, and how it was looked. Refs and counts alone."""

    at: datetime
    by: str
    passages: int
    retrievable: int
    by_id: int
    sentences: int
    by_sentence: int
    vectors: int
    by_neighbours: int

    @property
    def is_clean(self) -> bool:
        return self.retrievable == 0


def prove_after_commit(scope: Scope, document: Document) -> None:
    """Take samples of the document that is about to be deleted, and look for them once the deletion is in force."""
    live = Chunk.objects.visible_to(scope).filter(document=document, version=document.live_version_id or 0)
    chunk_ids = list(live.order_by("ordinal").values_list("pk", flat=True))
    taken = samples_of(scope, chunk_ids)
    prove = partial(take, scope, document.pk, document.ref, chunk_ids=chunk_ids, samples=taken)
    transaction.on_commit(prove, using=live.db, robust=True)


def prove_version_after_commit(scope: Scope, document: Document, version: Version, chunk_ids: Sequence[int]) -> None:
    """As prove_after_commit, for one version that answers no more: it has no vectors, and its sentences may stand in others."""
    taken = [replace(sample, vector=()) for sample in samples_of(scope, chunk_ids)]
    prove = partial(take, scope, document.pk, version.ref, chunk_ids=chunk_ids, samples=taken, alone=True)
    transaction.on_commit(prove, using=open_alias(scope), robust=True)


def samples_of(scope: Scope, chunk_ids: Sequence[int]) -> list[Sample]:
    """At most SAMPLES passages, spread over the document."""
    step = max(1, -(-len(chunk_ids) // SAMPLES))
    chosen = chunk_ids[::step]
    texts = dict(Chunk.objects.visible_to(scope).filter(pk__in=chosen).values_list("pk", "text"))
    vectors = ChunkVector.objects.visible_to(scope).filter(chunk_id__in=chosen, model__state="live")
    found = dict(vectors.values_list("chunk_id", "embedding"))
    return [Sample(pk, longest_sentence(texts[pk]), found.get(pk, ())) for pk in chosen]


def longest_sentence(text: str) -> str:
    start, end = max(sentences(text), key=lambda span: span[1] - span[0], default=(0, len(text)))
    return text[start:end][:1000]


def take(
    scope: Scope,
    document_id: int,
    ref: str,
    *,
    chunk_ids: Sequence[int],
    samples: Sequence[Sample],
    alone: bool = False,
) -> None:
    """Probe, and store what came back. `alone` says that the document has other passages, which may be found."""
    found = probe()(scope, document_id, chunk_ids=chunk_ids, samples=samples)
    if alone:
        own = frozenset(chunk_ids)
        found = Found(found.by_id & own, found.by_sentence & own, found.by_neighbours & own)
    detail = {
        "passages": len(chunk_ids),
        "retrievable": len(found.any),
        "by_id": len(found.by_id),
        "sentences": sum(bool(sample.sentence) for sample in samples),
        "by_sentence": len(found.by_sentence),
        "vectors": sum(bool(sample.vector) for sample in samples),
        "by_neighbours": len(found.by_neighbours),
    }
    with principal(scope):
        AuditEvent.objects.create_for(scope, user_id=scope.user_id, action=ACTION, object_ref=ref, detail=detail)
    if found.any:
        log.error("receipt.still_found", document=ref, passages=len(found.any))


def receipt_of(scope: Scope, ref: str) -> Receipt | None:
    """The receipt that this scope may read: the deleter's own, or any of the workspace for its owner. Needs a principal."""
    event = (
        AuditEvent.objects.visible_to(scope)
        .filter(action=ACTION, object_ref=ref)
        .select_related("user")
        .only("at", "detail", "user__email")
        .order_by("-id")
        .first()
    )
    return _shown(event) if event else None


def _shown(event: AuditEvent) -> Receipt:
    said: Mapping[str, Any] = event.detail
    counts = {name: int(said[name]) for name in Receipt.__dataclass_fields__ if name not in ("at", "by")}
    return Receipt(at=event.at, by=event.user.email if event.user else "", **counts)


def left_in_storage(scope: Scope, document: Document) -> int:
    """Passages of a deleted document that the worker has not removed yet; none of them can be retrieved."""
    return int(Chunk.objects.visible_to(scope).filter(document=document).count())
