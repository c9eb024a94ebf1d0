"""Two arms over a candidate index: the documents as they are cut now, and as the candidate cuts or embeds them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from answers.ask import question_embedder
from evaluation import queue, trial
from evaluation.configuration import Configuration
from evaluation.examine import Examiner, Patient
from evaluation.gold import Shelves
from evaluation.golden.store import questions_of
from evaluation.models import GoldenSet, Run
from evaluation.run import examined
from evaluation.shadow import LIVE, Shadow
from evaluation.summary import summary_of
from portal.scope import Scope, principal


def over_index(
    scope: Scope,
    golden_set: GoldenSet,
    live: Run,
    candidate: Configuration,
    *,
    say: Callable[[str], object],
) -> Shadow:
    """Both arms over copies of the documents that the finished live run's questions need: only the candidate's change differs.

    The copies are removed at the end. Figures and verdicts stay; what a passage said then is gone.
    """
    documents = trial.needed(scope, live)
    say(f"candidate index: {len(documents)} documents")
    with trial.opened(scope, documents, candidate) as index:
        if index.left_out:
            say(f"  {index.left_out} left out of both: only their text was kept, there is no file to cut anew")
        before, tried = (
            queue.start(
                scope,
                golden_set,
                configuration,
                collection_ids=live.collection_ids,
                name=f"candidate index: {label}",
                seed=live.seed,
                is_held=True,
            )
            for configuration, label in ((replace(LIVE, pooled=True), "live"), (candidate, candidate.label))
        )
        return Shadow(
            _carried_out(scope, index, before, index.live), _carried_out(scope, index, tried, index.candidate)
        )


def _carried_out(scope: Scope, index: trial.Index, run: Run, collection_ids: tuple[int, ...]) -> Run:
    """Ask in the index's scope, keep in the evaluator's."""
    claimed = queue.claim_of(scope, run)
    configuration = Configuration.read(run.configuration)
    with principal(scope):
        pending = list(questions_of(scope, run.golden_set_id, run.set_version))
    names = [passage["document"] for question in pending for passage in question.gold]
    examiner = Examiner(
        index.scope,
        configuration,
        collection_ids,
        Shelves(index.scope, collection_ids, names),
        Patient(question_embedder().named(configuration.embedder)),
        run.seed,
        shown_to=tuple(run.collection_ids),
    )
    for question in pending:
        queue.extend(claimed, scope)
        queue.keep(claimed, scope, examined(examiner, question))
    queue.finish(claimed, scope, summary=summary_of(scope, run))
    with principal(scope):
        done: Run = Run.objects.visible_to(scope).get(pk=run.pk)
    return done
