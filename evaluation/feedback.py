"""What a member says about an answer of theirs, and what an editor makes of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from answers.models import Answer, Citation
from documents.models import Document
from evaluation.golden import drafting, store
from evaluation.models import Feedback, GoldenQuestion, GoldenSet
from portal.problems import UserProblem
from portal.scope import Scope, principal

MAX_QUOTE = 1000
INBOX = "From feedback"
"""The set that feedback goes into when the editor names no other."""


@dataclass(frozen=True, slots=True)
class Said:
    """A filled-in form. `passage` is a citation number, `quote` the right words, `document` where else they stand."""

    kind: str
    reason: str = ""
    comment: str = ""
    passage: int | None = None
    quote: str = ""
    document: str = ""


def own_answer(scope: Scope, ref: str) -> Answer | None:
    """Needs an open principal."""
    found: Answer | None = Answer.objects.visible_to(scope).select_related("question").filter(ref=ref).first()
    return found


def give(scope: Scope, answer: Answer, said: Said) -> Feedback:
    """Keep what was said, in place of what was said before. From here on the editors may read the question."""
    if said.kind not in Feedback.Kind.values or said.reason not in Feedback.Reason.values:
        raise UserProblem("portal.invalid")
    with principal(scope):
        citations = list(Citation.objects.visible_to(scope).filter(answer=answer, redacted=False))
        passages, collections = _passages(scope, citations, said)
        values = {
            "kind": said.kind,
            "reason": said.reason,
            "comment": said.comment[:1000],
            "passages": passages,
            "collection_ids": sorted({c.collection_id for c in citations} | collections),
            "state": Feedback.State.NEW,
        }
        rows = Feedback.objects.visible_to(scope).filter(user_id=answer.user_id, answer_ref=answer.ref)
        if rows.update(**values):
            return rows.get()
        made: Feedback = Feedback.objects.create_for(
            scope,
            user_id=scope.user_id,
            answer_ref=answer.ref,
            question_text=answer.question.text,
            language=answer.question.language,
            outcome=answer.outcome,
            **values,
        )
    return made


def _passages(scope: Scope, citations: Sequence[Citation], said: Said) -> tuple[list[dict[str, object]], set[int]]:
    """The right passage as a gold passage, with the collections it lies in. Words that stand nowhere are refused."""
    quote = " ".join(said.quote.split())[:MAX_QUOTE]
    if said.document:
        rows = Document.objects.visible_to(scope).filter(name=said.document.strip(), deleted_at__isnull=True)
        found = list(rows.values_list("name", "collection_id"))
        if not found:
            raise UserProblem("portal.not_found")
        return [{"document": found[0][0], **({"quote": quote} if quote else {})}], {pk for _, pk in found}
    cited = next((c for c in citations if c.number == said.passage), None)
    if cited is None:
        return [], set()
    if quote and quote.casefold() not in " ".join(cited.passage.split()).casefold():
        raise UserProblem("evaluation.quote_elsewhere")
    name = Document.objects.visible_to(scope).filter(pk=cited.document_id).values_list("name", flat=True).first()
    return ([{"document": name, "quote": quote or " ".join(cited.passage.split())[:300]}] if name else []), set()


def take(scope: Scope, feedback: Feedback, golden_set: GoldenSet | None) -> GoldenSet:
    """Make a draft of it in the set, to be reviewed before any run asks it."""
    store.refuse_readers(scope)
    into = golden_set or store.open_set(scope, INBOX, description="Drafts made from members' feedback.")
    offered = feedback.kind == Feedback.Kind.OFFER
    origin = GoldenQuestion.Origin.OFFER if offered else GoldenQuestion.Origin.FEEDBACK
    store.draft(scope, into, [drafting.from_feedback(feedback)], origin=origin)
    _settle(scope, feedback, Feedback.State.TAKEN)
    return into


def dismiss(scope: Scope, feedback: Feedback) -> None:
    store.refuse_readers(scope)
    _settle(scope, feedback, Feedback.State.DISMISSED)


def _settle(scope: Scope, feedback: Feedback, state: str) -> None:
    with principal(scope):
        Feedback.objects.visible_to(scope).filter(pk=feedback.pk).update(state=state)
