"""The turns of a conversation around an answer, as its page shows them, and histories in which turns stand together."""

from __future__ import annotations

from dataclasses import dataclass

from django.db.models import F, Max, Prefetch, QuerySet, Value, Window
from django.db.models.functions import Coalesce, NullIf
from django.urls import reverse

from answers import written
from answers.conversation import turns_of
from answers.models import Answer, Citation, Question
from answers.quoted import as_text
from answers.shown import Verdict, verdict_of
from portal.scope import Scope

SHOWN = 6
"""Turns before and after; older ones are in the history."""

LONG = 280


@dataclass(frozen=True, slots=True)
class Turn:
    """An earlier or later turn in short. `said` is the beginning of its answer, "" where nothing was found or shown."""

    question: str
    url: str
    verdict: Verdict
    said: str


@dataclass(frozen=True, slots=True)
class Thread:
    """`completed_by` is "rules" or "model" where the question was completed from `typed`; `before_ref` is the question before."""

    before: tuple[Turn, ...] = ()
    after: tuple[Turn, ...] = ()
    typed: str = ""
    completed_by: str = ""
    before_ref: str = ""

    @property
    def is_alone(self) -> bool:
        return not (self.before or self.after)


def around(scope: Scope, answer: Answer) -> Thread:
    """Needs an open principal."""
    mine = answer.question
    root = mine.conversation or mine.ref
    rows = turns_of(scope, root).exclude(pk=mine.pk).prefetch_related(_answers(scope))
    before = list(rows.filter(pk__lt=mine.pk).order_by("-pk")[:SHOWN])[::-1]
    later = list(rows.filter(pk__gt=mine.pk).order_by("pk")[:SHOWN])
    return Thread(
        _turns(scope, before),
        _turns(scope, later),
        mine.typed,
        mine.completed_by,
        before[-1].ref if before else "",
    )


def _answers(scope: Scope) -> Prefetch[str, QuerySet[Answer], str]:
    citations = Prefetch("citations", Citation.objects.visible_to(scope).order_by("number"))
    return Prefetch("answers", Answer.objects.visible_to(scope).prefetch_related(citations).order_by("-id"))


def _turns(scope: Scope, rows: list[Question]) -> tuple[Turn, ...]:
    found = [(row, next(iter(row.answers.all()), None)) for row in rows]
    return tuple(
        Turn(row.text, reverse("answer", args=[answer.ref]), verdict_of(answer), _said(scope, answer))
        for row, answer in found
        if answer is not None
    )


def _said(scope: Scope, answer: Answer) -> str:
    if answer.outcome != Answer.Outcome.ANSWERED:
        return ""
    whole = (
        written.text_of(written.written_of(scope, answer))
        if answer.mode == "model"
        else as_text(answer, list(answer.citations.all()))
    )
    flat = " ".join(whole.split())
    return flat if len(flat) <= LONG else flat[:LONG].rsplit(" ", 1)[0] + " …"


def together(questions: QuerySet[Question]) -> QuerySet[Question]:
    """Newest conversation first, the turns of each together, in the order they were asked."""
    root = Coalesce(NullIf(F("conversation"), Value("")), F("ref"))
    return questions.annotate(newest=Window(Max("pk"), partition_by=root)).order_by("-newest", "pk")
