"""What was asked before a question, and the question completed from it: by a model where one writes, else by rules.

Only questions are looked at, never answers or passages: what a document says cannot steer what is searched next.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal, Protocol, runtime_checkable

from django.db.models import Q, QuerySet

from answers.models import Answer, Question
from answers.rules import follow_up, question
from portal.scope import Scope, principal

LOOKS_BACK: Final = 6
"""As many earlier questions are read, the newest of them."""

By = Literal["", "rules", "model"]


@dataclass(frozen=True, slots=True)
class Conversation:
    """The questions before, completed, oldest first; `ref` keeps the turns together, "" where nothing is kept together.

    `as_written` asks the text as it stands: its asker has seen to it.
    """

    earlier: tuple[str, ...] = ()
    ref: str = ""
    as_written: bool = False


ALONE: Final = Conversation()


@runtime_checkable
class Completes(Protocol):
    """A writer that can complete a follow-up by a model."""

    def complete(self, scope: Scope, text: str, earlier: Sequence[str]) -> str:
        """The question that stands alone, in the language of `text`; "" where no model said one that can be trusted."""
        ...


def after(scope: Scope, ref: str, *, as_written: bool = False) -> Conversation | None:
    """The conversation up to a question of the asker's own, named by its ref or its answer's; None when there is none such."""
    with principal(scope):
        asked: QuerySet[Question] = Question.objects.visible_to(scope)
        last = asked.filter(Q(ref=ref) | Q(answers__ref=ref)).first()
        if last is None:
            return None
        root = last.conversation or last.ref
        before = turns_of(scope, root).filter(pk__lte=last.pk).exclude(answers__outcome__in=NOT_ASKED)
        texts = before.order_by("-pk").values_list("text", flat=True)[:LOOKS_BACK]
        return Conversation(tuple(reversed(texts)), root, as_written)


NOT_ASKED: Final = (Answer.Outcome.SMALL_TALK, Answer.Outcome.BLOCKED)


def of_texts(texts: Sequence[str]) -> Conversation:
    """For programs that bring their own conversation: questions that nobody could have asked are left out."""
    asked = (question.read(text) for text in texts[-LOOKS_BACK * 2 :])
    whole: list[str] = []
    for one in asked:
        if isinstance(one, question.Question):
            whole.append(follow_up.standalone(one.text, whole))
    return Conversation(tuple(whole[-LOOKS_BACK:]))


def turns_of(scope: Scope, root: str) -> QuerySet[Question]:
    """The questions of a conversation. Needs an open principal."""
    found: QuerySet[Question] = Question.objects.visible_to(scope).filter(Q(ref=root) | Q(conversation=root))
    return found


def read(text: str, talk: Conversation) -> question.Question | question.SmallTalk | question.Invalid:
    """As question.read; a text with nothing of its own ("why?") is what rules make of it in this conversation."""
    asked = question.read(text)
    if isinstance(asked, question.Invalid) and asked.code == "answers.question_only_stop_words" and talk.earlier:
        completed = question.read(follow_up.standalone(text, talk.earlier))
        return completed if isinstance(completed, question.Question) else asked
    return asked


@dataclass(frozen=True, slots=True)
class Completed:
    asked: question.Question
    by: By


def complete(
    scope: Scope, typed: str, asked: question.Question, talk: Conversation, *, completes: Completes | None
) -> Completed:
    """The question to search for. A model is asked only where the text may lean on what was said before."""
    if talk.as_written or not talk.earlier:
        return Completed(asked, "")
    if completes is not None and follow_up.may_lean(typed, talk.earlier):
        by_model = question.read(completes.complete(scope, typed, talk.earlier))
        if isinstance(by_model, question.Question) and follow_up.is_faithful(by_model.text, typed, talk.earlier):
            return Completed(by_model, "model" if by_model.text != question.tidy(typed) else "")
    by_rules = question.read(follow_up.standalone(typed, talk.earlier))
    if isinstance(by_rules, question.Question) and by_rules.text != question.tidy(typed):
        return Completed(by_rules, "rules")
    return Completed(asked, "")
