"""What a model wrote for a kept answer, as pages and programs get it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from answers.models import Answer, WrittenText
from answers.prose import Prose, prose
from documents.models import Document
from portal.scope import Scope

REMOVED = "(a source of this answer was removed)"


def written_of(scope: Scope, answer: Answer) -> WrittenText | None:
    """None for quotes, and as soon as one of the documents that the model read is deleted, disabled or out of sight.

    Needs an open principal; two queries.
    """
    if answer.mode != "model":
        return None
    row: WrittenText | None = WrittenText.objects.visible_to(scope).filter(answer=answer).first()
    if row is None or row.redacted:
        return None
    in_sight = Document.objects.visible_to(scope).filter(
        pk__in=row.document_ids, deleted_at__isnull=True, disabled_at__isnull=True
    )
    return row if in_sight.count() == len(row.document_ids) else None


def prose_of(scope: Scope, answer: Answer, names: Iterable[tuple[int, str]]) -> Prose | None:
    """None for quotes, and for a model's answer that holds no text. `names` are the citations'."""
    if answer.mode != "model" or answer.outcome not in (Answer.Outcome.ANSWERED, Answer.Outcome.STOPPED):
        return None
    row = written_of(scope, answer)
    if row is None and answer.outcome == Answer.Outcome.STOPPED and not answer.tokens_out:
        return None
    if row is None:
        return Prose(is_removed=True)
    return prose(row.text, row.sentences, dict(names))


def text_of(row: WrittenText | None) -> str:
    return REMOVED if row is None else row.text


def used_label(number: int, shown: Prose) -> str:
    """“Used in sentence 1, 3”, or "" for what no sentence cites."""
    sentences = [s for paragraph in shown.paragraphs for s in paragraph.sentences]
    places = [
        str(place)
        for place, sentence in enumerate(sentences, 1)
        if any(chip.number == number for run in sentence.runs for chip in run.chips)
    ]
    return f"Used in sentence {', '.join(places)}" if places else ""


def cost_label(answer: Answer) -> str:
    """“1,204 tokens, $0.0012”; "" for quotes."""
    tokens = answer.tokens_in + answer.tokens_out
    if answer.mode != "model" or not tokens:
        return ""
    price = f", ${answer.cost_usd:.4f}" if answer.cost_usd else ""
    return f"{tokens:,} tokens{price}"


def sentences_of(row: WrittenText | None) -> list[dict[str, object]]:
    """As programs get them."""
    if row is None:
        return []
    return [_sentence(fields) for fields in row.sentences]


def _sentence(fields: Sequence[object]) -> dict[str, object]:
    start, end, support, faults, citations = fields
    return {"start": start, "end": end, "support": support, "faults": faults, "citations": citations}
