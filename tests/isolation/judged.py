"""The evaluation's part of the planted world: a golden set and a run of each workspace, shaded questions, feedback."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from evaluation.models import Feedback, GoldenQuestion, GoldenSet, Result, Run
from tests.isolation.canaries import OWNER, canary

if TYPE_CHECKING:
    from portal.models import User
    from tests.isolation.planted import Asked, Paper


@dataclass(frozen=True, slots=True)
class Judged:
    """`question` hides with its collection, set and run are the workspace's."""

    golden_set: GoldenSet
    question: GoldenQuestion
    run: Run


def judge(owner: str, home: str, about: Paper, user: User, *, state: str = "done") -> Judged:
    """A question about the paper in the workspace's set, and its result in a run of the user's."""
    here = {"workspace_id": about.collection.workspace_id}
    golden_set, _ = GoldenSet.objects.using(OWNER).get_or_create(
        **here, name=canary(home, "set"), defaults={"version": 1}
    )
    question = GoldenQuestion.objects.using(OWNER).create(
        **here,
        golden_set=golden_set,
        key=f"{owner}-{about.document.pk}",
        text=canary(owner, "golden"),
        gold=[{"document": about.document.name, "quote": canary(owner, "gold")}],
        collection_ids=[about.collection.pk],
        since_version=1,
    )
    run = Run.objects.using(OWNER).create(
        **here,
        user=user,
        golden_set=golden_set,
        name=canary(home, "run"),
        set_version=1,
        config_hash="x",
        code_version="x",
        collection_ids=[about.collection.pk],
        state=state,
        total=1,
        done=1,
    )
    Result.objects.using(OWNER).create(
        **here,
        user=user,
        run=run,
        question=question,
        collection_ids=[about.collection.pk],
        outcome="answered",
        figures={"right": 0},
    )
    return Judged(golden_set, question, run)


def say(owner: str, about: Paper, user: User, asked: Asked) -> Feedback:
    """What a person said of an answer from the own private document."""
    made: Feedback = Feedback.objects.using(OWNER).create(
        workspace_id=about.collection.workspace_id,
        user=user,
        answer_ref=asked.answer.ref,
        question_text=canary(owner, "feedback"),
        kind="down",
        collection_ids=[about.collection.pk],
    )
    return made
