"""One version that answers no more, taken out for good: its text, passages and file, and what answers hold of it."""

from __future__ import annotations

from functools import partial

from django.db import connections, transaction

from documents import blobs, lifecycle, receipt
from documents.models import Chunk, Document, Version
from portal.forgetting import redact
from portal.problems import UserProblem
from portal.scope import Scope, open_alias


def purge_version(scope: Scope, document: Document, version: Version) -> dict[str, int]:
    """Blank everything of it but its number and its dates; a probe then looks for it (documents/receipt.py).

    Returns how many passages, citations, answers and traces went. Raises UserProblem documents.version_answers for the live version
    and the newest one, portal.not_found for one that is purged already.
    """
    held = lifecycle.lock(scope, document)
    _may_go(scope, held, version)
    chunk_ids = list(
        Chunk.objects.visible_to(scope).filter(version=version).order_by("ordinal").values_list("pk", flat=True)
    )
    receipt.prove_version_after_commit(scope, held, version, chunk_ids)
    counts = redact(scope, held.pk, version_id=version.pk)
    with connections[open_alias(scope)].cursor() as cursor:
        cursor.execute("SELECT passages, file_key FROM footnote.forget_version(%s)", [version.pk])
        passages, key = cursor.fetchone()
    if passages is None:
        raise UserProblem("documents.version_answers")
    if key:
        transaction.on_commit(partial(blobs.remove, key), using=open_alias(scope), robust=True)
    lifecycle.note(scope, "version.purged", version.ref, {"passages": passages, **counts})
    lifecycle.bump_epoch(scope, held.collection_id)
    return {"passages": passages, **counts}


def _may_go(scope: Scope, held: Document, version: Version) -> None:
    now = Version.objects.visible_to(scope).filter(pk=version.pk, document=held).values_list("purged_at", flat=True)
    if not now or now[0] is not None:
        raise UserProblem("portal.not_found")
    if version.pk == held.live_version_id or version.number == lifecycle.newest_of(scope, held).number:
        raise UserProblem("documents.version_answers")


def may_purge(document: Document, version: Version, newest: Version) -> bool:
    """Whether this version can go alone: it is neither live nor the newest, and not gone yet."""
    return version.purged_at is None and version.pk not in (document.live_version_id, newest.pk)
