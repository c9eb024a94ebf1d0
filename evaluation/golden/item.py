"""A golden question as files and forms carry it: plain values, checked, with no ids of any database."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

Expects = Literal["answer", "decline", "open"]
EXPECTS: tuple[Expects, ...] = ("answer", "decline", "open")
MAX_TEXT = 4_000
MAX_KEY = 80


class Malformed(ValueError):
    """What was given is no golden question; the text says where and why, without its content."""


@dataclass(frozen=True, slots=True)
class GoldPassage:
    """Where the answer stands: a document by name, in it a quote or offsets in its text, or nothing for the whole of it."""

    document: str
    quote: str = ""
    start: int | None = None
    end: int | None = None
    gain: float = 1.0

    @property
    def is_document(self) -> bool:
        return not self.quote and self.start is None

    def plain(self) -> dict[str, Any]:
        spans = {} if self.start is None else {"start": self.start, "end": self.end}
        gain = {} if self.gain == 1.0 else {"gain": self.gain}
        return {"document": self.document, **({"quote": self.quote} if self.quote else {}), **spans, **gain}


@dataclass(frozen=True, slots=True)
class Item:
    """One question; equal items need no new version."""

    key: str
    text: str
    expects: Expects = "answer"
    answers: tuple[str, ...] = ()
    key_facts: tuple[str, ...] = ()
    gold: tuple[GoldPassage, ...] = ()
    tags: tuple[str, ...] = ()
    language: str = ""
    weight: float = 1.0

    def plain(self) -> dict[str, Any]:
        """As JSONL has it; what is empty is left out."""
        lists = {"answers": self.answers, "key_facts": self.key_facts, "tags": self.tags}
        return {
            "id": self.key,
            "question": self.text,
            "expects": self.expects,
            **{name: list(values) for name, values in lists.items() if values},
            **({"gold": [passage.plain() for passage in self.gold]} if self.gold else {}),
            **({"language": self.language} if self.language else {}),
            **({"weight": self.weight} if self.weight != 1.0 else {}),
        }


def key_of(text: str) -> str:
    """A key for a question that came without one."""
    return "q-" + hashlib.sha256(" ".join(text.casefold().split()).encode()).hexdigest()[:12]


def read_item(raw: Mapping[str, Any]) -> Item:
    """Read one row of a file. `question` or `text`, `id` or `_id` or `key`; SQuAD's `unanswerable` and `context_id` too."""
    text = _text(raw.get("question") or raw.get("text"), "question")
    if not text.strip():
        raise Malformed("has no question")
    key = str(raw.get("id") or raw.get("_id") or raw.get("key") or key_of(text))
    if len(key) > MAX_KEY:
        raise Malformed(f"has an id of more than {MAX_KEY} characters")
    expects = "decline" if raw.get("unanswerable") else str(raw.get("expects") or "answer")
    if expects not in EXPECTS:
        raise Malformed(f"expects something else than {', '.join(EXPECTS)}")
    gold = _gold(raw) if expects != "decline" else ()
    return Item(
        key,
        " ".join(text.split()),
        expects,
        answers=tuple(dict.fromkeys(_texts(raw.get("answers") or raw.get("answer")))),
        key_facts=_texts(raw.get("key_facts")),
        gold=gold,
        tags=tuple(tag[:40] for tag in _texts(raw.get("tags"))),
        language=str(raw.get("language") or "")[:8],
        weight=_weight(raw.get("weight")),
    )


def _gold(raw: Mapping[str, Any]) -> tuple[GoldPassage, ...]:
    given = _list(raw.get("gold"))
    if not given and raw.get("context_id"):
        return (GoldPassage(str(raw["context_id"])),)
    return tuple(_passage(one) for one in given)


def _passage(raw: object) -> GoldPassage:
    if isinstance(raw, str):
        return GoldPassage(raw)
    if not isinstance(raw, Mapping) or not raw.get("document"):
        raise Malformed("has a gold passage without a document")
    try:
        start, end = (None if raw.get(name) in (None, "") else int(raw[name]) for name in ("start", "end"))
        gain = float(raw.get("gain") or 1.0)
    except (TypeError, ValueError):
        raise Malformed("has a gold passage whose offsets or gain are no numbers") from None
    if (start is None) != (end is None) or (start is not None and end is not None and not 0 <= start < end):
        raise Malformed("has a gold passage whose offsets are no span")
    return GoldPassage(str(raw["document"]), _text(raw.get("quote"), "quote"), start, end, gain)


def _weight(raw: object) -> float:
    try:
        weight = float(str(raw)) if raw not in (None, "") else 1.0
    except ValueError:
        raise Malformed("has a weight that is no number") from None
    if not 0 < weight < 1e6:
        raise Malformed("has a weight that is not above 0")
    return weight


def _text(raw: object, name: str) -> str:
    text = "" if raw is None else str(raw)
    if len(text) > MAX_TEXT:
        raise Malformed(f"has a {name} of more than {MAX_TEXT:,} characters")
    return text.replace("\x00", "")


def _texts(raw: object) -> tuple[str, ...]:
    return tuple(_text(one, "text").strip() for one in _list(raw) if str(one).strip())


def _list(raw: object) -> Sequence[object]:
    """A list as it is; a cell of a table as a JSON list or with | between its items."""
    if raw in (None, ""):
        return ()
    if isinstance(raw, str):
        if raw.lstrip().startswith("["):
            try:
                found = json.loads(raw)
            except ValueError:
                raise Malformed("has a cell that starts like a JSON list and is none") from None
            return list(found)
        return [part.strip() for part in raw.split("|")]
    if isinstance(raw, Sequence):
        return raw
    raise Malformed("has a value that is no list where one belongs")
