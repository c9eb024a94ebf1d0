"""Called through bench.inside against a running stack: collections, what became of the uploads, what a search found."""

from __future__ import annotations

import time
from collections import Counter
from typing import Any

from django.db import connections

from answers.models import Answer, Trace
from bench.registry import say
from documents.demo import EMAIL
from documents.models import Chunk, Document
from portal.access import scope_of, seats_of
from portal.models import Collection, User
from portal.scope import Scope, principal

SETTLED = (Document.State.READY, Document.State.ATTENTION)
POLL_S = 2.0
NOTE_EVERY_S = 60.0


def demo_scope() -> Scope:
    user = User.objects.using("owner").get(email__iexact=EMAIL)
    scope = scope_of(user.pk, seats_of(user.pk)[0].workspace_id)
    assert scope is not None
    return scope


def collection(name: str) -> str:
    """The ref of the demo workspace's shared collection of this name, made if need be."""
    row, _ = Collection.objects.using("owner").get_or_create(
        workspace_id=demo_scope().workspace_id, name=name, defaults={"kind": Collection.Kind.SHARED}
    )
    return str(row.ref)


def await_settled(collection: str, total: int, within_s: float) -> dict[str, Any]:
    """Wait until `total` documents are ready or need attention; counts by state, and the reasons of those that need it."""
    started, noted = time.monotonic(), 0.0
    while True:
        found = states(collection)
        settled = sum(found["states"].get(state, 0) for state in SETTLED)
        passed = time.monotonic() - started
        if settled >= total or passed > within_s:
            return {**found, "seconds": round(passed, 1)}
        if passed - noted > NOTE_EVERY_S:
            noted = passed
            say(f"# {settled} of {total} settled after {passed:.0f} s: {found['states']}, {found['vectors']} vectors")
        leave()
        time.sleep(POLL_S)


def leave() -> None:
    """Give up what this process holds in the database: its memory would be counted as the stack's."""
    for connection in connections.all():
        connection.close()
        if connection.settings_dict["OPTIONS"].get("pool"):
            connection.close_pool()  # type: ignore[attr-defined]


def states(collection: str) -> dict[str, Any]:
    scope = demo_scope()
    with principal(scope):
        rows = list(
            Document.objects.visible_to(scope)
            .filter(collection__ref=collection, deleted_at__isnull=True)
            .values_list("name", "state", "problem", "problem_detail", "chunk_count", "vector_count")
        )
    return {
        "states": Counter(row[1] for row in rows),
        "attention": [[row[0], row[2], row[3]] for row in rows if row[1] == Document.State.ATTENTION],
        "chunks": sum(row[4] for row in rows),
        "vectors": sum(row[5] for row in rows),
    }


def evidence(answers: list[str], depth: int) -> dict[str, dict[str, Any]]:
    """Per answer: outcome, reason, and the documents of the first `depth` passages of its search, best first."""
    scope = demo_scope()
    with principal(scope):
        kept = Answer.objects.visible_to(scope).filter(ref__in=answers)
        outcome = {row.pk: (row.ref, row.outcome, row.reason) for row in kept}
        traces = Trace.objects.visible_to(scope).filter(answer_id__in=list(outcome))
        ranked = {trace.answer_id: _fused(trace.stages)[:depth] for trace in traces}
        wanted = {chunk_id for ids in ranked.values() for chunk_id in ids}
        names = dict(Chunk.objects.visible_to(scope).filter(pk__in=wanted).values_list("pk", "document__name"))
    return {
        ref: {"outcome": word, "reason": reason, "documents": [names.get(i, "?") for i in ranked.get(pk, [])]}
        for pk, (ref, word, reason) in outcome.items()
    }


def _fused(stages: list[dict[str, Any]]) -> list[int]:
    return [item[0] for stage in stages if stage["name"] == "search.fused" for item in stage["candidates"]]
