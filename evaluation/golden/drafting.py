"""Golden questions that are proposed and not yet used: from a document's headings, offline, and from members' feedback."""

from __future__ import annotations

from collections.abc import Iterator

from documents.models import Chunk, Document
from documents.text.sentences import sentences
from evaluation.golden.item import GoldPassage, Item, key_of
from evaluation.models import Feedback
from portal.scope import Scope, principal

MAX_DRAFTS = 200
MAX_QUOTE = 300


def from_document(scope: Scope, document: Document) -> list[Item]:
    """One question per heading of the live version, with the first sentence under it as the gold passage."""
    if document.live_version_id is None:
        return []
    with principal(scope):
        rows = list(
            Chunk.objects.visible_to(scope)
            .filter(version_id=document.live_version_id, kind="prose")
            .only("heading_path", "text", "language")
            .order_by("ordinal")
        )
    title = document.title or document.name
    drafts: dict[str, Item] = {}
    for chunk in rows:
        quote = _first_sentence(chunk)
        if not chunk.heading_path or not quote:
            continue
        text = _question(title, chunk.heading_path)
        gold = (GoldPassage(document.name, quote),)
        drafts.setdefault(text, Item(key_of(text), text, gold=gold, tags=("draft",), language=chunk.language))
    return list(drafts.values())[:MAX_DRAFTS]


def from_feedback(feedback: Feedback) -> Item:
    """The asked question; with the right passage where one was shown, or declining where that was said to be right."""
    unasked = feedback.reason == Feedback.Reason.UNASKED
    gold = () if unasked else tuple(GoldPassage(**{"quote": "", **one}) for one in feedback.passages)
    expects = "decline" if unasked else "answer" if gold else "open"
    return Item(
        f"f-{feedback.ref}",
        feedback.question_text,
        expects,  # type: ignore[arg-type]
        gold=gold,
        tags=("feedback" if feedback.kind != Feedback.Kind.OFFER else "offered",),
        language=feedback.language,
    )


def _question(title: str, path: list[str]) -> str:
    heading = " ".join(path[-1].split())
    if heading.endswith(("?", "？")):
        return heading
    above = " ".join(path[-2].split()) if len(path) > 1 else ""
    where = f"“{above}” in {title}" if above and above != title else title
    return f"What does {where} say about {heading}?"


def _first_sentence(chunk: Chunk) -> str:
    """The first sentence that is no heading and long enough to be found again."""
    for line in _sentences(chunk.text):
        if line not in chunk.heading_path and len(line) >= 20:
            return line[:MAX_QUOTE]
    return ""


def _sentences(text: str) -> Iterator[str]:
    for block in text.split("\n\n"):
        for start, end in sentences(block):
            yield block[start:end].strip().lstrip("# ").strip()
