"""A claimed run, question by question: ask without a transaction, keep the result under the fence, go on where it ended."""

from __future__ import annotations

import time
from collections.abc import Sequence

from django.db import DatabaseError
from django.utils import timezone

from answers.ask import question_embedder
from evaluation import queue
from evaluation.configuration import Configuration
from evaluation.examine import Examiner, Patient
from evaluation.gold import Shelves
from evaluation.golden.store import questions_of
from evaluation.models import GoldenQuestion, Result, Run
from evaluation.queue import Claim, FenceLost
from evaluation.summary import summary_of
from portal.access import scope_of
from portal.events import Log
from portal.scope import Scope, principal

log = Log("evaluation.run")
TURN_S = 30.0
"""How long one turn works before it hands on: two runs must not hold both threads of a worker."""


def run(claimed: Claim, *, turn_s: float = TURN_S) -> str:
    """Carry the claimed run on; returns how the turn ended, as a word. Never raises for a lost fence."""
    scope = scope_of(claimed.user_id, claimed.workspace_id)
    if scope is None:
        return "evaluator_gone"
    try:
        outcome = _carry_on(claimed, scope, until=time.monotonic() + turn_s)
    except FenceLost:
        outcome = "fence_lost"
    log.info("evaluation.turn", run=claimed.run_id, attempt=claimed.attempt, outcome=outcome)
    return outcome


def _carry_on(claimed: Claim, scope: Scope, *, until: float) -> str:
    with principal(scope):
        job: Run | None = Run.objects.visible_to(scope).filter(pk=claimed.run_id, attempt=claimed.attempt).first()
        if job is None:
            raise FenceLost
        asked = Result.objects.visible_to(scope).filter(run=job).values("question_id")
        pending = list(questions_of(scope, job.golden_set_id, job.set_version).exclude(pk__in=asked))
    if not set(job.collection_ids) <= set(scope.collection_ids):
        queue.stop(claimed, scope, "evaluation.scope_changed")
        return "scope_changed"
    if Configuration.read(job.configuration).needs_index:  # whoever held it is gone, and the index with them
        queue.stop(claimed, scope, "evaluation.index_gone")
        return "index_gone"
    examiner = _examiner(scope, job, pending)
    for question in pending:
        if time.monotonic() > until:
            queue.give_back(claimed, scope)
            return "turn_over"
        if examiner.configuration.asks_a_model:
            queue.extend(claimed, scope)
        queue.keep(claimed, scope, examined(examiner, question))
    queue.finish(claimed, scope, summary=summary_of(scope, job))
    return "done"


def _examiner(scope: Scope, job: Run, pending: Sequence[GoldenQuestion]) -> Examiner:
    chosen = tuple(job.collection_ids)
    names = (passage["document"] for question in pending for passage in question.gold)
    configuration = Configuration.read(job.configuration)
    embedder = Patient(question_embedder().named(configuration.embedder))
    return Examiner(scope, configuration, chosen, Shelves(scope, chosen, names), embedder, job.seed)


def examined(examiner: Examiner, question: GoldenQuestion) -> dict[str, object]:
    try:
        return examiner.examine(question, now=timezone.now())
    except DatabaseError:
        raise
    except Exception as error:  # noqa: BLE001 (the boundary of a question: one that fails is a result, and the run goes on)
        log.failure("evaluation.question_failed", question=question.ref)
        return examiner.failed(question, type(error).__name__)
