"""A candidate configuration beside the live one, before it answers anybody: on a golden set, and on questions that were offered."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from evaluation import queue
from evaluation.compare import Comparison, compare
from evaluation.configuration import Configuration
from evaluation.golden.item import Item
from evaluation.golden.store import open_set, save
from evaluation.models import Feedback, GoldenQuestion, GoldenSet, Run
from evaluation.summary import lines_of
from portal.scope import Scope, principal

OFFERED = "Offered questions"
PREFIX = "shadow: "
LAST = 200
LIVE: Final = Configuration()


@dataclass(frozen=True, slots=True)
class Shadow:
    """Two runs over the same version of the same set."""

    live: Run
    candidate: Run


def start(
    scope: Scope,
    golden_set: GoldenSet,
    candidate: Configuration,
    *,
    live: Configuration = LIVE,
    seed: int = 1,
) -> Shadow:
    """Queue both runs; `live` is what the candidate is compared with, where that is not what answers members now."""
    name = f"{PREFIX}{live.label if live.plain() else 'live'}"
    before = queue.start(scope, golden_set, live, name=name, seed=seed)
    tried = queue.start(scope, golden_set, candidate, name=f"{PREFIX}{candidate.label}", seed=seed)
    return Shadow(before, tried)


def compared(scope: Scope, shadow: Shadow) -> Comparison:
    return compare(lines_of(scope, shadow.live), lines_of(scope, shadow.candidate), seed=shadow.candidate.seed)


def offered_set(scope: Scope, *, last: int = LAST) -> GoldenSet | None:
    """The newest questions that their askers offered, as a set of open questions; None while nobody offered any.

    Nothing is expected of them: the two runs tell how often each answers, how well the answers hold, and how long they take.
    """
    with principal(scope):
        rows = (
            Feedback.objects.visible_to(scope).filter(kind=Feedback.Kind.OFFER).exclude(state=Feedback.State.DISMISSED)
        )
        offers = list(rows.order_by("-pk")[:last])
    if not offers:
        return None
    golden_set = open_set(
        scope, OFFERED, description="The newest questions whose askers offered them, for shadow runs."
    )
    items = [
        Item(f"o-{row.ref}", row.question_text, "open", tags=("offered",), language=row.language) for row in offers
    ]
    save(scope, golden_set, items, origin=GoldenQuestion.Origin.OFFER, replace=True)
    return golden_set
