"""Runs as PostgreSQL owns them: started, claimed, kept up question by question under the attempt's fence, ended (ADR 0003)."""

from __future__ import annotations

import os
import socket
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from django.db import connections, transaction
from django.db.models import F
from django.db.models.functions import Now
from django.utils import timezone

from documents.embedders import address_of
from documents.models import CollectionStats, EmbeddingModel
from documents.wake import broker_breaker
from evaluation.configuration import Configuration, code_version
from evaluation.golden.store import questions_of, refuse_readers
from evaluation.models import GoldenSet, Result, Run
from portal.celery import app
from portal.events import Log
from portal.models import AuditEvent, Collection
from portal.problems import UserProblem
from portal.scope import Scope, principal

log = Log("evaluation.queue")
LEASE_S = 60
LONG_LEASE_S = 240
WORKER = f"{socket.gethostname()}:{os.getpid()}"
TASK = "evaluation.tasks.work"


class FenceLost(Exception):
    """The run is no longer ours: stopped by a person, or claimed by another worker."""


@dataclass(frozen=True, slots=True)
class Claim:
    """One attempt at one run, by ids."""

    run_id: int
    attempt: int
    workspace_id: int
    user_id: int


def start(
    scope: Scope,
    golden_set: GoldenSet,
    configuration: Configuration,
    *,
    collection_ids: Sequence[int] | None = None,
    name: str = "",
    seed: int = 1,
    is_held: bool = False,
) -> Run:
    """Queue a run in the scope's own name; without collections it searches every one the scope sees that is not private.

    With `is_held` it runs from its first moment, and whoever started it carries it out (claim_of), as a candidate index needs.
    """
    refuse_readers(scope)
    if configuration.needs_index and not is_held:
        raise UserProblem("evaluation.needs_index")
    with principal(scope):
        chosen = _searched(scope, collection_ids)
        total = questions_of(scope, golden_set.pk, golden_set.version).count()
        if not total:
            raise UserProblem("evaluation.no_questions")
        stats = CollectionStats.objects.visible_to(scope).filter(pk__in=chosen).values_list("pk", "epoch")
        model = _model(configuration)
        run: Run = Run.objects.create_for(
            scope,
            user_id=scope.user_id,
            golden_set=golden_set,
            name=name[:120],
            set_version=golden_set.version,
            configuration=configuration.plain(),
            config_hash=configuration.hash,
            code_version=code_version(),
            embedding_model=model,
            collection_ids=chosen,
            epochs={str(pk): epoch for pk, epoch in stats},
            seed=seed,
            total=total,
            **(_held() if is_held else {}),
        )
        AuditEvent.objects.create_for(scope, user_id=scope.user_id, action="evaluation.started", object_ref=run.ref)
        if not is_held:
            transaction.on_commit(wake)
    log.info("evaluation.started", run=run.ref, questions=total, config=run.config_hash)
    return run


def _held() -> dict[str, Any]:
    now = timezone.now()
    return {
        "state": Run.State.RUNNING,
        "attempt": 1,
        "claimed_by": WORKER,
        "started_at": now,
        "lease_until": now + timedelta(seconds=LEASE_S),
    }


def claim_of(scope: Scope, run: Run) -> Claim:
    """The claim of a held run."""
    return Claim(run.pk, run.attempt, scope.workspace_id, run.user_id)


def _model(configuration: Configuration) -> str:
    """The name of the model whose vectors the run searches, "" when there is none yet.

    Raises UserProblem evaluation.configuration for one that has no vectors or that the environment names nowhere.
    """
    wanted = configuration.embedding_model
    rows = EmbeddingModel.objects.using("default").exclude(state=EmbeddingModel.State.RETIRED)
    if not wanted:
        return rows.filter(state=EmbeddingModel.State.LIVE).values_list("name", flat=True).first() or ""
    if not rows.filter(name=wanted).exists() or address_of(wanted) is None:
        raise UserProblem("evaluation.configuration", f"No embedding model {wanted[:60]} is being filled here.")
    return wanted


def _searched(scope: Scope, wanted: Sequence[int] | None) -> list[int]:
    rows = Collection.objects.visible_to(scope)
    rows = rows.exclude(kind=Collection.Kind.PRIVATE) if wanted is None else rows.filter(pk__in=list(wanted))
    chosen = sorted(rows.values_list("pk", flat=True))
    if not chosen:
        raise UserProblem("evaluation.no_collection")
    return chosen


def wake() -> bool:
    """True when the broker took the message; workers look by themselves too."""
    if broker_breaker.wait_s():
        return False
    try:
        app.send_task(TASK, ignore_result=True, retry=False, expires=60)
    except Exception as error:  # noqa: BLE001 (each transport has its own; the run is in the database, so none may matter)
        broker_breaker.failed()
        log.warning("evaluation.broker_down", error=type(error).__name__)
        return False
    broker_breaker.succeeded()
    return True


def claim() -> Claim | None:
    """The next run for this worker, or None when nothing waits."""
    with connections["ingest"].cursor() as cursor:
        cursor.execute(
            "SELECT run_id, run_attempt, workspace_id, user_id FROM footnote.claim_run(%s, %s)", [WORKER, LEASE_S]
        )
        row = cursor.fetchone()
    return None if row is None or row[0] is None else Claim(*row)


def waiting() -> int:
    with connections["ingest"].cursor() as cursor:
        cursor.execute("SELECT footnote.runs_waiting()")
        return int(cursor.fetchone()[0])


def keep(claimed: Claim, scope: Scope, result: dict[str, Any]) -> None:
    """Store one result and the progress in one transaction. Raises FenceLost, and then nothing was stored."""
    with principal(scope):
        _update(claimed, scope, done=F("done") + 1, crashes=0, lease_until=Now() + timedelta(seconds=LEASE_S))
        Result.objects.create_for(scope, user_id=claimed.user_id, run_id=claimed.run_id, **result)


def extend(claimed: Claim, scope: Scope) -> None:
    """Before a question that a model answers: the lease outlasts the longest call."""
    with principal(scope):
        _update(claimed, scope, lease_until=Now() + timedelta(seconds=LONG_LEASE_S))


def give_back(claimed: Claim, scope: Scope) -> None:
    """Let any worker go on with it."""
    with principal(scope):
        _update(claimed, scope, state=Run.State.QUEUED, lease_until=None)


def finish(claimed: Claim, scope: Scope, *, summary: dict[str, Any]) -> None:
    with principal(scope):
        _update(claimed, scope, state=Run.State.DONE, summary=summary, finished_at=Now())


def stop(claimed: Claim, scope: Scope, problem: str) -> None:
    with principal(scope):
        _update(claimed, scope, state=Run.State.FAILED, problem=problem, finished_at=Now())


def cancel(scope: Scope, run: Run) -> bool:
    """Stop a run; the worker notices with its next question. False when it was over already."""
    refuse_readers(scope)
    with principal(scope):
        rows = Run.objects.visible_to(scope).filter(pk=run.pk, state__in=[Run.State.QUEUED, Run.State.RUNNING])
        return bool(rows.update(state=Run.State.CANCELLED, finished_at=Now()))


def _update(claimed: Claim, scope: Scope, **values: Any) -> None:
    rows = Run.objects.visible_to(scope).filter(pk=claimed.run_id, attempt=claimed.attempt, state=Run.State.RUNNING)
    if not rows.update(**values):
        raise FenceLost
