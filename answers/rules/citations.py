"""The citation audit: every marker names a passage that was given, and that passage holds its sentence."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from answers.rules.extract import Draft
from answers.rules.markers import Marker, clean, code_spans, markers
from answers.rules.support import Check, Support, check
from documents.text.analyse import analyse
from documents.text.language import detect
from documents.text.sentences import sentences
from retrieval.ranking.evidence import Passage

Verdict = Literal["supported", "partly", "not_supported"]

_MIN_TERMS: Final = 3
"""A piece with fewer words claims nothing of its own ("In short:", a list number)."""


@dataclass(frozen=True, slots=True)
class AuditedSentence:
    """`text[start:end]` of the audited answer with its markers, and what came of it."""

    start: int
    end: int
    citations: tuple[int, ...]
    check: Check

    @property
    def support(self) -> Support:
        return self.check.support


@dataclass(frozen=True, slots=True)
class Audit:
    """`text` is the answer as it may be shown: only `[n]` markers, and only of passages that exist.

    The verdict is `supported` when every sentence is, `not_supported` when none is, else `partly`; of an empty answer,
    `not_supported`.
    """

    text: str
    sentences: tuple[AuditedSentence, ...]
    verdict: Verdict
    removed_markers: int


def audit(answer: str | Draft, passages: Sequence[Passage]) -> Audit:
    """A draft is held to its offsets, a written answer to the words, numbers, names and negations of its passages."""
    if isinstance(answer, Draft):
        return _audit_quotes(answer, passages)
    texts = [passage.text for passage in passages]
    text, removed = clean(answer, texts)
    audited = tuple(_audited(text, passages))
    return Audit(text, audited, _verdict(audited), removed)


def _audit_quotes(draft: Draft, passages: Sequence[Passage]) -> Audit:
    audited = []
    at = 0
    for quote, shown in draft.lines:
        known = 1 <= quote.passage_no <= len(passages)
        held = passages[quote.passage_no - 1].text if known else ""
        exact = bool(quote.text) and held[quote.start : quote.end] == quote.text
        result = Check("supported", 1.0) if exact else Check("not_supported", 0.0, ("offsets",))
        audited.append(AuditedSentence(at, at + len(shown), (quote.passage_no,), result))
        at += len(shown) + 1
    return Audit(draft.text, tuple(audited), _verdict(tuple(audited)), 0)


def _audited(text: str, passages: Sequence[Passage]) -> Iterator[AuditedSentence]:
    found = markers(text, [passage.text for passage in passages])
    for start, end in _sentences(text, found):
        mine = [m for m in found if start <= m.start < end]
        claim = _without(text, start, end, mine)
        if len(analyse(claim)) < _MIN_TERMS and not mine:
            continue
        cited = tuple(dict.fromkeys(n for m in mine for n in m.numbers if n not in m.unknown))
        yield AuditedSentence(start, end, cited, _checked(claim, cited, passages))


def _checked(claim: str, cited: tuple[int, ...], passages: Sequence[Passage]) -> Check:
    """A sentence without a citation is at best partly supported: nobody can follow it to its source."""
    evidence = [_readable(passages[n - 1]) for n in cited] or [_readable(passage) for passage in passages]
    result = check(claim, evidence, detect(claim))
    if cited:
        return result
    support: Support = "partly" if result.support == "supported" else "not_supported"
    return Check(support, result.share, (*result.faults, "uncited"))


def _readable(passage: Passage) -> str:
    return "\n".join(part for part in (passage.title, *passage.heading_path, passage.prefix, passage.text) if part)


def _sentences(text: str, found: tuple[Marker, ...]) -> Iterator[tuple[int, int]]:
    """Sentences outside code; a marker after the full stop belongs to the sentence before it."""
    code = code_spans(text)
    start = 0
    for cut in (*(end for _, end in sentences(text)), len(text)):
        if any(a < cut < b for a, b in code):
            continue
        end = _past_markers(text, cut, found)
        sentence = text[start:end]
        first, last = start + len(sentence) - len(sentence.lstrip()), start + len(sentence.rstrip())
        if first < last and not any(a <= first and last <= b for a, b in code):
            yield first, last
        start = max(start, end)


def _past_markers(text: str, cut: int, found: tuple[Marker, ...]) -> int:
    for marker in found:
        if marker.start >= cut and not text[cut : marker.start].strip() and "\n" not in text[cut - 1 : marker.start]:
            cut = marker.end
    return cut


def _without(text: str, start: int, end: int, mine: Sequence[Marker]) -> str:
    parts = []
    for marker in mine:
        parts.append(text[start : marker.start])
        start = marker.end
    return re.sub(r"^[\s>#*+-]+", "", "".join((*parts, text[start:end])))


def _verdict(audited: tuple[AuditedSentence, ...]) -> Verdict:
    supports = {sentence.support for sentence in audited}
    if supports == {"supported"}:
        return "supported"
    return "not_supported" if supports <= {"not_supported"} else "partly"
