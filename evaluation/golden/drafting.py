"""Golden questions that are proposed and not yet used: from a document's headings, offline, and from members' feedback."""

from __future__ import annotations

import re
from collections.abc import Iterator

from documents.models import Chunk, Document
from documents.text.sentences import sentences
from evaluation import model_call
from evaluation.golden.item import GoldPassage, Item, key_of
from evaluation.models import Feedback
from portal.scope import Scope, principal

MAX_DRAFTS = 200
MAX_QUOTE = 300
MAX_HEADING = 100
MAX_QUESTION = 300
_LINE = re.compile(r"^\s*(QUESTION|SENTENCE|FACT)\s*:\s*(.+?)\s*$", re.IGNORECASE | re.MULTILINE)


def from_document(scope: Scope, document: Document) -> list[Item]:
    """One question per heading of the live version, with the first sentence under it as the gold passage."""
    return [item for item, _ in _sections(scope, document)]


def _sections(scope: Scope, document: Document) -> list[tuple[Item, str]]:
    """Each heading's question with the text of its passage."""
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
    drafts: dict[str, tuple[Item, str]] = {}
    for chunk in rows:
        for path, quote in _headed(chunk):
            text = _question(title, path)
            gold = (GoldPassage(document.name, quote),)
            item = Item(key_of(text), text, gold=gold, tags=("draft",), language=chunk.language)
            drafts.setdefault(text, (item, chunk.text))
    return list(drafts.values())[:MAX_DRAFTS]


def by_model(scope: Scope, document: Document, *, most: int = MAX_DRAFTS) -> list[Item]:
    """As from_document, with the first `most` questions written by a model: it asks, copies the sentence, and names the fact.

    What it writes counts only where the sentence and the fact stand in the section word for word; else the heading asks.
    """
    told = model_call.read("question")
    title = document.title or document.name
    items: list[Item] = []
    for number, (item, section) in enumerate(_sections(scope, document)):
        said = model_call.ask(scope, told, (("title", title), ("section", section))) if number < most else None
        items.append(_written(item, section, said.text) if said else item)
    return list({item.text: item for item in items}.values())


def _written(item: Item, section: str, said: str) -> Item:
    """The item as the model words it, or as it was."""
    found = {name.lower(): " ".join(text.split()) for name, text in _LINE.findall(said)}
    question, sentence, fact = (found.get(name, "") for name in ("question", "sentence", "fact"))
    plain = " ".join(section.split())
    if not (3 < len(question) <= MAX_QUESTION and question[-1] in "?？؟" and 3 < len(sentence) <= MAX_QUOTE):
        return item
    if sentence not in plain or not fact or fact.casefold() not in sentence.casefold():
        return item
    gold = (GoldPassage(item.gold[0].document, sentence),)
    tags = ("draft", "model")
    return Item(key_of(question), question, key_facts=(fact,), gold=gold, tags=tags, language=item.language)


def _headed(chunk: Chunk) -> Iterator[tuple[list[str], str]]:
    """Each heading in or above the chunk with the first sentence under it. A chunk of short sections holds several."""
    path = list(chunk.heading_path)
    blocks = [block.strip() for block in chunk.text.split("\n\n") if block.strip()]
    for block, under in zip(["", *blocks], blocks, strict=False):
        if _is_heading(under):
            continue
        heading = (
            [*path, block] if _is_heading(block) and block not in path else path if not block or block in path else []
        )
        quote = _first_sentence(under)
        if heading and quote:
            yield heading, quote


def _is_heading(block: str) -> bool:
    """A line of its own that is no sentence: canonical text keeps headings without their marks."""
    return (
        bool(block)
        and "\n" not in block
        and len(block) <= MAX_HEADING
        and not block.endswith((".", ":", ";", ",", "!", "。"))
    )


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


def _first_sentence(block: str) -> str:
    """The first sentence that is long enough to be found again."""
    found = (block[start:end].strip() for start, end in sentences(block))
    return next((sentence[:MAX_QUOTE] for sentence in found if len(sentence) >= 20), "")
